//! `pull_request`: what happens to a pull request.

use super::common::{HeadRepository, Installation, Repository};
use crate::bot::ids::Branch;
use crate::git::CommitId;
use crate::github::PullNumber;
use serde::Deserialize;

/// Something happened to a pull request.
#[derive(Clone, Debug, Deserialize)]
pub struct PullRequestEvent {
    /// What happened.
    pub action: Action,
    /// Which.
    pub number: PullNumber,
    /// The pull request as it is now.
    pub pull_request: PullRequest,
    /// What its head was, where that changed.
    pub before: Option<CommitId>,
    /// Where.
    pub repository: Repository,
    /// For whom.
    pub installation: Option<Installation>,
}

/// What happened to a pull request.
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
    /// What it proposes.
    pub head: Head,
}

/// What a pull request proposes.
#[derive(Clone, Debug, Deserialize)]
pub struct Head {
    /// The branch.
    #[serde(rename = "ref")]
    pub branch: Branch,
    /// Its newest commit.
    pub sha: CommitId,
    /// Where the branch is; a fork may be gone.
    pub repo: Option<HeadRepository>,
}
