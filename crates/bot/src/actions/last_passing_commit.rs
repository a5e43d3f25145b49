//! Finds the newest ancestor of a failing commit on which the workflow passed.

use super::workflow::WorkflowContext;
use mend_git::Repository;
use mend_github::{ApiResult, Repo};
use mend_model::CommitId;
use mend_model::Result;

/// Returns the newest passing commit of the branch that is an ancestor of `bad`, according to GitHub and the clone.
/// Returns `None` if there is none or the job has no token.
///
/// # Errors
/// GitHub's error, or an error of git in the clone.
pub async fn last_passing_commit(
    workflow: &WorkflowContext,
    repo: &Repo,
    repository: &Repository,
    bad: &CommitId,
) -> Result<Option<CommitId>> {
    let passing = passing_commits(workflow, repo).await;
    for commit in
        passing.map_err(|error| error.into_problem("listing passing commits on GitHub"))?
    {
        // The search covers only commits of the clone.
        let is_in_clone = repository.commit(&commit).is_ok();
        if is_in_clone && commit != *bad && repository.is_ancestor(&commit, bad)? {
            return Ok(Some(commit));
        }
    }
    Ok(None)
}

async fn passing_commits(workflow: &WorkflowContext, repo: &Repo) -> ApiResult<Vec<CommitId>> {
    let (Some(run), Some(branch)) = (workflow.run_id, workflow.target_branch()) else {
        return Ok(Vec::new());
    };
    let workflow_id = repo.get_workflow_run(run).await?.workflow_id;
    repo.list_passing_commits(workflow_id, branch).await
}
