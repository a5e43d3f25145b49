//! Operations on a repository: its data, its permissions and dispatch events.

use super::super::actor::{Access, Actor};
use super::super::answer::{Answer, Handled};
use super::super::call::Call;
use super::super::objects::Dispatch;
use super::super::render;
use serde_json::json;

pub(super) fn get(call: &mut Call<'_>) -> Handled {
    let web = call.state.web_url.clone();
    let mut repo = render::repo(&web, call.repo()?);
    if let Some(access) = user_access(call) {
        repo["permissions"] = json!({
            "admin": access >= Access::Admin, "maintain": access >= Access::Maintain,
            "push": access >= Access::Write, "triage": access >= Access::Triage, "pull": true,
        });
    }
    Ok(Answer::ok(&repo))
}

fn user_access(call: &Call<'_>) -> Option<Access> {
    match &call.actor {
        Some(Actor::User(login)) => call.state.users.get(login).copied(),
        _ => None,
    }
}

pub(super) fn workflow_permissions(call: &mut Call<'_>) -> Handled {
    if user_access(call) != Some(Access::Admin) {
        return Err(Answer::error(403, "Must have admin rights to Repository."));
    }
    Ok(Answer::ok(&json!({
        "default_workflow_permissions": "read",
        "can_approve_pull_request_reviews": call.repo()?.allows_pulls_by_actions,
    })))
}

pub(super) fn branch_rules(call: &mut Call<'_>) -> Handled {
    let repo = call.repo()?;
    let rule = |kind: &String| {
        json!({ "type": kind, "ruleset_id": 1, "ruleset_source_type": "Repository",
            "ruleset_source": repo.name })
    };
    Ok(Answer::ok(&repo.branch_rules.iter().map(rule).collect()))
}

pub(super) fn dispatch(call: &mut Call<'_>) -> Handled {
    let event = call.text("event_type").unwrap();
    let payload = call.body["client_payload"].clone();
    if payload.as_object().is_some_and(|fields| fields.len() > 10) {
        let message = "No more than 10 properties are allowed; client_payload has more.";
        return Err(Answer::error(422, message));
    }
    let number = call.state.next_number();
    call.repo()?.dispatches.add_unread(number, Dispatch { event, payload });
    Ok(Answer::no_content())
}

pub(super) fn permission(call: &mut Call<'_>) -> Handled {
    let login = call.segment("username").to_owned();
    let Some(access) = call.state.users.get(&login).copied() else {
        return Err(Answer::error(404, &format!("{login} is not a user")));
    };
    let is_private = call.repo()?.is_private;
    let access = if is_private { access } else { access.max(Access::Read) };
    let user = render::user(&call.state.web_url, &login);
    Ok(Answer::ok(&json!({
        "permission": access.legacy_permission(), "role_name": access.role(), "user": user,
    })))
}
