//! Operations on a repository: its data, its permissions and dispatch events.

use super::super::actor::Access;
use super::super::answer::{Answer, Handled};
use super::super::call::Call;
use super::super::objects::Dispatch;
use super::super::render;
use serde_json::json;

pub(super) fn get(call: &mut Call<'_>) -> Handled {
    let web = call.state.web_url.clone();
    Ok(Answer::ok(&render::repo(&web, call.repo()?)))
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
