//! `pull_request`: what happens to a pull request.

use crate::ids::Branch;
use crate::webhook::events::payload::{HeadRepository, Installation, Repository};
use mend_github::PullNumber;
use mend_model::CommitId;
use serde::Deserialize;

/// Something happened to a pull request.
#[derive(Clone, Debug, Deserialize)]
pub struct PullRequestEvent {
    /// The action.
    pub action: Action,
    /// The number of the pull request.
    pub number: PullNumber,
    /// The pull request as it is now.
    pub pull_request: PullRequest,
    /// The previous head, if it changed.
    pub before: Option<CommitId>,
    /// The repository.
    pub repository: Repository,
    /// The installation.
    pub installation: Option<Installation>,
}

/// Action of a pull request event.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// Its branch moved on.
    Synchronize,
    /// Merged or given up.
    Closed,
    /// Anything else.
    #[serde(other)]
    Other,
}

/// A pull request.
#[derive(Clone, Debug, Deserialize)]
pub struct PullRequest {
    /// The head of the pull request.
    pub head: Head,
}

/// Head of a pull request.
#[derive(Clone, Debug, Deserialize)]
pub struct Head {
    /// The branch.
    #[serde(rename = "ref")]
    pub branch: Branch,
    /// Its newest commit.
    pub sha: CommitId,
    /// The repository of the branch, or `None` for a deleted fork.
    pub repo: Option<HeadRepository>,
}
