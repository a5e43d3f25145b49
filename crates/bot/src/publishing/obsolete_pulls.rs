//! Closes fix pull requests that are no longer needed, because the culprit was reverted or the checks pass again.

use super::fix_pull::{close_settled, is_own_pull};
use super::marker::{FixMetadata, TextMarker};
use crate::reverts::find_revert;
use mend_github::{Ancestry, ApiError, ApiResult, CheckRun, Conclusion, Pull, Repo};
use mend_model::CommitId;
use mend_report::github::{ClosingReason, closing_comment};
use std::collections::BTreeSet;

/// Current state of a branch.
#[derive(Clone, Copy, Debug)]
pub struct BranchTip<'a> {
    /// Name of the branch.
    pub branch: &'a str,
    /// Head commit of the branch.
    pub commit: &'a CommitId,
    /// Passing checks of the commit, if any.
    pub passing_checks: Option<PassingChecks<'a>>,
}

/// Passing checks.
#[derive(Clone, Copy, Debug)]
pub enum PassingChecks<'a> {
    /// Passing workflow, by its file. It counts only for fixes of its own failures.
    Workflow(&'a str),
    /// Unknown checks, which may not cover the failure.
    Unknown,
}

/// Closed pull request with the reason.
#[derive(Clone, Debug)]
pub struct ClosedPull {
    /// Closed pull request.
    pub pull: Pull,
    /// Reason for closing it.
    pub reason: ClosingReason,
}

/// Result of closing fix pull requests that are no longer needed.
#[derive(Debug, Default)]
pub struct ObsoletePulls {
    /// Closed pull requests.
    pub closed: Vec<ClosedPull>,
    /// The error that left one of them open. The others were still processed if the error may concern only this one.
    pub error: Option<ApiError>,
}

/// Closes the fix pull requests of a branch that are no longer needed: their culprit was reverted, or the checks that
/// failed on an earlier version pass now. Comments on each with the reason.
///
/// # Errors
/// GitHub's error while listing the pull requests.
pub async fn close_obsolete_pulls(repo: &Repo, tip: BranchTip<'_>) -> ApiResult<ObsoletePulls> {
    let own_pulls = repo
        .list_open_pulls()
        .await?
        .into_iter()
        .filter(|pull| is_own_pull(repo, pull, tip.branch));
    let own_pulls: Vec<(Pull, FixMetadata)> = own_pulls
        .filter_map(|pull| TextMarker::parse_fix(&pull.body).map(|metadata| (pull, metadata)))
        .collect();
    let mut result = ObsoletePulls::default();
    for (pull, metadata) in own_pulls {
        match close_if_obsolete(repo, tip, &pull, &metadata).await {
            Ok(why) => result.closed.extend(why.map(|why| ClosedPull { pull, reason: why })),
            Err(error) => {
                let is_local = concerns_one_pull(&error);
                result.error = result.error.or(Some(error));
                if !is_local {
                    break;
                }
            }
        }
    }
    Ok(result)
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
    let Some(reason) = closing_reason(repo, metadata, tip).await? else { return Ok(None) };
    let marker = TextMarker::closing().to_string();
    repo.set_comment(pull.number, &marker, &closing_comment(&marker, &reason)).await?;
    close_settled(repo, pull).await?;
    Ok(Some(reason))
}

/// Returns true if an error may concern a single pull request, for example a locked one or one with a protected branch.
fn concerns_one_pull(error: &ApiError) -> bool {
    use ApiError::{Conflict, Forbidden, Invalid, NotFound};
    matches!(error, Conflict(_) | Forbidden(_) | Invalid(_) | NotFound(_))
}

/// Returns the reason why a pull request is no longer needed, if it is not.
async fn closing_reason(
    repo: &Repo,
    metadata: &FixMetadata,
    tip: BranchTip<'_>,
) -> ApiResult<Option<ClosingReason>> {
    let link = |id: &CommitId| format!("{}/commit/{id}", repo.web_url());
    match repo.compare_commits(&metadata.failing_commit, tip.commit).await {
        Ok(Ancestry::Ahead) => {}
        // After a forced push the two commits may have no common history.
        Ok(_) | Err(ApiError::NotFound(_)) => return Ok(None),
        Err(error) => return Err(error),
    }
    if let Some(culprit) = &metadata.culprit
        && let Some(revert) =
            find_revert(repo, culprit, (&metadata.failing_commit, tip.commit)).await?
    {
        let [revert, culprit] = [&revert.id, culprit].map(|id| (id.short().to_owned(), link(id)));
        return Ok(Some(ClosingReason::CulpritReverted { by: revert, culprit }));
    }
    let covers_failure = match tip.passing_checks {
        Some(PassingChecks::Workflow(file)) => metadata.is_for_workflow(file),
        Some(PassingChecks::Unknown) => None,
        None => Some(false),
    };
    let passes = match covers_failure {
        Some(covers_failure) => covers_failure,
        None => all_failed_checks_pass(repo, &metadata.failing_commit, tip.commit).await?,
    };
    let commit = (tip.commit.short().to_owned(), link(tip.commit));
    Ok(passes.then(|| ClosingReason::BranchPasses { branch: tip.branch.to_owned(), commit }))
}

/// Returns true if each check that failed on a commit passes on a later one. A missing check may still fail. Without a
/// failed check the failure is unknown, so the result is false.
async fn all_failed_checks_pass(
    repo: &Repo,
    failing: &CommitId,
    new_runs: &CommitId,
) -> ApiResult<bool> {
    let old_runs = repo.list_check_runs(failing, None).await?;
    let failed_names: BTreeSet<&str> =
        old_runs.iter().filter(|run| has_failed(run)).map(|run| run.name.as_str()).collect();
    if failed_names.is_empty() {
        return Ok(false);
    }
    let new_runs = repo.list_check_runs(new_runs, None).await?;
    Ok(failed_names.into_iter().all(|name| has_check_passed(name, &new_runs)))
}

/// Returns true if a check passed. Several check runs may have the same name: a branch with a pull request has two of
/// each.
fn has_check_passed(name: &str, runs: &[CheckRun]) -> bool {
    let same_name: Vec<&CheckRun> = runs.iter().filter(|run| run.name == name).collect();
    let has_passed = same_name.iter().any(|run| run.conclusion == Some(Conclusion::Success));
    has_passed && same_name.into_iter().all(is_acceptable)
}

fn has_failed(run: &CheckRun) -> bool {
    use Conclusion::{Failure, StartupFailure, TimedOut};
    matches!(run.conclusion, Some(Failure | StartupFailure | TimedOut))
}

fn is_acceptable(run: &CheckRun) -> bool {
    use Conclusion::{Neutral, Skipped, Success};
    matches!(run.conclusion, Some(Neutral | Skipped | Success))
}
