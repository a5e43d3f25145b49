//! Marks comments as outdated whose failure no longer exists. A later failure replaces the text again, because the
//! marker keeps the matrix job.

use super::comment_marker::CommentMarker;
use super::obsolete_reason::{BranchTip, PassingChecks, commit_link};
use super::settled_items::SettledItems;
use crate::MergeQueueBranch;
use mend_github::{ApiResult, Comment, Pull, PullNumber, PullState, Repo};
use mend_model::CommitId;
use mend_report::github::{OutdatedReason, outdated_comment};

/// Comment that was marked as outdated, with the reason.
#[derive(Clone, Debug)]
pub struct OutdatedComment {
    /// The comment.
    pub comment: Comment,
    /// Reason for marking it.
    pub reason: OutdatedReason,
}

/// Change that may have ended failures.
#[derive(Clone, Copy)]
pub(super) enum SettlingChange<'a> {
    /// New state of a branch, with the open pull requests from it.
    Branch(BranchTip<'a>, &'a [Pull]),
    /// Passing commit of a merge queue.
    MergeGroup { queue: &'a MergeQueueBranch, commit: &'a CommitId, passing: PassingChecks<'a> },
    /// Merged pull request.
    MergedPull(PullNumber),
}

/// Marks the comments as outdated whose failure no longer exists after a change.
pub(super) async fn mark_outdated_comments(
    repo: &Repo,
    change: SettlingChange<'_>,
) -> SettledItems<OutdatedComment> {
    let comments = match change.list_comments(repo).await {
        Ok(comments) => comments,
        Err(error) => return SettledItems::from_error(error),
    };
    let mut result = SettledItems::default();
    for comment in comments {
        let Some(marker) = CommentMarker::parse(&comment.body) else { continue };
        if !marker.is_outdated() && !result.record(change.apply(repo, comment, &marker).await) {
            break;
        }
    }
    result
}

impl SettlingChange<'_> {
    /// Returns own comments that may be about an ended failure. Those of a branch with open pull requests are under
    /// these; those of other branches may be under any.
    async fn list_comments(self, repo: &Repo) -> ApiResult<Vec<Comment>> {
        let list = |pull| repo.list_own_comments(pull, CommentMarker::PREFIX);
        match self {
            Self::Branch(_, []) => repo.list_recent_own_comments(CommentMarker::PREFIX).await,
            Self::Branch(_, pulls) => {
                let mut comments = Vec::new();
                for pull in pulls {
                    comments.extend(list(pull.number).await?);
                }
                Ok(comments)
            }
            Self::MergeGroup { queue, .. } => match queue.last_entry() {
                Some((pull, _)) => list(pull).await,
                None => Ok(Vec::new()),
            },
            Self::MergedPull(pull) => list(pull).await,
        }
    }

    /// Marks a comment as outdated if its failure no longer exists.
    async fn apply(
        self,
        repo: &Repo,
        comment: Comment,
        marker: &CommentMarker,
    ) -> ApiResult<Option<OutdatedComment>> {
        let Some(reason) = self.outdated_reason(repo, &comment, marker).await? else {
            return Ok(None);
        };
        // Another job may have published a newer result since the comments were listed.
        let current = repo.find_comment(comment.id).await?;
        let Some(current) = current.filter(|current| current.body == comment.body) else {
            return Ok(None);
        };
        let marker = marker.outdated().to_string();
        let text = outdated_comment(&marker, &reason, &current.body);
        let comment = repo.update_comment(current.id, &text).await?;
        Ok(Some(OutdatedComment { comment, reason }))
    }

    async fn outdated_reason(
        self,
        repo: &Repo,
        comment: &Comment,
        marker: &CommentMarker,
    ) -> ApiResult<Option<OutdatedReason>> {
        match self {
            Self::Branch(tip, pulls) if marker.is_about_branch(tip.repo, tip.branch) => {
                let reason = match tip.obsolete_reason(repo, &marker.failure).await? {
                    None if is_replaced(marker, tip, pulls) => {
                        tip.passing_reason(repo, &marker.failure).await?
                    }
                    reason => reason,
                };
                Ok(reason.map(OutdatedReason::Settled))
            }
            Self::Branch(tip, _) if marker.is_combined_for(tip.repo, tip.branch) => {
                merge_reason(repo, comment.pull_number()).await
            }
            Self::MergeGroup { commit, passing, .. } if marker.is_combined() => {
                let passes = passing.cover(repo, &marker.failure, commit).await?;
                let reason = OutdatedReason::MergeGroupPasses(commit_link(repo, commit));
                Ok(passes.then_some(reason))
            }
            Self::MergedPull(pull) if marker.is_combined() => merge_reason(repo, Some(pull)).await,
            Self::Branch(..) | Self::MergeGroup { .. } | Self::MergedPull(_) => Ok(None),
        }
    }
}

/// Returns true if the tip replaced the failing commit: it is the head of a pull request after a forced push.
fn is_replaced(marker: &CommentMarker, tip: BranchTip<'_>, pulls: &[Pull]) -> bool {
    marker.failure.failing_commit != *tip.commit
        && pulls.iter().any(|pull| pull.head == *tip.commit)
}

/// Returns the reason if a pull request was merged: the failure of a combination with it ended before.
async fn merge_reason(repo: &Repo, pull: Option<PullNumber>) -> ApiResult<Option<OutdatedReason>> {
    let Some(number) = pull else { return Ok(None) };
    let is_merged = repo.get_pull(number).await?.state == PullState::Merged;
    Ok(is_merged.then_some(OutdatedReason::PullMerged))
}
