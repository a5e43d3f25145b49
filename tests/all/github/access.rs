//! Checks that an actor has the permission that a call requires.

use super::actor::{Access, Actor, has_permission};
use super::answer::Answer;
use super::state::State;
use mend_github::AccessLevel;

/// Permission that a call requires.
#[derive(Clone, Copy)]
pub(super) enum Need {
    /// One of these permissions in the repository.
    Repo(&'static [&'static str], AccessLevel),
    /// Permission like `Repo`, but only for Apps, because users cannot write check runs.
    AppIn(&'static str, AccessLevel),
    /// Authentication as an App.
    App,
    /// Nothing.
    Nothing,
}

const INTEGRATION_FORBIDDEN: &str = "Resource not accessible by integration";

/// Returns true if an actor has the permission that a call requires in a repository.
pub(super) fn check_permission(
    state: &State,
    actor: Option<&Actor>,
    requirement: Need,
    repo: Option<&str>,
) -> Result<(), Answer> {
    match requirement {
        Need::Nothing => Ok(()),
        Need::App => match actor {
            Some(Actor::App(_)) => Ok(()),
            _ => Err(Answer::error(401, "A JSON web token could not be decoded")),
        },
        Need::AppIn(name, level) => {
            check_repo_permission(state, actor, &[name], level, repo)?;
            let is_app = level == AccessLevel::Read || actor.is_some_and(Actor::is_bot);
            let message = "You must authenticate via a GitHub App.";
            is_app.then_some(()).ok_or_else(|| Answer::error(403, message))
        }
        Need::Repo(names, level) => check_repo_permission(state, actor, names, level, repo),
    }
}

fn check_repo_permission(
    state: &State,
    actor: Option<&Actor>,
    names: &[&str],
    level: AccessLevel,
    repo: Option<&str>,
) -> Result<(), Answer> {
    let name = repo.unwrap_or_default();
    let Some(repo) = state.repos.get(name) else { return Err(Answer::not_found()) };
    let has = |permissions| names.iter().any(|one| has_permission(permissions, one, level));
    match actor {
        None if repo.is_private => Err(Answer::not_found()),
        None if level == AccessLevel::Read => Ok(()),
        None => Err(Answer::error(401, "Requires authentication")),
        Some(Actor::User(login)) => {
            let access = state.users.get(login).copied().unwrap_or(Access::None);
            check_user(access, names, level, repo.is_private)
        }
        Some(Actor::Actions { repo: own, permissions }) => {
            check_integration(own == name, has(permissions), repo.is_private)
        }
        Some(Actor::Installation { repos, permissions, .. }) => {
            check_integration(repos.contains(name), has(permissions), repo.is_private)
        }
        Some(Actor::App(_)) => Err(Answer::error(403, INTEGRATION_FORBIDDEN)),
    }
}

fn check_user(
    access: Access,
    names: &[&str],
    level: AccessLevel,
    is_private: bool,
) -> Result<(), Answer> {
    // Everyone who can see a pull request can comment on it.
    let required_access = match level {
        AccessLevel::Write if names.contains(&"issues") => Access::Read,
        AccessLevel::Write => Access::Write,
        AccessLevel::Read => Access::Read,
    };
    match access {
        Access::None if is_private => Err(Answer::not_found()),
        Access::None if level == AccessLevel::Read => Ok(()),
        _ if access >= required_access => Ok(()),
        _ => Err(Answer::error(403, "Must have push access to the repository.")),
    }
}

/// Checks the permission of an App. GitHub shows public repositories to any App, but the fake reports the missing
/// permission, because that helps to find errors.
fn check_integration(
    is_installed: bool,
    has_permission: bool,
    is_private: bool,
) -> Result<(), Answer> {
    match (is_installed, has_permission) {
        (true, true) => Ok(()),
        (false, _) if is_private => Err(Answer::not_found()),
        _ => Err(Answer::error(403, INTEGRATION_FORBIDDEN)),
    }
}
