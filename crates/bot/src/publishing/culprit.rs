//! Adds details from GitHub to the culprit: its commit and its pull request.

use crate::publishing::build_failure::BuildFailure;
use crate::publishing::merge_queue_pull::MergeQueueCommit;
use crate::publishing::publish_result::PublishResult;
use mend_github::{Ancestry, ApiError, ApiResult, GitHubCommit, Pull, PullState, Repo};
use mend_model::CommitId;
use mend_report::github::{CulpritCommit, GitHubReport, OutputKind, SkippedOutput};

/// Source of details about the culprit of a failure.
pub(super) struct CulpritLookup<'a> {
    pub(super) repo: &'a Repo,
    pub(super) failure: &'a BuildFailure,
}

impl CulpritLookup<'_> {
    /// Adds details from GitHub to the culprit. Removes a culprit that is not an ancestor of the failing commit. If
    /// several pull requests were combined before the merge, returns the one that contains the culprit.
    pub(super) async fn add_details(
        &self,
        report: &mut GitHubReport,
        result: &mut PublishResult,
    ) -> ApiResult<Option<Pull>> {
        let Some(culprit) = report.culprit_commit.take() else { return Ok(None) };
        let id = CommitId(culprit.commit.clone());
        if !CommitId::is_full_id(&id.0) {
            result.skipped.push(SkippedOutput::NoCulpritId);
            return Ok(None);
        }
        let commit = match self.repo.get_commit(&id).await {
            Err(ApiError::NotFound(_) | ApiError::Invalid(_)) => {
                result.skipped.push(SkippedOutput::CulpritNotInRepository);
                return Ok(None);
            }
            commit => commit?,
        };
        let ancestry = self.repo.compare_commits(&commit.id, &self.failure.head).await?;
        if !matches!(ancestry, Ancestry::Ahead | Ancestry::Identical) {
            result.skipped.push(SkippedOutput::CulpritNotAncestor);
            return Ok(None);
        }
        let pulls = match self.repo.list_pulls_with_commit(&id).await {
            // The lookup only adds details.
            Err(error @ ApiError::NotFound(_)) => {
                let why = error.to_string();
                result.skipped.push(SkippedOutput::Denied(OutputKind::CulpritPull, why));
                Vec::new()
            }
            pulls => result.record_denied(OutputKind::CulpritPull, pulls)?.unwrap_or_default(),
        };
        let merged = pulls.iter().find(|pull| pull.state == PullState::Merged);
        let combined_pull = self.find_combined_pull(&commit, &pulls, result).await?;
        let culprit_pull = combined_pull.as_ref().or(merged);
        report.culprit_commit = Some(CulpritCommit {
            commit: commit.id.0.clone(),
            url: Some(format!("{}/commit/{}", self.repo.web_url(), commit.id)),
            author: Some(commit.author.clone()),
            date: Some(commit.date.chars().take(10).collect()),
            summary: Some(commit.summary().to_owned()),
            pull_number: culprit_pull.map(|pull| pull.number.0),
        });
        Ok(combined_pull)
    }

    /// Returns the pull request, among `pulls`, that contains a commit, if pull requests are combined before the merge:
    /// in a merge queue or on a branch such as `staging`.
    async fn find_combined_pull(
        &self,
        commit: &GitHubCommit,
        pulls: &[Pull],
        result: &mut PublishResult,
    ) -> ApiResult<Option<Pull>> {
        if let Some(queue) = &self.failure.queue {
            return MergeQueueCommit { repo: self.repo, queue, commit, result }
                .find_pull(pulls)
                .await;
        }
        let Some(open_pull) = pulls.iter().find(|pull| pull.state == PullState::Open) else {
            return Ok(None);
        };
        Ok(self.is_combined_branch(pulls).await?.then(|| open_pull.clone()))
    }

    /// Returns true if the failing branch combines pull requests for testing: no pull request comes from it or was
    /// merged into it, and it is not the default branch.
    async fn is_combined_branch(&self, pulls: &[Pull]) -> ApiResult<bool> {
        let Some(branch) = self.failure.branch.as_ref().filter(|_| self.failure.pull.is_none())
        else {
            return Ok(false);
        };
        let is_from_branch = |pull: &Pull| {
            pull.head_branch == *branch && pull.head_repo.as_ref() == Some(self.repo.name())
        };
        let was_merged_into_branch =
            |pull: &Pull| pull.state == PullState::Merged && pull.base_branch == *branch;
        let has_own_pull =
            pulls.iter().any(|pull| is_from_branch(pull) || was_merged_into_branch(pull));
        Ok(!has_own_pull && self.repo.get_info().await?.default_branch != *branch)
    }
}
