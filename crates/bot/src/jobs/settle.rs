//! Job that ends work and output about failures that no longer exist: searches, fix pull requests and comments.

use crate::MergeQueueBranch;
use crate::ids::Branch;
use crate::jobs::job_runner::JobRunner;
use crate::jobs::job_stop::JobStop;
use crate::publishing::{
    BranchTip, PassingChecks, SettledOutput, passes_again, settle_branch, settle_merge_group,
    settle_merged_pull,
};
use crate::queue::{Job, JobOutcome};
use crate::task::{JobSelection, SEARCH_KIND};
use mend_github::{AccessLevel, Permission, Repo, RepoName};
use mend_model::{CommitId, format_count};

/// Permissions to close a pull request, to delete its branch, and to edit a comment.
const SETTLE_PERMISSIONS: [Permission; 3] = [
    ("contents", AccessLevel::Write),
    ("pull_requests", AccessLevel::Write),
    ("checks", AccessLevel::Read),
];

impl JobRunner {
    /// Ends the work and the output that a passing or reverting commit, or a merge, makes obsolete.
    pub(super) async fn settle(&self, job: &Job, has_passed: bool) -> Result<JobOutcome, JobStop> {
        let repo = self.connect_repo(job, &SETTLE_PERMISSIONS).await?;
        let subject = &job.subject;
        let settled = match (&subject.branch, &subject.sha, subject.pull) {
            (Some(branch), Some(commit), _) => {
                self.settle_commit(job, &repo, (branch, commit), has_passed).await?
            }
            (None, None, Some(pull)) => settle_merged_pull(&repo, pull).await,
            _ => return Err(JobStop::Obsolete("the event names no commit")),
        };
        let counts = [
            format!("closed {}", format_count(settled.pulls.changed.len(), "pull request")),
            format!("edited {}", format_count(settled.comments.changed.len(), "comment")),
        ];
        if let Some(error) = settled.into_error() {
            return Err(error.into());
        }
        Ok(JobOutcome::Done { message: counts.join(", "), link: None })
    }

    /// Ends what a commit of a branch, perhaps of a fork, or of a merge queue makes obsolete.
    async fn settle_commit(
        &self,
        job: &Job,
        repo: &Repo,
        (branch, commit): (&Branch, &CommitId),
        has_passed: bool,
    ) -> Result<SettledOutput, JobStop> {
        if let Some(queue) = MergeQueueBranch::parse(branch.as_str()) {
            return Ok(settle_merge_group(repo, &queue, commit, PassingChecks::Unknown).await);
        }
        let Some(head_repo) = &job.subject.head_repository else {
            return Err(JobStop::Obsolete("the fork was deleted"));
        };
        if has_passed {
            self.cancel_searches(job, repo, (head_repo, branch), commit).await?;
        }
        let passing_checks = has_passed.then_some(PassingChecks::Unknown);
        let tip = BranchTip { repo: head_repo, branch: branch.as_str(), commit, passing_checks };
        Ok(settle_branch(repo, tip).await?)
    }

    /// Cancels the searches for earlier commits of a branch whose failed checks pass now. A later job finishes their
    /// check runs.
    async fn cancel_searches(
        &self,
        job: &Job,
        repo: &Repo,
        (head_repo, branch): (&RepoName, &Branch),
        tip: &CommitId,
    ) -> Result<(), JobStop> {
        let selection = JobSelection {
            repository: Some(job.subject.repository.clone()),
            head_repository: Some(head_repo.clone()),
            branch: Some(branch.clone()),
            kind: Some(SEARCH_KIND),
            ..JobSelection::default()
        };
        for searched in self.queue.list_commits(selection.clone()).await? {
            if passes_again(repo, &searched, tip).await? {
                let selection = JobSelection { sha: Some(searched), ..selection.clone() };
                self.queue.cancel(selection, job.id, "the branch passes again").await?;
            }
        }
        Ok(())
    }
}
