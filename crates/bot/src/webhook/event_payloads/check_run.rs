//! Payload of the event `check_run`, about one check of a commit.

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
    /// Action of the event.
    pub action: Action,
    /// Check run.
    pub check_run: CheckRunPayload,
    /// Pressed button.
    pub requested_action: Option<RequestedAction>,
    /// Repository.
    pub repository: RepositoryPayload,
    /// Installation of the App.
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
    /// Other actions: created, completed.
    #[serde(other)]
    Other,
}

/// A check run.
#[derive(Clone, Debug, Deserialize)]
pub struct CheckRunPayload {
    /// Number of the check run.
    pub id: CheckRunId,
    /// Commit of the check run.
    pub head_sha: CommitId,
    /// Check suite that contains the check run.
    pub check_suite: SuitePayload,
    /// App that created the check run.
    pub app: AppPayload,
    /// Open pull requests of the branch, except those of forks.
    #[serde(default)]
    pub pull_requests: Vec<PullRef>,
}

/// Check suite of a check run.
#[derive(Clone, Debug, Deserialize)]
pub struct SuitePayload {
    /// Branch of the commit; `None` for a tag or a fork.
    pub head_branch: Option<Branch>,
}

/// Pressed button.
#[derive(Clone, Debug, Deserialize)]
pub struct RequestedAction {
    /// Identifier of the button, from the check run.
    pub identifier: String,
}
