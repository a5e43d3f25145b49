//! Target of a job, from the current state on GitHub: webhooks arrive late, twice and in any order.

use crate::MergeQueueBranch;
use crate::jobs::job_stop::JobStop;
use crate::queue::Job;
use mend_github::{Ancestry, Pull, PullNumber, PullState, Repo};
use mend_model::CommitId;

/// Reason for searching a commit.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum CommitRelevance {
    /// Commit on the default branch.
    Merged,
    /// A pull request proposes it.
    Proposed(PullNumber),
    /// A merge queue tries it: several pull requests together.
    InMergeQueue,
}

/// Failing commit and its target branch.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Target {
    /// The commit.
    pub(super) sha: CommitId,
    /// Its branch.
    pub(super) branch: String,
    /// The reason for searching it.
    pub(super) standing: CommitRelevance,
    /// The branch to merge into, or the default branch itself.
    pub(super) base_branch: String,
    /// True if the commit is from this repository. Otherwise it is untrusted.
    pub(super) is_own: bool,
}

impl Target {
    /// Reads the target from GitHub.
    ///
    /// # Errors
    /// [`JobStop::Obsolete`] if the commit is obsolete.
    pub(super) async fn find(repo: &Repo, job: &Job) -> Result<Self, JobStop> {
        let subject = &job.subject;
        if let Some(number) = subject.pull {
            let pull = repo.pull(number).await?;
            return Self::of_pull(repo, &pull, subject.sha.as_ref());
        }
        let Some(sha) = &subject.sha else {
            return Err(JobStop::Obsolete("the event names no commit"));
        };
        if let Some(queued) = Self::of_queue(job, sha) {
            return Ok(queued);
        }
        let default = repo.info().await?.default_branch;
        let is_here = subject.head_repository.as_ref() == Some(&subject.repository);
        if is_here && subject.branch.as_ref().is_some_and(|branch| branch.as_str() == default) {
            return Self::of_default(repo, sha, default).await;
        }
        let pulls = repo.pulls_of(sha).await?;
        let open = pulls.iter().find(|pull| pull.state == PullState::Open && pull.head == *sha);
        match open {
            Some(pull) => Self::of_pull(repo, pull, Some(sha)),
            None => {
                Err(JobStop::Obsolete("the commit is no longer the head of an open pull request"))
            }
        }
    }

    fn of_pull(repo: &Repo, pull: &Pull, sha: Option<&CommitId>) -> Result<Self, JobStop> {
        if pull.state != PullState::Open {
            return Err(JobStop::Obsolete("the pull request is closed"));
        }
        if sha.is_some_and(|sha| *sha != pull.head) {
            return Err(JobStop::Obsolete("the pull request has a newer commit"));
        }
        Ok(Self {
            sha: pull.head.clone(),
            branch: pull.head_branch.clone(),
            standing: CommitRelevance::Proposed(pull.number),
            base_branch: pull.base_branch.clone(),
            is_own: pull.head_repo.as_ref() == Some(repo.name()),
        })
    }

    /// Returns the target for a commit of `gh-readonly-queue/main/pr-12-…`. GitHub has deleted the branch by now, but
    /// the culprit still exists.
    fn of_queue(job: &Job, sha: &CommitId) -> Option<Self> {
        let subject = &job.subject;
        let is_here = subject.head_repository.as_ref() == Some(&subject.repository);
        let branch = subject.branch.as_ref().filter(|_| is_here)?.as_str();
        let queue = MergeQueueBranch::parse(branch)?;
        Some(Self {
            sha: sha.clone(),
            branch: branch.to_owned(),
            standing: CommitRelevance::InMergeQueue,
            base_branch: queue.base()?.to_owned(),
            is_own: true,
        })
    }

    /// Returns the pull request that proposes the commit, if there is one.
    pub(super) fn pull(&self) -> Option<PullNumber> {
        match self.standing {
            CommitRelevance::Proposed(pull) => Some(pull),
            CommitRelevance::Merged | CommitRelevance::InMergeQueue => None,
        }
    }

    /// Returns the target for a commit on the default branch. A newer commit does not make an older one obsolete,
    /// because the older one may be the culprit.
    async fn of_default(repo: &Repo, sha: &CommitId, default: String) -> Result<Self, JobStop> {
        let Some(newest) = repo.branch(&default).await? else {
            return Err(JobStop::Obsolete("the branch was deleted"));
        };
        if newest != *sha && repo.descent(sha, &newest).await? != Ancestry::Ahead {
            return Err(JobStop::Obsolete("the commit is no longer on its branch"));
        }
        let (branch, standing) = (default.clone(), CommitRelevance::Merged);
        Ok(Self { sha: sha.clone(), branch, standing, base_branch: default, is_own: true })
    }
}
