//! Closes fix pull requests that are no longer needed, because the culprit was reverted or the checks pass again.

use super::fix_pull::{close_settled, is_own_pull};
use super::marker::{FixMetadata, TextMarker};
use super::obsolete_reason::BranchTip;
use super::settled_items::SettledItems;
use mend_github::{ApiResult, Pull, Repo};
use mend_report::github::{ClosingReason, closing_comment};

/// Closed pull request with the reason.
#[derive(Clone, Debug)]
pub struct ClosedPull {
    /// Closed pull request.
    pub pull: Pull,
    /// Reason for closing it.
    pub reason: ClosingReason,
}

/// Closes the fix pull requests, among the open pull requests, for a branch that no longer needs them. Comments on each
/// with the reason. Branches of forks have none.
pub(super) async fn close_obsolete_pulls(
    repo: &Repo,
    tip: BranchTip<'_>,
    open_pulls: &[Pull],
) -> SettledItems<ClosedPull> {
    let mut result = SettledItems::default();
    let is_own = |pull: &&Pull| tip.is_in(repo) && is_own_pull(repo, pull, tip.branch);
    for pull in open_pulls.iter().filter(is_own) {
        let Some(metadata) = TextMarker::parse_fix(&pull.body) else { continue };
        let reason = close_if_obsolete(repo, tip, pull, &metadata).await;
        let closed = reason.map(|why| why.map(|reason| ClosedPull { pull: pull.clone(), reason }));
        if !result.record(closed) {
            break;
        }
    }
    result
}

/// Closes a pull request if it is no longer needed, with a comment.
async fn close_if_obsolete(
    repo: &Repo,
    tip: BranchTip<'_>,
    pull: &Pull,
    metadata: &FixMetadata,
) -> ApiResult<Option<ClosingReason>> {
    // Finishes an interrupted closing.
    if TextMarker::is_settling(&pull.body) {
        close_settled(repo, pull).await?;
        return Ok(None);
    }
    // A user reopened a pull request that git-mend had closed.
    if TextMarker::is_settled(&pull.body) {
        return Ok(None);
    }
    let Some(reason) = tip.obsolete_reason(repo, &metadata.failure).await? else {
        return Ok(None);
    };
    let marker = TextMarker::closing().to_string();
    repo.set_comment(pull.number, &marker, &closing_comment(&marker, &reason)).await?;
    close_settled(repo, pull).await?;
    Ok(Some(reason))
}
