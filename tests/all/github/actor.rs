//! Actors of the fake GitHub and their permissions.

use mend_github::{AccessLevel, Permission};
use std::collections::{BTreeMap, BTreeSet};

/// Permissions, by GitHub's names.
pub(crate) type Permissions = BTreeMap<String, AccessLevel>;

/// Permissions of a user in every repository.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Access {
    None,
    Read,
    Triage,
    Write,
    Maintain,
    Admin,
}

impl Access {
    pub(super) fn role(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Read => "read",
            Self::Triage => "triage",
            Self::Write => "write",
            Self::Maintain => "maintain",
            Self::Admin => "admin",
        }
    }

    /// Returns the permission on GitHub's older scale of four levels.
    pub(super) fn legacy_permission(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Read | Self::Triage => "read",
            Self::Write | Self::Maintain => "write",
            Self::Admin => "admin",
        }
    }
}

/// Owner of a token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Actor {
    /// User account.
    User(String),
    /// Workflow of a repository, with its `GITHUB_TOKEN`.
    Actions { repo: String, permissions: Permissions },
    /// Installation of an App.
    Installation { app: u64, slug: String, repos: BTreeSet<String>, permissions: Permissions },
    /// App itself, without an installation.
    App(u64),
}

/// App id of GitHub Actions.
const ACTIONS_APP_ID: u64 = 15_368;

impl Actor {
    pub(crate) fn user(login: &str) -> Self {
        Self::User(login.to_owned())
    }

    /// Creates the actor of a workflow token. `permissions` is the setting in the workflow file.
    pub(crate) fn actions(repo: &str, permissions: &[Permission]) -> Self {
        Self::Actions { repo: repo.to_owned(), permissions: to_permissions(permissions) }
    }

    /// Creates the actor of an App's installation in one repository.
    pub(crate) fn installation(slug: &str, repo: &str, permissions: &[Permission]) -> Self {
        Self::Installation {
            app: 7,
            slug: slug.to_owned(),
            repos: BTreeSet::from([repo.to_owned()]),
            permissions: to_permissions(permissions),
        }
    }

    pub(super) fn login(&self) -> String {
        match self {
            Self::User(login) => login.clone(),
            Self::Actions { .. } => "github-actions[bot]".to_owned(),
            Self::Installation { slug, .. } => format!("{slug}[bot]"),
            Self::App(id) => format!("app-{id}"),
        }
    }

    /// Returns the App that may write check runs, if the actor is one.
    pub(super) fn app(&self) -> Option<(u64, String)> {
        match self {
            Self::Actions { .. } => Some((ACTIONS_APP_ID, "github-actions".to_owned())),
            Self::Installation { app, slug, .. } => Some((*app, slug.clone())),
            Self::User(_) | Self::App(_) => None,
        }
    }

    pub(super) fn is_bot(&self) -> bool {
        self.app().is_some()
    }
}

/// Creates a list of permissions, which always includes reading metadata.
pub(super) fn to_permissions(list: &[Permission]) -> Permissions {
    let metadata = [("metadata", AccessLevel::Read)];
    list.iter().chain(&metadata).map(|(name, level)| ((*name).to_owned(), *level)).collect()
}

/// Returns true if permissions include at least this one.
pub(super) fn has_permission(permissions: &Permissions, name: &str, level: AccessLevel) -> bool {
    permissions
        .get(name)
        .is_some_and(|has| level == AccessLevel::Read || *has == AccessLevel::Write)
}
