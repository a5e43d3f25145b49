//! Payload of the event `merge_group`, about pull requests that a merge queue tests together.

use crate::webhook::event_payloads::payload::{InstallationRef, RepositoryPayload};
use mend_model::CommitId;
use serde::Deserialize;

/// Event about a merge group.
#[derive(Clone, Debug, Deserialize)]
pub struct MergeGroupEvent {
    /// Action of the event.
    pub action: Action,
    /// Merge group.
    pub merge_group: MergeGroupPayload,
    /// Repository.
    pub repository: RepositoryPayload,
    /// Installation of the App.
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
    /// Unknown action.
    #[serde(other)]
    Other,
}

/// A merge group.
#[derive(Clone, Debug, Deserialize)]
pub struct MergeGroupPayload {
    /// Commit to be merged.
    pub head_sha: CommitId,
    /// Branch that GitHub created for the group, with `refs/heads/`.
    pub head_ref: String,
    /// Commit to merge onto.
    pub base_sha: CommitId,
}
