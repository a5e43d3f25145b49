//! `workflow_run`: a run of a workflow of GitHub Actions.

use crate::ids::Branch;
use crate::webhook::event_payloads::payload::{
    EventConclusion, HeadRepository, InstallationRef, PullRef, RepositoryPayload,
};
use mend_github::RunId;
use mend_github::WorkflowId;
use mend_model::CommitId;
use serde::Deserialize;

/// Event about a workflow run.
#[derive(Clone, Debug, Deserialize)]
pub struct WorkflowRunEvent {
    /// The action.
    pub action: Action,
    /// The run.
    pub workflow_run: WorkflowRunPayload,
    /// The repository.
    pub repository: RepositoryPayload,
    /// The installation.
    pub installation: Option<InstallationRef>,
}

/// Action of a workflow run event.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// The run has completed.
    Completed,
    /// Other actions: requested, in progress.
    #[serde(other)]
    Other,
}

/// A run.
#[derive(Clone, Debug, Deserialize)]
pub struct WorkflowRunPayload {
    /// Its number.
    pub id: RunId,
    /// The workflow.
    pub workflow_id: WorkflowId,
    /// The attempt number, from 1.
    pub run_attempt: u32,
    /// The name of the event that started it.
    pub event: String,
    /// The conclusion, if completed.
    pub conclusion: Option<EventConclusion>,
    /// The branch that it ran on; none for a tag.
    pub head_branch: Option<Branch>,
    /// The commit that it ran on.
    pub head_sha: CommitId,
    /// The repository of the commit, for example a fork.
    pub head_repository: Option<HeadRepository>,
    /// Open pull requests of that branch, but for those of forks.
    #[serde(default)]
    pub pull_requests: Vec<PullRef>,
}
