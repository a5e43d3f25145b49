//! Payload of the event `push`, about a created, updated or deleted branch or tag.

use crate::webhook::event_payloads::payload::{InstallationRef, RepositoryPayload};
use mend_model::CommitId;
use serde::Deserialize;

/// Push event.
#[derive(Clone, Debug, Deserialize)]
pub struct PushEvent {
    /// The pushed reference, with `refs/heads/` or `refs/tags/`.
    #[serde(rename = "ref")]
    pub ref_name: String,
    /// Previous commit, or zeros if the reference is new.
    pub before: CommitId,
    /// New commit, or zeros if the reference was deleted.
    pub after: CommitId,
    /// True if the reference was deleted.
    pub deleted: bool,
    /// Pushed commits. GitHub limits their number to a few thousand.
    #[serde(default)]
    pub commits: Vec<PushedCommit>,
    /// Repository.
    pub repository: RepositoryPayload,
    /// Installation of the App.
    pub installation: Option<InstallationRef>,
}

/// Pushed commit.
#[derive(Clone, Debug, Deserialize)]
pub struct PushedCommit {
    /// Commit message.
    pub message: String,
}
