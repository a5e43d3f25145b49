//! Finds the pull request that contains a commit of a merge queue.
//!
//! A queue creates its own commits when it squashes, rebases or merges, and GitHub names no pull request for them. The
//! commit message, which GitHub writes for a squash or a merge, and the queue's branch name one. Authors write messages
//! too, so git-mend checks each named pull request with GitHub. A commit of the queue's last pull request belongs to
//! that pull request.

use crate::MergeQueueBranch;
use crate::publishing::publish_result::PublishResult;
use mend_github::{Ancestry, ApiError, ApiResult, GitHubCommit, Pull, PullNumber, PullState, Repo};
use mend_model::CommitId;
use mend_report::github::OutputKind;

/// Failing commit of a merge queue.
pub(super) struct MergeQueueCommit<'a> {
    pub(super) repo: &'a Repo,
    pub(super) queue: &'a MergeQueueBranch,
    pub(super) commit: &'a GitHubCommit,
    pub(super) result: &'a mut PublishResult,
}

impl MergeQueueCommit<'_> {
    /// Returns the pull request that contains the commit. `listed` are the pull requests that GitHub lists for the
    /// commit.
    pub(super) async fn find_pull(mut self, listed: &[Pull]) -> ApiResult<Option<Pull>> {
        if let Some(pull) = listed.iter().find(|pull| self.can_be_queued(pull)) {
            return Ok(Some(pull.clone()));
        }
        let last_pull = self.last_queued_pull().await?;
        if let Some(pull) = &last_pull
            && self.is_rebased_from(pull).await?
        {
            return Ok(last_pull);
        }
        if let Some(number) = parse_squash_commit(self.commit)
            && let Some(pull) = self.get_candidate(number).await?
        {
            return Ok(Some(pull));
        }
        if let Some((number, head)) = parse_merge_commit(self.commit)
            && let Some(pull) = self.get_candidate(number).await?.filter(|pull| pull.head == *head)
        {
            return Ok(Some(pull));
        }
        Ok(last_pull)
    }

    /// Returns the last pull request of the queue, if the commit is ahead of the base of that pull request.
    async fn last_queued_pull(&mut self) -> ApiResult<Option<Pull>> {
        let Some((number, base)) = self.queue.last_entry() else { return Ok(None) };
        let ancestry = match self.repo.compare_commits(&base, &self.commit.id).await {
            Err(ApiError::NotFound(_)) => return Ok(None),
            ancestry => ancestry?,
        };
        if ancestry != Ancestry::Ahead {
            return Ok(None);
        }
        self.get_candidate(number).await
    }

    /// Returns true if the commit is a rebased commit of a pull request. Then its message is the author's, and a pull
    /// request named there is ignored.
    async fn is_rebased_from(&self, pull: &Pull) -> ApiResult<bool> {
        let authorship = |commit: &GitHubCommit| {
            (commit.message.clone(), commit.author.clone(), commit.date.clone())
        };
        let commits = match self.repo.list_commits_since(&pull.base, &pull.head).await {
            Err(ApiError::NotFound(_)) => return Ok(false),
            commits => commits?,
        };
        Ok(commits.iter().any(|commit| authorship(commit) == authorship(self.commit)))
    }

    /// Returns the pull request with this number, if it can be in the queue.
    async fn get_candidate(&mut self, number: PullNumber) -> ApiResult<Option<Pull>> {
        let pull = match self.repo.get_pull(number).await {
            Err(ApiError::NotFound(_)) => return Ok(None),
            pull => self.result.record_denied(OutputKind::CulpritPull, pull)?,
        };
        Ok(pull.filter(|pull| self.can_be_queued(pull)))
    }

    fn can_be_queued(&self, pull: &Pull) -> bool {
        let targets_queue = self.queue.target_branch().is_none_or(|base| pull.base_branch == base);
        pull.state == PullState::Open && targets_queue
    }
}

/// Returns the pull request that GitHub names at the end of a squash commit's first line: `Sum up (#12)`.
fn parse_squash_commit(commit: &GitHubCommit) -> Option<PullNumber> {
    let line = commit.summary().trim_end();
    let has_one_parent = commit.parents.len() == 1;
    let number = line.strip_suffix(')').filter(|_| has_one_parent)?.rsplit_once(" (#")?.1;
    number.parse().ok().map(PullNumber)
}

/// Returns the pull request that GitHub names in a merge commit, and the merged commit.
fn parse_merge_commit(commit: &GitHubCommit) -> Option<(PullNumber, &CommitId)> {
    let [_, head] = &commit.parents[..] else { return None };
    let rest = commit.message.strip_prefix("Merge pull request #")?;
    let (number, _) = rest.split_once(" from ")?;
    Some((PullNumber(number.parse().ok()?), head))
}
