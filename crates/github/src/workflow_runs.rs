//! Runs of GitHub Actions workflows.

use super::error::ApiResult;
use super::names::{RunId, encode_segment};
use super::repo::Repo;
use jiff::Timestamp;
use mend_model::CommitId;
use serde::Deserialize;

/// A run of a workflow.
#[derive(Clone, Debug, Deserialize)]
pub struct WorkflowRun {
    /// Id of the workflow, which does not change when it is renamed.
    pub workflow_id: u64,
    /// The commit that it ran on.
    pub head_sha: CommitId,
    /// The time of the request.
    #[serde(default)]
    pub created_at: Option<Timestamp>,
    /// The title of the run.
    #[serde(default)]
    pub display_title: Option<String>,
    /// The name of the workflow.
    #[serde(default)]
    pub name: Option<String>,
    /// File of the workflow; GitHub may append a reference.
    #[serde(default)]
    pub path: Option<String>,
    #[serde(default)]
    status: Option<String>,
    /// Its page.
    pub html_url: String,
}

impl WorkflowRun {
    /// Returns true if it has completed.
    pub fn is_completed(&self) -> bool {
        self.status.as_deref() == Some("completed")
    }
}

impl Repo {
    /// Fetches a workflow run.
    ///
    /// # Errors
    /// GitHub's error.
    pub async fn get_workflow_run(&self, id: RunId) -> ApiResult<WorkflowRun> {
        self.client.get(&self.api_route(&format!("/actions/runs/{id}"))).await
    }

    /// Returns the newest runs started by a `repository_dispatch` since a time, at most a hundred.
    ///
    /// # Errors
    /// GitHub's error.
    pub async fn list_dispatched_runs(&self, since: Timestamp) -> ApiResult<Vec<WorkflowRun>> {
        let route = self.api_route("/actions/runs?event=repository_dispatch");
        let runs: Vec<WorkflowRun> = self.client.list(&route, Some("workflow_runs"), 1).await?;
        let is_new = |run: &WorkflowRun| run.created_at.is_none_or(|time| time >= since);
        Ok(runs.into_iter().filter(is_new).collect())
    }

    /// Fetches the commits of a branch on which a workflow passed, newest first, at most a hundred.
    ///
    /// # Errors
    /// GitHub's error.
    pub async fn list_passing_commits(
        &self,
        workflow_id: u64,
        branch: &str,
    ) -> ApiResult<Vec<CommitId>> {
        let branch = encode_segment(branch);
        let query = format!("branch={branch}&status=success&exclude_pull_requests=true");
        let route = self.api_route(&format!("/actions/workflows/{workflow_id}/runs?{query}"));
        let runs: Vec<WorkflowRun> = self.client.list(&route, Some("workflow_runs"), 1).await?;
        Ok(runs.into_iter().map(|run| run.head_sha).collect())
    }
}
