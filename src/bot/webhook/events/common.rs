//! What several events have in them.

use crate::bot::ids::{AppId, Branch};
use crate::git::CommitId;
use crate::github::{InstallationId, PullNumber, RepoName};
use serde::Deserialize;

/// The repository that an event is about.
#[derive(Clone, Debug, Deserialize)]
pub struct Repository {
    /// `owner/name`.
    pub full_name: RepoName,
    /// What pull requests are merged into, unless they say otherwise.
    pub default_branch: Branch,
}

/// The App's installation that an event was sent for; a webhook of a repository has none.
#[derive(Clone, Copy, Debug, Deserialize)]
pub struct Installation {
    /// Its number.
    pub id: InstallationId,
}

/// Somebody on GitHub.
#[derive(Clone, Debug, Deserialize)]
pub struct User {
    /// The name that one is called by.
    pub login: String,
    /// A person, or a program.
    #[serde(rename = "type")]
    pub kind: UserKind,
}

/// What an account is.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq)]
pub enum UserKind {
    /// A program: our own App is one.
    Bot,
    /// Anybody else.
    #[serde(other)]
    Other,
}

/// An App that makes checks.
#[derive(Clone, Debug, Deserialize)]
pub struct App {
    /// Its number.
    pub id: AppId,
    /// What its address ends with.
    pub slug: Option<String>,
}

/// A repository that may be gone, such as a deleted fork.
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

/// What a pull request proposes.
#[derive(Clone, Debug, Deserialize)]
pub struct PullHead {
    /// Its newest commit.
    pub sha: CommitId,
}

/// How a check or a run ended.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq)]
#[serde(rename_all = "snake_case")]
pub enum Conclusion {
    /// Everything passed.
    Success,
    /// Something failed.
    Failure,
    /// Something did not end.
    TimedOut,
    /// Says nothing about the code: cancelled, skipped, neutral and the like.
    #[serde(other)]
    Other,
}

impl Conclusion {
    /// Whether the code may be at fault.
    pub fn is_failure(self) -> bool {
        matches!(self, Self::Failure | Self::TimedOut)
    }
}
