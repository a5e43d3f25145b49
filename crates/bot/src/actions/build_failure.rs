//! Creates the failure to report from the event that started the workflow and from GitHub.

use super::event::{CompletedRun, WorkflowEvent};
use super::workflow::WorkflowContext;
use crate::{BuildFailure, SearchClaims};
use mend_github::{ApiResult, Pull, PullNumber, Repo};

impl BuildFailure {
    /// Creates the failure that this workflow reports. Asks GitHub for the pull request by its commit, because events
    /// of forks lack the pull request.
    ///
    /// # Errors
    /// GitHub's error.
    pub async fn from_workflow(
        workflow: &WorkflowContext,
        repo: &Repo,
        claims: SearchClaims,
    ) -> ApiResult<Self> {
        let queue = workflow.merge_queue_branch();
        let (head, branch, number, page) = match &workflow.event {
            WorkflowEvent::HeadCommit | WorkflowEvent::MergeGroup { .. } => {
                let branch = workflow.pushed_branch().map(str::to_owned);
                (workflow.sha.clone(), branch, None, workflow.run_page_url())
            }
            WorkflowEvent::PullRequest { number, head, .. } => {
                (head.clone(), None, Some(*number), workflow.run_page_url())
            }
            WorkflowEvent::RepositoryDispatch(asked) => {
                // This is the branch of the pull request, and may be of a fork. It is known with the pull request.
                let branch = asked.pull.is_none().then(|| asked.branch.clone());
                (asked.head.clone(), branch, asked.pull, workflow.run_page_url())
            }
            WorkflowEvent::CompletedWorkflowRun(cause) => {
                let number = find_pull(cause, repo).await?;
                let is_own_repo = cause.repo.as_ref() == Some(repo.name());
                let branch = cause.branch.clone().filter(|_| is_own_repo);
                (cause.head.clone(), branch, number, Some(cause.page_url.clone()))
            }
        };
        // GitHub owns the branch of a merge queue and deletes it soon.
        let branch = branch.filter(|_| queue.is_none());
        let pull = match number {
            Some(number) => Some(repo.get_pull(number).await?),
            None => None,
        };
        let branch = branch.or_else(|| own_branch(pull.as_ref()?, repo));
        let file = match &workflow.event {
            WorkflowEvent::CompletedWorkflowRun(cause) => cause.workflow.clone(),
            _ => workflow.workflow_path(),
        };
        Ok(Self { head, branch, pull, queue, workflow: file, claims, details_url: page })
    }
}

/// Returns the branch of a pull request, if it is in the repository itself.
fn own_branch(pull: &Pull, repo: &Repo) -> Option<String> {
    (pull.head_repo.as_ref() == Some(repo.name())).then(|| pull.head_branch.clone())
}

/// Returns the pull request that another workflow ran for.
async fn find_pull(cause: &CompletedRun, repo: &Repo) -> ApiResult<Option<PullNumber>> {
    if !cause.is_for_pull_request {
        return Ok(None);
    }
    let is_same_head = |pull: &Pull| pull.head == cause.head && pull.head_repo == cause.repo;
    for number in &cause.pull_numbers {
        if repo.get_pull(*number).await.is_ok_and(|pull| is_same_head(&pull)) {
            return Ok(Some(*number));
        }
    }
    Ok(repo.list_open_pulls().await?.into_iter().find(is_same_head).map(|pull| pull.number))
}
