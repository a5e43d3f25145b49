//! Payload of the event `pull_request`.

use crate::ids::Branch;
use crate::webhook::event_payloads::payload::{HeadRepository, InstallationRef, RepositoryPayload};
use mend_github::PullNumber;
use mend_model::CommitId;
use serde::Deserialize;

/// Event about a pull request.
#[derive(Clone, Debug, Deserialize)]
pub struct PullRequestEvent {
    /// Action of the event.
    pub action: Action,
    /// Number of the pull request.
    pub number: PullNumber,
    /// Current state of the pull request.
    pub pull_request: PullRequestPayload,
    /// Previous head commit, if it changed.
    pub before: Option<CommitId>,
    /// Repository.
    pub repository: RepositoryPayload,
    /// Installation of the App.
    pub installation: Option<InstallationRef>,
}

/// Action of a pull request event.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// The branch has a new head commit.
    Synchronize,
    /// Merged, or closed without a merge.
    Closed,
    /// Unknown action.
    #[serde(other)]
    Other,
}

/// A pull request.
#[derive(Clone, Debug, Deserialize)]
pub struct PullRequestPayload {
    /// True if it was merged.
    #[serde(default)]
    pub merged: bool,
    /// Head of the pull request.
    pub head: HeadPayload,
}

/// Head of a pull request.
#[derive(Clone, Debug, Deserialize)]
pub struct HeadPayload {
    /// Name of the branch.
    #[serde(rename = "ref")]
    pub branch: Branch,
    /// Newest commit.
    pub sha: CommitId,
    /// Repository of the branch, or `None` for a deleted fork.
    pub repo: Option<HeadRepository>,
}
