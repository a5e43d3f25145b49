//! `check_run`: one check of a commit.

use crate::ids::Branch;
use crate::webhook::event_payloads::payload::{
    AppPayload, InstallationRef, PullRef, RepositoryPayload,
};
use mend_github::CheckRunId;
use mend_model::CommitId;
use serde::Deserialize;

/// Event about a check run.
#[derive(Clone, Debug, Deserialize)]
pub struct CheckRunEvent {
    /// The action.
    pub action: Action,
    /// The check run.
    pub check_run: CheckRunPayload,
    /// The button that was pressed.
    pub requested_action: Option<RequestedAction>,
    /// The repository.
    pub repository: RepositoryPayload,
    /// The installation.
    pub installation: Option<InstallationRef>,
}

/// Action of a check run event.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// A user re-ran the check: sent to the App that created it.
    Rerequested,
    /// A user pressed a button of the check: sent to the App that created it.
    #[serde(rename = "requested_action")]
    Pressed,
    /// Made, or ended.
    #[serde(other)]
    Other,
}

/// A check run.
#[derive(Clone, Debug, Deserialize)]
pub struct CheckRunPayload {
    /// Its number.
    pub id: CheckRunId,
    /// The commit.
    pub head_sha: CommitId,
    /// The suite that it belongs to.
    pub check_suite: SuitePayload,
    /// App that created the check run.
    pub app: AppPayload,
    /// Open pull requests of that branch, but for those of forks.
    #[serde(default)]
    pub pull_requests: Vec<PullRef>,
}

/// The suite of a check run.
#[derive(Clone, Debug, Deserialize)]
pub struct SuitePayload {
    /// The branch of the commit; none for a tag or a fork.
    pub head_branch: Option<Branch>,
}

/// A button that was pressed.
#[derive(Clone, Debug, Deserialize)]
pub struct RequestedAction {
    /// The identifier from the check run.
    pub identifier: String,
}
