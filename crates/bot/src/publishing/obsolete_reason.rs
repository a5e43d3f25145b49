//! Reasons why output about an earlier failure is obsolete: the culprit was reverted, or the failed checks pass again.

use super::failure_metadata::FailureMetadata;
use crate::reverts::find_revert;
use mend_github::{Ancestry, ApiError, ApiResult, CheckRun, Conclusion, Repo, RepoName};
use mend_model::CommitId;
use mend_report::github::{ClosingReason, CommitLink};
use std::collections::BTreeSet;

/// Current state of a branch.
#[derive(Clone, Copy, Debug)]
pub struct BranchTip<'a> {
    /// Repository of the branch, perhaps a fork.
    pub repo: &'a RepoName,
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
    /// Passing workflow, by its file. It counts only for its own failures.
    Workflow(&'a str),
    /// Unknown checks, which may not cover the failure.
    Unknown,
}

impl BranchTip<'_> {
    /// Returns true if the branch is one of this repository, not of a fork.
    pub(super) fn is_in(&self, repo: &Repo) -> bool {
        self.repo == repo.name()
    }

    /// Returns the reason why output about an earlier failure of the branch is obsolete, if it is.
    pub(super) async fn obsolete_reason(
        &self,
        repo: &Repo,
        failure: &FailureMetadata,
    ) -> ApiResult<Option<ClosingReason>> {
        if !is_ahead(repo, &failure.failing_commit, self.commit).await? {
            return Ok(None);
        }
        let revert = match &failure.culprit {
            Some(culprit) => {
                let range = (&failure.failing_commit, self.commit);
                find_revert(repo, culprit, range).await?.map(|by| (by, culprit))
            }
            None => None,
        };
        if let Some((revert, culprit)) = revert {
            let [by, culprit] = [&revert.id, culprit].map(|id| commit_link(repo, id));
            return Ok(Some(ClosingReason::CulpritReverted { by, culprit }));
        }
        self.passing_reason(repo, failure).await
    }

    /// Returns the reason if the checks of a failure pass at the tip, which must be newer than the failing commit.
    pub(super) async fn passing_reason(
        &self,
        repo: &Repo,
        failure: &FailureMetadata,
    ) -> ApiResult<Option<ClosingReason>> {
        let Some(passing) = self.passing_checks else { return Ok(None) };
        let passes = passing.cover(repo, failure, self.commit).await?;
        let branch = self.branch.to_owned();
        let commit = commit_link(repo, self.commit);
        Ok(passes.then_some(ClosingReason::BranchPasses { branch, commit }))
    }
}

impl PassingChecks<'_> {
    /// Returns true if the checks of a failure are among the passing ones of a commit.
    pub(super) async fn cover(
        self,
        repo: &Repo,
        failure: &FailureMetadata,
        commit: &CommitId,
    ) -> ApiResult<bool> {
        let known = match self {
            Self::Workflow(file) => failure.is_for_workflow(file),
            Self::Unknown => None,
        };
        match known {
            Some(covers_failure) => Ok(covers_failure),
            None => all_failed_checks_pass(repo, &failure.failing_commit, commit).await,
        }
    }
}

/// Returns true if the checks that failed on a commit pass on a later one.
///
/// # Errors
/// GitHub's error.
pub(crate) async fn passes_again(
    repo: &Repo,
    failing: &CommitId,
    tip: &CommitId,
) -> ApiResult<bool> {
    Ok(is_ahead(repo, failing, tip).await? && all_failed_checks_pass(repo, failing, tip).await?)
}

/// Returns true if a commit is ahead of another one. After a forced push the two may have no common history.
async fn is_ahead(repo: &Repo, earlier: &CommitId, later: &CommitId) -> ApiResult<bool> {
    match repo.compare_commits(earlier, later).await {
        Ok(ancestry) => Ok(ancestry == Ancestry::Ahead),
        Err(ApiError::NotFound(_)) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Returns the abbreviated id of a commit and the address of its page.
pub(super) fn commit_link(repo: &Repo, id: &CommitId) -> CommitLink {
    (id.short().to_owned(), format!("{}/commit/{id}", repo.web_url()))
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
