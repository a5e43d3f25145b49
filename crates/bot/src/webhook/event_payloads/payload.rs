//! Parts of several events.

use crate::ids::Branch;
use mend_github::AppId;
use mend_github::{InstallationId, PullNumber, RepoName};
use mend_model::CommitId;
use serde::Deserialize;

/// The repository that an event is about.
#[derive(Clone, Debug, Deserialize)]
pub struct RepositoryPayload {
    /// `owner/name`.
    pub full_name: RepoName,
    /// The default branch, which pull requests target unless they name another one.
    pub default_branch: Branch,
}

/// The App's installation that an event was sent for; a webhook of a repository has none.
#[derive(Clone, Copy, Debug, Deserialize)]
pub struct InstallationRef {
    /// Its number.
    pub id: InstallationId,
}

/// Account on GitHub.
#[derive(Clone, Debug, Deserialize)]
pub struct UserPayload {
    /// The name that one is called by.
    pub login: String,
    /// A person, or a program.
    #[serde(rename = "type")]
    pub kind: UserKind,
}

/// Kind of an account.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq)]
pub enum UserKind {
    /// A program: our own App is one.
    Bot,
    /// Any other account.
    #[serde(other)]
    Other,
}

/// An App that makes checks.
#[derive(Clone, Debug, Deserialize)]
pub struct AppPayload {
    /// Its number.
    pub id: AppId,
    /// The last part of its address.
    pub slug: Option<String>,
}

/// Repository that may be deleted, such as a fork.
#[derive(Clone, Debug, Deserialize)]
pub struct HeadRepository {
    /// `owner/name`.
    pub full_name: RepoName,
}

/// A pull request as other events name it.
#[derive(Clone, Debug, Deserialize)]
pub struct PullRef {
    /// Its number.
    pub number: PullNumber,
    /// The commit that it proposes.
    pub head: PullHead,
}

/// Head of a pull request.
#[derive(Clone, Debug, Deserialize)]
pub struct PullHead {
    /// Its newest commit.
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
    /// Returns true if the code may be the cause.
    pub fn is_failure(self) -> bool {
        matches!(self, Self::Failure | Self::TimedOut)
    }
}
