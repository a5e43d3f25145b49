//! `check_run`: one check of a commit.

use super::common::{App, Installation, PullRef, Repository};
use crate::bot::ids::Branch;
use crate::git::CommitId;
use crate::github::CheckRunId;
use serde::Deserialize;

/// Something happened to a check run.
#[derive(Clone, Debug, Deserialize)]
pub struct CheckRunEvent {
    /// What happened.
    pub action: Action,
    /// The check run.
    pub check_run: CheckRun,
    /// The button that was pressed.
    pub requested_action: Option<RequestedAction>,
    /// Where.
    pub repository: Repository,
    /// For whom.
    pub installation: Option<Installation>,
}

/// What happened to a check run.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// Somebody wants it again: sent to the App that made it.
    Rerequested,
    /// Somebody pressed one of its buttons: sent to the App that made it.
    #[serde(rename = "requested_action")]
    Pressed,
    /// Made, or ended.
    #[serde(other)]
    Other,
}

/// A check run.
#[derive(Clone, Debug, Deserialize)]
pub struct CheckRun {
    /// Its number.
    pub id: CheckRunId,
    /// The commit.
    pub head_sha: CommitId,
    /// The suite that it belongs to.
    pub check_suite: Suite,
    /// Whose it is.
    pub app: App,
    /// Open pull requests of that branch, but for those of forks.
    #[serde(default)]
    pub pull_requests: Vec<PullRef>,
}

/// The suite of a check run.
#[derive(Clone, Debug, Deserialize)]
pub struct Suite {
    /// The branch of the commit; none for a tag or a fork.
    pub head_branch: Option<Branch>,
}

/// A button that was pressed.
#[derive(Clone, Debug, Deserialize)]
pub struct RequestedAction {
    /// As the check run named it.
    pub identifier: String,
}
