//! Permissions that a call requires.

use super::actor::{Access, Actor, allows};
use super::answer::Answer;
use super::state::State;
use mend_github::AccessLevel;

/// Permission that a call requires.
#[derive(Clone, Copy)]
pub(super) enum Need {
    /// One of these permissions in the repository.
    Repo(&'static [&'static str], AccessLevel),
    /// Like `Repo`, but only for Apps: users cannot write check runs.
    AppIn(&'static str, AccessLevel),
    /// An App as itself.
    App,
}

const INTEGRATION: &str = "Resource not accessible by integration";

/// Returns true if an actor has the permission that a call requires in a repository.
pub(super) fn check(
    state: &State,
    actor: Option<&Actor>,
    need: Need,
    repo: Option<&str>,
) -> Result<(), Answer> {
    match need {
        Need::App => match actor {
            Some(Actor::App(_)) => Ok(()),
            _ => Err(Answer::refused(401, "A JSON web token could not be decoded")),
        },
        Need::AppIn(name, level) => {
            in_repo(state, actor, &[name], level, repo)?;
            let is_app = level == AccessLevel::Read || actor.is_some_and(Actor::is_bot);
            let said = "You must authenticate via a GitHub App.";
            is_app.then_some(()).ok_or_else(|| Answer::refused(403, said))
        }
        Need::Repo(names, level) => in_repo(state, actor, names, level, repo),
    }
}

fn in_repo(
    state: &State,
    actor: Option<&Actor>,
    names: &[&str],
    level: AccessLevel,
    repo: Option<&str>,
) -> Result<(), Answer> {
    let name = repo.unwrap_or_default();
    let Some(repo) = state.repos.get(name) else { return Err(Answer::not_found()) };
    let has = |permissions| names.iter().any(|one| allows(permissions, one, level));
    match actor {
        None if repo.is_private => Err(Answer::not_found()),
        None if level == AccessLevel::Read => Ok(()),
        None => Err(Answer::refused(401, "Requires authentication")),
        Some(Actor::User(login)) => {
            let access = state.users.get(login).copied().unwrap_or(Access::None);
            user(access, names, level, repo.is_private)
        }
        Some(Actor::Actions { repo: own, permissions }) => {
            integration(own == name, has(permissions), repo.is_private)
        }
        Some(Actor::Installation { repos, permissions, .. }) => {
            integration(repos.contains(name), has(permissions), repo.is_private)
        }
        Some(Actor::App(_)) => Err(Answer::refused(403, INTEGRATION)),
    }
}

fn user(
    access: Access,
    names: &[&str],
    level: AccessLevel,
    is_private: bool,
) -> Result<(), Answer> {
    // Everyone who can see a pull request can comment on it.
    let least = match level {
        AccessLevel::Write if names.contains(&"issues") => Access::Read,
        AccessLevel::Write => Access::Write,
        AccessLevel::Read => Access::Read,
    };
    match access {
        Access::None if is_private => Err(Answer::not_found()),
        Access::None if level == AccessLevel::Read => Ok(()),
        _ if access >= least => Ok(()),
        _ => Err(Answer::refused(403, "Must have push access to the repository.")),
    }
}

/// GitHub shows public repositories to any App. Here, a report of the missing permission is more useful.
fn integration(is_own: bool, has: bool, is_private: bool) -> Result<(), Answer> {
    match (is_own, has) {
        (true, true) => Ok(()),
        (false, _) if is_private => Err(Answer::not_found()),
        _ => Err(Answer::refused(403, INTEGRATION)),
    }
}
