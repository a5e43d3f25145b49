//! Tokens of installations.

use super::super::actor::{Actor, Permissions, allows};
use super::super::answer::{Answer, Handled};
use super::super::call::Call;
use mend_github::AccessLevel;
use serde_json::{Value, json};
use std::collections::BTreeSet;

pub(super) fn create_token(call: &mut Call<'_>) -> Handled {
    let id = call.number("installation_id")?;
    let Some(Actor::App(app)) = call.actor else { return Err(Answer::not_found()) };
    let installation = call.state.installations.get(&id).filter(|one| one.app == app);
    let installation = installation.ok_or_else(Answer::not_found)?;
    let repos = narrowed_repos(&call.body["repositories"], &installation.repos)?;
    let permissions = narrowed(&call.body["permissions"], &installation.permissions)?;
    let slug = call.state.apps[&app].slug.clone();
    let said: Value = permissions
        .iter()
        .map(|(name, level)| (name.clone(), serde_json::to_value(level).unwrap()))
        .collect::<serde_json::Map<_, _>>()
        .into();
    let words = permissions.iter().map(|(name, level)| format!("{name}:{}", word(*level)));
    let words = words.collect::<Vec<_>>().join(" ");
    call.state.granted.insert(words);
    if call.body["repositories"].as_array().is_none_or(|all| all.len() != 1) {
        call.state.wrong.push("a token is not for one repository".to_owned());
    }
    let actor = Actor::Installation { app, slug, repos, permissions };
    let token = call.state.add_token("ghs", actor);
    let expires = jiff::Timestamp::now() + jiff::SignedDuration::from_hours(1);
    let expires = expires.strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
    Ok(Answer::created(&json!({ "token": token, "expires_at": expires, "permissions": said })))
}

pub(super) fn repo_installation(call: &mut Call<'_>) -> Handled {
    let name = call.repo_name().unwrap();
    let Some(Actor::App(app)) = call.actor else { return Err(Answer::not_found()) };
    let mut all = call.state.installations.iter();
    let found = all.find(|(_, one)| one.app == app && one.repos.contains(&name));
    let (id, _) = found.ok_or_else(Answer::not_found)?;
    Ok(Answer::ok(&json!({ "id": id, "app_id": app, "app_slug": call.state.apps[&app].slug })))
}

/// The repositories that are wished for, if the installation has all of them.
fn narrowed_repos(wish: &Value, has: &BTreeSet<String>) -> Result<BTreeSet<String>, Answer> {
    let Value::Array(wish) = wish else { return Ok(has.clone()) };
    let said = "There is at least one repository that does not exist or is not accessible to the \
                parent installation.";
    let named = |short: &Value| {
        let is_it = |name: &&String| name.split_once('/').unwrap().1 == short.as_str().unwrap();
        has.iter().find(is_it).cloned().ok_or_else(|| Answer::refused(422, said))
    };
    wish.iter().map(named).collect()
}

fn word(level: AccessLevel) -> &'static str {
    match level {
        AccessLevel::Read => "read",
        AccessLevel::Write => "write",
    }
}

/// The permissions that are wished for, if the installation has all of them.
fn narrowed(wish: &Value, has: &Permissions) -> Result<Permissions, Answer> {
    let Value::Object(wish) = wish else { return Ok(has.clone()) };
    let mut permissions = Permissions::new();
    for (name, level) in wish {
        let level = if level == "read" { AccessLevel::Read } else { AccessLevel::Write };
        if !allows(has, name, level) {
            let said = "The permissions requested are not granted to this installation.";
            return Err(Answer::refused(422, said));
        }
        permissions.insert(name.clone(), level);
    }
    permissions.insert("metadata".to_owned(), AccessLevel::Read);
    Ok(permissions)
}
