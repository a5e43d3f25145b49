//! `workflow_run`: a run of a workflow of GitHub Actions.

use super::common::{Conclusion, HeadRepository, Installation, PullRef, Repository};
use crate::bot::ids::{Branch, WorkflowId};
use crate::git::CommitId;
use crate::github::RunId;
use serde::Deserialize;

/// Something happened to a run.
#[derive(Clone, Debug, Deserialize)]
pub struct WorkflowRunEvent {
    /// What happened.
    pub action: Action,
    /// The run.
    pub workflow_run: WorkflowRun,
    /// Where.
    pub repository: Repository,
    /// For whom.
    pub installation: Option<Installation>,
}

/// What happened to a run.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// It ended.
    Completed,
    /// It is about to start, or goes on.
    #[serde(other)]
    Other,
}

/// A run.
#[derive(Clone, Debug, Deserialize)]
pub struct WorkflowRun {
    /// Its number.
    pub id: RunId,
    /// The workflow.
    pub workflow_id: WorkflowId,
    /// How often it was run; the first time is 1.
    pub run_attempt: u32,
    /// What it was started by.
    pub event: String,
    /// How it ended, if it did.
    pub conclusion: Option<Conclusion>,
    /// The branch that it ran on; none for a tag.
    pub head_branch: Option<Branch>,
    /// The commit that it ran on.
    pub head_sha: CommitId,
    /// Where the commit comes from: a fork has another repository.
    pub head_repository: Option<HeadRepository>,
    /// Open pull requests of that branch, but for those of forks.
    #[serde(default)]
    pub pull_requests: Vec<PullRef>,
}
