//! Objects that several webhook events contain.

use crate::ids::Branch;
use mend_github::AppId;
use mend_github::{InstallationId, PullNumber, RepoName};
use mend_model::CommitId;
use serde::Deserialize;

/// Repository of an event.
#[derive(Clone, Debug, Deserialize)]
pub struct RepositoryPayload {
    /// Name of the repository: `owner/name`.
    pub full_name: RepoName,
    /// The default branch, which pull requests target unless they name another one.
    pub default_branch: Branch,
}

/// Installation that the event was sent for. Events of repository webhooks have none.
#[derive(Clone, Copy, Debug, Deserialize)]
pub struct InstallationRef {
    /// Number of the installation.
    pub id: InstallationId,
}

/// Account on GitHub.
#[derive(Clone, Debug, Deserialize)]
pub struct UserPayload {
    /// Login name.
    pub login: String,
    /// Kind of the account.
    #[serde(rename = "type")]
    pub kind: UserKind,
}

/// Kind of an account.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq)]
pub enum UserKind {
    /// Account of an App, for example git-mend's own.
    Bot,
    /// Any other account.
    #[serde(other)]
    Other,
}

/// App that creates checks.
#[derive(Clone, Debug, Deserialize)]
pub struct AppPayload {
    /// Number of the App.
    pub id: AppId,
    /// Last part of the App's address.
    pub slug: Option<String>,
}

/// Repository that may be deleted, such as a fork.
#[derive(Clone, Debug, Deserialize)]
pub struct HeadRepository {
    /// Name of the repository: `owner/name`.
    pub full_name: RepoName,
}

/// Reference to a pull request in another event.
#[derive(Clone, Debug, Deserialize)]
pub struct PullRef {
    /// Number of the pull request.
    pub number: PullNumber,
    /// Head of the pull request.
    pub head: PullHead,
}

/// Head of a pull request.
#[derive(Clone, Debug, Deserialize)]
pub struct PullHead {
    /// Newest commit.
    pub sha: CommitId,
}

/// Conclusion of a check or a run.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq)]
#[serde(rename_all = "snake_case")]
pub enum EventConclusion {
    /// Everything passed.
    Success,
    /// At least one check failed.
    Failure,
    /// Timeout of at least one check.
    TimedOut,
    /// No result for the code: cancelled, skipped or neutral, for example.
    #[serde(other)]
    Other,
}

impl EventConclusion {
    /// Returns true for conclusions that the code may have caused.
    pub fn is_failure(self) -> bool {
        matches!(self, Self::Failure | Self::TimedOut)
    }
}
