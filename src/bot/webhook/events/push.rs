//! `push`: a branch or tag that came, moved or went.

use super::common::{Installation, Repository};
use crate::git::CommitId;
use serde::Deserialize;

/// A push.
#[derive(Clone, Debug, Deserialize)]
pub struct PushEvent {
    /// What was pushed, with `refs/heads/` or `refs/tags/`.
    #[serde(rename = "ref")]
    pub name: String,
    /// The commit that it was; zeros if it is new.
    pub before: CommitId,
    /// The commit that it is; zeros if it is gone.
    pub after: CommitId,
    /// Whether it is gone now.
    pub deleted: bool,
    /// What came, at most the newest few thousand.
    #[serde(default)]
    pub commits: Vec<PushedCommit>,
    /// Where.
    pub repository: Repository,
    /// For whom.
    pub installation: Option<Installation>,
}

/// A commit that came.
#[derive(Clone, Debug, Deserialize)]
pub struct PushedCommit {
    /// What it says.
    pub message: String,
}
