//! `merge_group`: pull requests that a merge queue tries together.

use crate::webhook::event_payloads::payload::{InstallationRef, RepositoryPayload};
use mend_model::CommitId;
use serde::Deserialize;

/// Event about a merge group.
#[derive(Clone, Debug, Deserialize)]
pub struct MergeGroupEvent {
    /// The action.
    pub action: Action,
    /// The group.
    pub merge_group: MergeGroupPayload,
    /// The repository.
    pub repository: RepositoryPayload,
    /// The installation.
    pub installation: Option<InstallationRef>,
}

/// Action of a merge group event.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// The merge group waits for its checks.
    ChecksRequested,
    /// The merge group was merged or removed.
    Destroyed,
    /// Anything else.
    #[serde(other)]
    Other,
}

/// A merge group.
#[derive(Clone, Debug, Deserialize)]
pub struct MergeGroupPayload {
    /// The commit that would be merged.
    pub head_sha: CommitId,
    /// The branch that GitHub made for it, with `refs/heads/`.
    pub head_ref: String,
    /// The commit to merge onto.
    pub base_sha: CommitId,
}
