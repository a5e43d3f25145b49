//! `push`: a branch or tag that came, moved or went.

use crate::webhook::event_payloads::payload::{InstallationRef, RepositoryPayload};
use mend_model::CommitId;
use serde::Deserialize;

/// A push.
#[derive(Clone, Debug, Deserialize)]
pub struct PushEvent {
    /// The pushed reference, with `refs/heads/` or `refs/tags/`.
    #[serde(rename = "ref")]
    pub ref_name: String,
    /// The commit that it was; zeros if it is new.
    pub before: CommitId,
    /// The new commit, or zeros if the reference was deleted.
    pub after: CommitId,
    /// True if it was deleted.
    pub deleted: bool,
    /// The pushed commits, at most the newest few thousand.
    #[serde(default)]
    pub commits: Vec<PushedCommit>,
    /// The repository.
    pub repository: RepositoryPayload,
    /// The installation.
    pub installation: Option<InstallationRef>,
}

/// A commit that came.
#[derive(Clone, Debug, Deserialize)]
pub struct PushedCommit {
    /// The commit message.
    pub message: String,
}
