//! Details about the culprit from GitHub.

use crate::publishing::build_failure::BuildFailure;
use crate::publishing::merge_queue_pull::MergeQueueCommit;
use crate::publishing::publish_result::PublishResult;
use mend_github::{Ancestry, ApiError, ApiResult, GitHubCommit, Pull, PullNumber, PullState, Repo};
use mend_model::CommitId;
use mend_report::github::{CulpritCommit, GitHubReport, OutputKind, SkippedOutput};

/// Source of details about the culprit of a failure.
pub(super) struct CulpritLookup<'a> {
    pub(super) repo: &'a Repo,
    pub(super) failing: &'a BuildFailure,
}

impl CulpritLookup<'_> {
    /// Adds details from GitHub to the culprit. A commit that is not an ancestor of the failing commit is dropped. If
    /// several pull requests were combined before the merge, returns the one that contains the culprit.
    pub(super) async fn add_details(
        &self,
        story: &mut GitHubReport,
        told: &mut PublishResult,
    ) -> ApiResult<Option<PullNumber>> {
        let Some(blame) = story.blame.take() else { return Ok(None) };
        let id = CommitId(blame.commit.clone());
        if !CommitId::is_id(&id.0) {
            told.left_out.push(SkippedOutput::NoCulpritId);
            return Ok(None);
        }
        let commit = match self.repo.commit(&id).await {
            Err(ApiError::NotFound(_) | ApiError::Invalid(_)) => {
                told.left_out.push(SkippedOutput::CulpritNotInRepository);
                return Ok(None);
            }
            commit => commit?,
        };
        let descent = self.repo.descent(&commit.id, &self.failing.head).await?;
        if !matches!(descent, Ancestry::Ahead | Ancestry::Identical) {
            told.left_out.push(SkippedOutput::CulpritNotAncestor);
            return Ok(None);
        }
        let pulls = told.allowed(OutputKind::CulpritPull, self.repo.pulls_of(&id).await)?;
        let pulls = pulls.unwrap_or_default();
        let merged = pulls.iter().find(|pull| pull.state == PullState::Merged);
        let put_together = self.put_together(&commit, &pulls, told).await?;
        let brought = put_together.or(merged.map(|pull| pull.number));
        story.blame = Some(CulpritCommit {
            commit: commit.id.0.clone(),
            url: Some(format!("{}/commit/{}", self.repo.web(), commit.id)),
            author: Some(commit.author.clone()),
            date: Some(commit.date.chars().take(10).collect()),
            summary: Some(commit.summary().to_owned()),
            pull: brought.map(|number| number.0),
        });
        Ok(put_together)
    }

    /// Returns the pull request, among `pulls`, that contains a commit, if pull requests are combined before the merge:
    /// in a merge queue or on a branch such as `staging`.
    async fn put_together(
        &self,
        commit: &GitHubCommit,
        pulls: &[Pull],
        told: &mut PublishResult,
    ) -> ApiResult<Option<PullNumber>> {
        if let Some(queue) = &self.failing.queue {
            return MergeQueueCommit { repo: self.repo, queue, commit, told }.pull(pulls).await;
        }
        let Some(open) = pulls.iter().find(|pull| pull.state == PullState::Open) else {
            return Ok(None);
        };
        Ok(self.is_on_trial(pulls).await?.then_some(open.number))
    }

    /// Returns true if the failing branch combines pull requests for testing: no pull request comes from it or was
    /// merged into it, and it is not the default branch.
    async fn is_on_trial(&self, pulls: &[Pull]) -> ApiResult<bool> {
        let Some(branch) = self.failing.branch.as_ref().filter(|_| self.failing.pull.is_none())
        else {
            return Ok(false);
        };
        let is_from_it = |pull: &Pull| {
            pull.head_branch == *branch && pull.head_repo.as_ref() == Some(self.repo.name())
        };
        let is_in_it = |pull: &Pull| pull.state == PullState::Merged && pull.base_branch == *branch;
        let has_its_own = pulls.iter().any(|pull| is_from_it(pull) || is_in_it(pull));
        Ok(!has_its_own && self.repo.info().await?.default_branch != *branch)
    }
}
