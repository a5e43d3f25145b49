//! `check_suite`: all checks that one App made for one commit.

use crate::ids::{Branch, CheckSuiteId};
use crate::webhook::events::payload::{App, Conclusion, Installation, PullRef, Repository};
use mend_model::CommitId;
use serde::Deserialize;

/// Something happened to a check suite.
#[derive(Clone, Debug, Deserialize)]
pub struct CheckSuiteEvent {
    /// The action.
    pub action: Action,
    /// The suite.
    pub check_suite: CheckSuite,
    /// The repository.
    pub repository: Repository,
    /// The installation.
    pub installation: Option<Installation>,
}

/// Action of a check suite event.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// All its checks ended.
    Completed,
    /// A user re-ran the checks: sent to the App that created them.
    Rerequested,
    /// A commit is there to be checked.
    #[serde(other)]
    Other,
}

/// A check suite.
#[derive(Clone, Debug, Deserialize)]
pub struct CheckSuite {
    /// Its number.
    pub id: CheckSuiteId,
    /// The branch of the commit; none for a tag or a fork.
    pub head_branch: Option<Branch>,
    /// The commit.
    pub head_sha: CommitId,
    /// The conclusion, if completed.
    pub conclusion: Option<Conclusion>,
    /// Whose checks these are.
    pub app: App,
    /// Open pull requests of that branch, but for those of forks.
    #[serde(default)]
    pub pull_requests: Vec<PullRef>,
}
