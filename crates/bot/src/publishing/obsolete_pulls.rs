//! Closing of fix pull requests that are no longer needed.

use super::fix_pull::{is_ours, settle};
use super::marker::{FixMetadata, TextMarker};
use crate::reverts::taken_back_by;
use mend_github::{Ancestry, ApiError, ApiResult, CheckRun, Conclusion, Pull, Repo};
use mend_model::CommitId;
use mend_report::github::{ClosingReason, closing_comment};
use std::collections::BTreeSet;

/// Current state of a branch.
#[derive(Clone, Copy, Debug)]
pub struct BranchTip<'a> {
    /// The branch.
    pub branch: &'a str,
    /// Its commit.
    pub commit: &'a CommitId,
    /// The passing checks of that commit, if any.
    pub green: Option<PassingChecks<'a>>,
}

/// Passing checks.
#[derive(Clone, Copy, Debug)]
pub enum PassingChecks<'a> {
    /// One workflow, by its file: it counts for fixes of its own failures.
    Workflow(&'a str),
    /// Unknown checks, which may not cover the failure.
    Unknown,
}

/// A pull request that was closed, and why.
#[derive(Clone, Debug)]
pub struct ClosedPull {
    /// The pull request.
    pub pull: Pull,
    /// The reason.
    pub why: ClosingReason,
}

/// Result of closing fix pull requests that are no longer needed.
#[derive(Debug, Default)]
pub struct ObsoletePulls {
    /// Closed pull requests.
    pub closed: Vec<ClosedPull>,
    /// The error that left one of them open. The others were still processed if the error may concern only this one.
    pub stuck: Option<ApiError>,
}

/// Closes the fix pull requests of a branch that are no longer needed: their culprit was reverted, or the checks that
/// failed on an earlier version pass now. Comments on each with the reason.
///
/// # Errors
/// GitHub's error while listing the pull requests.
pub async fn close_unneeded(repo: &Repo, tip: BranchTip<'_>) -> ApiResult<ObsoletePulls> {
    let ours = repo.open_pulls().await?.into_iter().filter(|pull| is_ours(repo, pull, tip.branch));
    let ours: Vec<(Pull, FixMetadata)> = ours
        .filter_map(|pull| TextMarker::mended(&pull.body).map(|mended| (pull, mended)))
        .collect();
    let mut all = ObsoletePulls::default();
    for (pull, mended) in ours {
        match close(repo, tip, &pull, &mended).await {
            Ok(why) => all.closed.extend(why.map(|why| ClosedPull { pull, why })),
            Err(error) => {
                let is_of_one = is_of_one(&error);
                all.stuck = all.stuck.or(Some(error));
                if !is_of_one {
                    break;
                }
            }
        }
    }
    Ok(all)
}

/// Closes a pull request if it is no longer needed, with a comment.
async fn close(
    repo: &Repo,
    tip: BranchTip<'_>,
    pull: &Pull,
    mended: &FixMetadata,
) -> ApiResult<Option<ClosingReason>> {
    // Finishes an interrupted closing.
    if TextMarker::is_settling(&pull.body) {
        settle(repo, pull).await?;
        return Ok(None);
    }
    // One that we closed and that is open was opened again.
    if TextMarker::is_settled(&pull.body) {
        return Ok(None);
    }
    let Some(why) = reason(repo, mended, tip).await? else { return Ok(None) };
    let marker = TextMarker::closing().to_string();
    repo.set_comment(pull.number, &marker, &closing_comment(&marker, &why)).await?;
    settle(repo, pull).await?;
    Ok(Some(why))
}

/// Returns true if an error may concern a single pull request, for example a locked one or one with a protected branch.
fn is_of_one(error: &ApiError) -> bool {
    use ApiError::{Conflict, Forbidden, Invalid, NotFound};
    matches!(error, Conflict(_) | Forbidden(_) | Invalid(_) | NotFound(_))
}

/// Returns the reason why a pull request is no longer needed, if it is not.
async fn reason(
    repo: &Repo,
    mended: &FixMetadata,
    tip: BranchTip<'_>,
) -> ApiResult<Option<ClosingReason>> {
    let link = |id: &CommitId| format!("{}/commit/{id}", repo.web());
    match repo.descent(&mended.bad, tip.commit).await {
        Ok(Ancestry::Ahead) => {}
        // Where the branch was forced to another history the two have nothing in common.
        Ok(_) | Err(ApiError::NotFound(_)) => return Ok(None),
        Err(error) => return Err(error),
    }
    if let Some(culprit) = &mended.culprit
        && let Some(by) = taken_back_by(repo, culprit, (&mended.bad, tip.commit)).await?
    {
        let [by, culprit] = [&by.id, culprit].map(|id| (id.short().to_owned(), link(id)));
        return Ok(Some(ClosingReason::CulpritReverted { by, culprit }));
    }
    let is_of_it = match tip.green {
        Some(PassingChecks::Workflow(file)) => mended.is_of(file),
        Some(PassingChecks::Unknown) => None,
        None => Some(false),
    };
    let is_green = match is_of_it {
        Some(is_of_it) => is_of_it,
        None => is_mended(repo, &mended.bad, tip.commit).await?,
    };
    let commit = (tip.commit.short().to_owned(), link(tip.commit));
    Ok(is_green.then(|| ClosingReason::BranchPasses { branch: tip.branch.to_owned(), commit }))
}

/// Returns true if each check that failed on a commit passes on a later one. A missing check may still fail. Without a
/// failed check the failure is unknown, so the result is false.
async fn is_mended(repo: &Repo, bad: &CommitId, now: &CommitId) -> ApiResult<bool> {
    let before = repo.check_runs(bad, None).await?;
    let red: BTreeSet<&str> =
        before.iter().filter(|run| is_red(run)).map(|run| run.name.as_str()).collect();
    if red.is_empty() {
        return Ok(false);
    }
    let now = repo.check_runs(now, None).await?;
    Ok(red.into_iter().all(|name| is_green(name, &now)))
}

/// Returns true if a check passed. There may be several with one name: a branch with a pull request has two of each.
fn is_green(name: &str, all: &[CheckRun]) -> bool {
    let named: Vec<&CheckRun> = all.iter().filter(|run| run.name == name).collect();
    let has_passed = named.iter().any(|run| run.conclusion == Some(Conclusion::Success));
    has_passed && named.into_iter().all(is_fine)
}

fn is_red(run: &CheckRun) -> bool {
    use Conclusion::{Failure, StartupFailure, TimedOut};
    matches!(run.conclusion, Some(Failure | StartupFailure | TimedOut))
}

fn is_fine(run: &CheckRun) -> bool {
    use Conclusion::{Neutral, Skipped, Success};
    matches!(run.conclusion, Some(Neutral | Skipped | Success))
}
