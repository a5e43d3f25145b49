//! Payload of the event `workflow_run`, about a run of a GitHub Actions workflow.

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
    /// Action of the event.
    pub action: Action,
    /// Workflow run.
    pub workflow_run: WorkflowRunPayload,
    /// Repository.
    pub repository: RepositoryPayload,
    /// Installation of the App.
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

/// Workflow run.
#[derive(Clone, Debug, Deserialize)]
pub struct WorkflowRunPayload {
    /// Number of the run.
    pub id: RunId,
    /// Workflow of the run.
    pub workflow_id: WorkflowId,
    /// The attempt number, from 1.
    pub run_attempt: u32,
    /// Name of the event that started the run.
    pub event: String,
    /// Conclusion, if completed.
    pub conclusion: Option<EventConclusion>,
    /// Branch of the commit; `None` for a tag.
    pub head_branch: Option<Branch>,
    /// Tested commit.
    pub head_sha: CommitId,
    /// Repository of the commit, for example a fork.
    pub head_repository: Option<HeadRepository>,
    /// Open pull requests of the branch, except those of forks.
    #[serde(default)]
    pub pull_requests: Vec<PullRef>,
}
