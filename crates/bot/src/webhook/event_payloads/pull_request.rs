//! `pull_request`: what happens to a pull request.

use crate::ids::Branch;
use crate::webhook::event_payloads::payload::{HeadRepository, InstallationRef, RepositoryPayload};
use mend_github::PullNumber;
use mend_model::CommitId;
use serde::Deserialize;

/// Event about a pull request.
#[derive(Clone, Debug, Deserialize)]
pub struct PullRequestEvent {
    /// The action.
    pub action: Action,
    /// The number of the pull request.
    pub number: PullNumber,
    /// The pull request as it is now.
    pub pull_request: PullRequestPayload,
    /// The previous head, if it changed.
    pub before: Option<CommitId>,
    /// The repository.
    pub repository: RepositoryPayload,
    /// The installation.
    pub installation: Option<InstallationRef>,
}

/// Action of a pull request event.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// The branch has a new head commit.
    Synchronize,
    /// Merged or given up.
    Closed,
    /// Anything else.
    #[serde(other)]
    Other,
}

/// A pull request.
#[derive(Clone, Debug, Deserialize)]
pub struct PullRequestPayload {
    /// The head of the pull request.
    pub head: HeadPayload,
}

/// Head of a pull request.
#[derive(Clone, Debug, Deserialize)]
pub struct HeadPayload {
    /// The branch.
    #[serde(rename = "ref")]
    pub branch: Branch,
    /// Its newest commit.
    pub sha: CommitId,
    /// The repository of the branch, or `None` for a deleted fork.
    pub repo: Option<HeadRepository>,
}
