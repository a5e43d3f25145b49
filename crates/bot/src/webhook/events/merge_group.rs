//! `merge_group`: pull requests that a merge queue tries together.

use crate::webhook::events::payload::{Installation, Repository};
use mend_model::CommitId;
use serde::Deserialize;

/// Something happened to a merge group.
#[derive(Clone, Debug, Deserialize)]
pub struct MergeGroupEvent {
    /// The action.
    pub action: Action,
    /// The group.
    pub merge_group: MergeGroup,
    /// The repository.
    pub repository: Repository,
    /// The installation.
    pub installation: Option<Installation>,
}

/// Action of a merge group event.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// It waits for its checks.
    ChecksRequested,
    /// It was merged, or fell apart.
    Destroyed,
    /// Anything else.
    #[serde(other)]
    Other,
}

/// A merge group.
#[derive(Clone, Debug, Deserialize)]
pub struct MergeGroup {
    /// The commit that would be merged.
    pub head_sha: CommitId,
    /// The branch that GitHub made for it, with `refs/heads/`.
    pub head_ref: String,
    /// The commit to merge onto.
    pub base_sha: CommitId,
}
