//! `check_suite`: all checks that one App made for one commit.

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
    /// The action.
    pub action: Action,
    /// The suite.
    pub check_suite: CheckSuitePayload,
    /// The repository.
    pub repository: RepositoryPayload,
    /// The installation.
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
    /// A commit is there to be checked.
    #[serde(other)]
    Other,
}

/// A check suite.
#[derive(Clone, Debug, Deserialize)]
pub struct CheckSuitePayload {
    /// Its number.
    pub id: CheckSuiteId,
    /// The branch of the commit; none for a tag or a fork.
    pub head_branch: Option<Branch>,
    /// The commit.
    pub head_sha: CommitId,
    /// The conclusion, if completed.
    pub conclusion: Option<EventConclusion>,
    /// App that created the check suite.
    pub app: AppPayload,
    /// Open pull requests of that branch, but for those of forks.
    #[serde(default)]
    pub pull_requests: Vec<PullRef>,
}
