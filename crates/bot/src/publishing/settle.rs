//! Ends the output about failures that no longer exist: closes fix pull requests, and marks comments as outdated.

use super::obsolete_comments::{OutdatedComment, SettlingChange, mark_outdated_comments};
use super::obsolete_pulls::{ClosedPull, close_obsolete_pulls};
use super::obsolete_reason::{BranchTip, PassingChecks};
use super::settled_items::SettledItems;
use crate::MergeQueueBranch;
use mend_github::{ApiError, ApiResult, Pull, PullNumber, Repo};
use mend_model::CommitId;
use mend_report::github::OutputKind;

/// Output that was ended.
#[derive(Debug, Default)]
pub struct SettledOutput {
    /// Closed fix pull requests.
    pub pulls: SettledItems<ClosedPull>,
    /// Comments that were marked as outdated.
    pub comments: SettledItems<OutdatedComment>,
}

impl SettledOutput {
    /// Returns the errors that left an item unchanged.
    pub fn errors(&self) -> impl Iterator<Item = (OutputKind, &ApiError)> {
        let pulls = self.pulls.error.iter().map(|error| (OutputKind::Closing, error));
        let comments = self.comments.error.iter().map(|error| (OutputKind::OutdatedComment, error));
        pulls.chain(comments)
    }

    /// Returns the first of these errors.
    pub fn into_error(self) -> Option<ApiError> {
        self.pulls.error.or(self.comments.error)
    }
}

/// Ends the output about earlier failures of a branch whose culprit was reverted or whose checks pass now.
///
/// # Errors
/// GitHub's error while listing the open pull requests.
pub async fn settle_branch(repo: &Repo, tip: BranchTip<'_>) -> ApiResult<SettledOutput> {
    let open_pulls = repo.list_open_pulls().await?;
    let is_from_branch =
        |pull: &&Pull| pull.head_branch == tip.branch && pull.head_repo.as_ref() == Some(tip.repo);
    let from_branch: Vec<Pull> = open_pulls.iter().filter(is_from_branch).cloned().collect();
    Ok(SettledOutput {
        pulls: close_obsolete_pulls(repo, tip, &open_pulls).await,
        comments: mark_outdated_comments(repo, SettlingChange::Branch(tip, &from_branch)).await,
    })
}

/// Marks the comments on a pull request as outdated that are about earlier merge groups with it, because a merge group
/// passes with it.
pub async fn settle_merge_group(
    repo: &Repo,
    queue: &MergeQueueBranch,
    commit: &CommitId,
    passing: PassingChecks<'_>,
) -> SettledOutput {
    let change = SettlingChange::MergeGroup { queue, commit, passing };
    SettledOutput { comments: mark_outdated_comments(repo, change).await, ..Default::default() }
}

/// Marks the comments on a merged pull request as outdated that are about combinations with others before its merge.
pub async fn settle_merged_pull(repo: &Repo, pull: PullNumber) -> SettledOutput {
    let change = SettlingChange::MergedPull(pull);
    SettledOutput { comments: mark_outdated_comments(repo, change).await, ..Default::default() }
}
