//! Payload of the event `check_suite`, about all checks of one App for one commit.

use crate::ids::Branch;
use crate::webhook::event_payloads::payload::{
    AppPayload, EventConclusion, InstallationRef, PullRef, RepositoryPayload,
};
use mend_github::CheckSuiteId;
use mend_model::CommitId;
use serde::Deserialize;

/// Event about a check suite.
#[derive(Clone, Debug, Deserialize)]
pub struct CheckSuiteEvent {
    /// Action of the event.
    pub action: Action,
    /// Check suite.
    pub check_suite: CheckSuitePayload,
    /// Repository.
    pub repository: RepositoryPayload,
    /// Installation of the App.
    pub installation: Option<InstallationRef>,
}

/// Action of a check suite event.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// All checks have completed.
    Completed,
    /// A user re-ran the checks: sent to the App that created them.
    Rerequested,
    /// Other actions, such as a request to check a new commit.
    #[serde(other)]
    Other,
}

/// A check suite.
#[derive(Clone, Debug, Deserialize)]
pub struct CheckSuitePayload {
    /// Number of the check suite.
    pub id: CheckSuiteId,
    /// Branch of the commit; `None` for a tag or a fork.
    pub head_branch: Option<Branch>,
    /// Commit of the check suite.
    pub head_sha: CommitId,
    /// Conclusion, if completed.
    pub conclusion: Option<EventConclusion>,
    /// App that created the check suite.
    pub app: AppPayload,
    /// Open pull requests of the branch, except those of forks.
    #[serde(default)]
    pub pull_requests: Vec<PullRef>,
}
