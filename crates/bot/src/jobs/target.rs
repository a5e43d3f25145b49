//! Target of a job: the failing commit, resolved against the current state on GitHub because webhooks arrive late,
//! twice and in any order.

use crate::MergeQueueBranch;
use crate::dependency_update::is_update_pull;
use crate::jobs::job_stop::JobStop;
use crate::queue::Job;
use mend_github::{Ancestry, Pull, PullNumber, PullState, Repo};
use mend_model::CommitId;

/// Reason for searching a commit.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum CommitRelevance {
    /// Commit on the default branch.
    Merged,
    /// Head commit of an open pull request.
    Proposed(PullNumber),
    /// Commit of a merge queue, which combines several pull requests.
    InMergeQueue,
}

/// Failing commit and its target branch.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Target {
    /// Failing commit.
    pub(super) sha: CommitId,
    /// Branch of the commit.
    pub(super) branch: String,
    /// Reason for searching the commit.
    pub(super) relevance: CommitRelevance,
    /// Target branch of the pull request, or the default branch.
    pub(super) base_branch: String,
    /// True if the commit is from this repository. Otherwise it is untrusted.
    pub(super) is_from_own_repo: bool,
    /// True if a program proposes the commit to update dependencies.
    pub(super) is_dependency_update: bool,
}

impl Target {
    /// Reads the target from GitHub.
    ///
    /// # Errors
    /// [`JobStop::Obsolete`] if the commit no longer needs a search.
    pub(super) async fn fetch(repo: &Repo, job: &Job) -> Result<Self, JobStop> {
        let subject = &job.subject;
        if let Some(number) = subject.pull {
            let pull = repo.get_pull(number).await?;
            return Self::from_pull(repo, &pull, subject.sha.as_ref());
        }
        let Some(sha) = &subject.sha else {
            return Err(JobStop::Obsolete("the event names no commit"));
        };
        if let Some(queue_target) = Self::from_merge_queue(job, sha) {
            return Ok(queue_target);
        }
        let default = repo.get_info().await?.default_branch;
        let is_here = subject.head_repository.as_ref() == Some(&subject.repository);
        if is_here && subject.branch.as_ref().is_some_and(|branch| branch.as_str() == default) {
            return Self::from_default_branch(repo, sha, default).await;
        }
        let pulls = repo.list_pulls_with_commit(sha).await?;
        let open_pull =
            pulls.iter().find(|pull| pull.state == PullState::Open && pull.head == *sha);
        match open_pull {
            Some(pull) => Self::from_pull(repo, pull, Some(sha)),
            None => {
                Err(JobStop::Obsolete("the commit is no longer the head of an open pull request"))
            }
        }
    }

    fn from_pull(repo: &Repo, pull: &Pull, sha: Option<&CommitId>) -> Result<Self, JobStop> {
        if pull.state != PullState::Open {
            return Err(JobStop::Obsolete("the pull request is closed"));
        }
        if sha.is_some_and(|sha| *sha != pull.head) {
            return Err(JobStop::Obsolete("the pull request has a newer commit"));
        }
        Ok(Self {
            sha: pull.head.clone(),
            branch: pull.head_branch.clone(),
            relevance: CommitRelevance::Proposed(pull.number),
            base_branch: pull.base_branch.clone(),
            is_from_own_repo: pull.head_repo.as_ref() == Some(repo.name()),
            is_dependency_update: is_update_pull(pull),
        })
    }

    /// Returns the target for a commit of a merge queue, such as `gh-readonly-queue/main/pr-12-…`. GitHub has deleted
    /// the branch by now, but the culprit still exists.
    fn from_merge_queue(job: &Job, sha: &CommitId) -> Option<Self> {
        let subject = &job.subject;
        let is_here = subject.head_repository.as_ref() == Some(&subject.repository);
        let branch = subject.branch.as_ref().filter(|_| is_here)?.as_str();
        let queue = MergeQueueBranch::parse(branch)?;
        Some(Self {
            sha: sha.clone(),
            branch: branch.to_owned(),
            relevance: CommitRelevance::InMergeQueue,
            base_branch: queue.target_branch()?.to_owned(),
            is_from_own_repo: true,
            is_dependency_update: false,
        })
    }

    /// Returns true if a generator may work on the commit: pull requests of forks, which merge queues test too, get none.
    pub(super) fn allows_generator(&self) -> bool {
        self.is_from_own_repo && self.relevance != CommitRelevance::InMergeQueue
    }

    /// Returns the pull request that proposes the commit, if there is one.
    pub(super) fn pull(&self) -> Option<PullNumber> {
        match self.relevance {
            CommitRelevance::Proposed(pull) => Some(pull),
            CommitRelevance::Merged | CommitRelevance::InMergeQueue => None,
        }
    }

    /// Returns the target for a commit on the default branch. A newer commit does not make an older one obsolete,
    /// because the older one may be the culprit.
    async fn from_default_branch(
        repo: &Repo,
        sha: &CommitId,
        default: String,
    ) -> Result<Self, JobStop> {
        let Some(newest) = repo.get_branch_head(&default).await? else {
            return Err(JobStop::Obsolete("the branch was deleted"));
        };
        if newest != *sha && repo.compare_commits(sha, &newest).await? != Ancestry::Ahead {
            return Err(JobStop::Obsolete("the commit is no longer on its branch"));
        }
        let (branch, relevance) = (default.clone(), CommitRelevance::Merged);
        Ok(Self {
            sha: sha.clone(),
            branch,
            relevance,
            base_branch: default,
            is_from_own_repo: true,
            is_dependency_update: false,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forks_and_merge_queues_get_no_generator() {
        let allows = |is_from_own_repo, relevance| {
            let [branch, base_branch] = ["topic", "main"].map(str::to_owned);
            let sha = CommitId("ab".to_owned());
            let is_dependency_update = false;
            Target { sha, branch, relevance, base_branch, is_from_own_repo, is_dependency_update }
                .allows_generator()
        };
        let proposed = CommitRelevance::Proposed(PullNumber(3));
        assert!(allows(true, proposed) && allows(true, CommitRelevance::Merged));
        assert!(!allows(false, proposed) && !allows(true, CommitRelevance::InMergeQueue));
    }
}
