//! The newest commit on which the workflow was green, and which what fails comes after.

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
pub async fn last_green(
    workflow: &WorkflowContext,
    repo: &Repo,
    repository: &Repository,
    bad: &CommitId,
) -> Result<Option<CommitId>> {
    let known = green(workflow, repo).await;
    for commit in known.map_err(|error| error.while_doing("listing passing commits on GitHub"))? {
        // A commit that the clone lacks is not in the history that can be searched.
        let is_here = repository.commit(&commit).is_ok();
        if is_here && commit != *bad && repository.is_ancestor(&commit, bad)? {
            return Ok(Some(commit));
        }
    }
    Ok(None)
}

async fn green(workflow: &WorkflowContext, repo: &Repo) -> ApiResult<Vec<CommitId>> {
    let (Some(run), Some(branch)) = (workflow.run, workflow.base_branch()) else {
        return Ok(Vec::new());
    };
    let workflow_id = repo.workflow_run(run).await?.workflow_id;
    repo.green_commits(workflow_id, branch).await
}
