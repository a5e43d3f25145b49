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
    /// Whether it is gone now.
    pub deleted: bool,
    /// Where.
    pub repository: Repository,
    /// For whom.
    pub installation: Option<Installation>,
}
