//! Operations on tokens of installations.

use super::super::actor::{Actor, Permissions, has_permission};
use super::super::answer::{Answer, Handled};
use super::super::call::Call;
use super::super::render;
use mend_github::AccessLevel;
use serde_json::{Value, json};
use std::collections::BTreeSet;

pub(super) fn create_token(call: &mut Call<'_>) -> Handled {
    let id = call.number("installation_id")?;
    let Some(Actor::App(app)) = call.actor else { return Err(Answer::not_found()) };
    let installation = call.state.installations.get(&id).filter(|one| one.app == app);
    let installation = installation.ok_or_else(Answer::not_found)?;
    let repos = select_repos(&call.body["repositories"], &installation.repos)?;
    let permissions = select_permissions(&call.body["permissions"], &installation.permissions)?;
    let slug = call.state.apps[&app].slug.clone();
    let message: Value = permissions
        .iter()
        .map(|(name, level)| (name.clone(), serde_json::to_value(level).unwrap()))
        .collect::<serde_json::Map<_, _>>()
        .into();
    let words = permissions.iter().map(|(name, level)| format!("{name}:{}", level_name(*level)));
    let words = words.collect::<Vec<_>>().join(" ");
    call.state.granted_permissions.insert(words);
    if call.body["repositories"].as_array().is_none_or(|all| all.len() != 1) {
        call.state.errors.push("a token is not for one repository".to_owned());
    }
    let actor = Actor::Installation { app, slug, repos, permissions };
    let token = call.state.add_token("ghs", actor);
    let expires = jiff::Timestamp::now() + jiff::SignedDuration::from_hours(1);
    let expires = expires.strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
    Ok(Answer::created(&json!({ "token": token, "expires_at": expires, "permissions": message })))
}

/// The only code of an App that was created from a manifest.
pub(crate) const MANIFEST_CODE: &str = "a180b1a3d263c81bc6441d7b990bae27d4c10679";

pub(super) fn convert_manifest(call: &mut Call<'_>) -> Handled {
    if call.segment("code") != MANIFEST_CODE {
        return Err(Answer::not_found());
    }
    let web = call.state.web_url.clone();
    let time = call.state.next_time().to_string();
    Ok(Answer::created(&json!({
        "id": 12, "node_id": "A_12", "owner": render::user(&web, "alice"), "name": "mend",
        "description": null, "external_url": "https://mend.example.org",
        "html_url": format!("{web}/apps/mend"), "created_at": time, "updated_at": time,
        "permissions": {}, "events": [], "client_id": "Iv1.1", "client_secret": "x",
        "webhook_secret": "hook secret", "pem": "-----BEGIN RSA PRIVATE KEY-----\n",
    })))
}

pub(super) fn repo_installation(call: &mut Call<'_>) -> Handled {
    let name = call.repo_name().unwrap();
    let Some(Actor::App(app)) = call.actor else { return Err(Answer::not_found()) };
    let mut all = call.state.installations.iter();
    let installation = all.find(|(_, one)| one.app == app && one.repos.contains(&name));
    let (id, _) = installation.ok_or_else(Answer::not_found)?;
    Ok(Answer::ok(&json!({ "id": id, "app_id": app, "app_slug": call.state.apps[&app].slug })))
}

/// Returns the requested repositories, if the installation has all of them.
fn select_repos(
    requested: &Value,
    installed: &BTreeSet<String>,
) -> Result<BTreeSet<String>, Answer> {
    let Value::Array(requested) = requested else { return Ok(installed.clone()) };
    let message = "There is at least one repository that does not exist or is not accessible to the \
                parent installation.";
    let find_repo = |short: &Value| {
        let has_name = |name: &&String| name.split_once('/').unwrap().1 == short.as_str().unwrap();
        installed.iter().find(has_name).cloned().ok_or_else(|| Answer::error(422, message))
    };
    requested.iter().map(find_repo).collect()
}

fn level_name(level: AccessLevel) -> &'static str {
    match level {
        AccessLevel::Read => "read",
        AccessLevel::Write => "write",
    }
}

/// Returns the requested permissions, if the installation has all of them.
fn select_permissions(requested: &Value, installed: &Permissions) -> Result<Permissions, Answer> {
    let Value::Object(requested) = requested else { return Ok(installed.clone()) };
    let mut permissions = Permissions::new();
    for (name, level) in requested {
        let level = if level == "read" { AccessLevel::Read } else { AccessLevel::Write };
        if !has_permission(installed, name, level) {
            let message = "The permissions requested are not granted to this installation.";
            return Err(Answer::error(422, message));
        }
        permissions.insert(name.clone(), level);
    }
    permissions.insert("metadata".to_owned(), AccessLevel::Read);
    Ok(permissions)
}
