//! Fix pull requests that nobody needs any more.

use super::fix_pull::{is_ours, settle};
use super::marker::{Marker, Mended};
use super::taken_back::taken_back_by;
use crate::git::CommitId;
use crate::github::{CheckRun, Conclusion, Descent, ForgeError, ForgeResult, Pull, Repo};
use crate::report::story::{Closing, closing_comment};
use std::collections::BTreeSet;

/// What a branch is at.
#[derive(Clone, Copy, Debug)]
pub struct Tip<'a> {
    /// The branch.
    pub branch: &'a str,
    /// Its commit.
    pub commit: &'a CommitId,
    /// What was green on that commit, if something was.
    pub green: Option<Green<'a>>,
}

/// What was green.
#[derive(Clone, Copy, Debug)]
pub enum Green<'a> {
    /// One workflow, by its file: it says something of what failed in it.
    Workflow(&'a str),
    /// Something, which may say nothing of what failed.
    Unknown,
}

/// A pull request that was closed, and why.
#[derive(Clone, Debug)]
pub struct Closed {
    /// The pull request.
    pub pull: Pull,
    /// Why.
    pub why: Closing,
}

/// What became of the pull requests that nobody needs.
#[derive(Debug, Default)]
pub struct Unneeded {
    /// Those that were closed.
    pub closed: Vec<Closed>,
    /// Why one is still open. The others were gone on with where that may be about this one only.
    pub stuck: Option<ForgeError>,
}

/// Closes the fix pull requests of a branch that nobody needs any more: those whose culprit was taken back, and those
/// that mend an earlier version where what failed of that is green now. Each is told why.
///
/// # Errors
/// As GitHub answers where it is asked which there are.
pub async fn close_unneeded(repo: &Repo, tip: Tip<'_>) -> ForgeResult<Unneeded> {
    let ours = repo.open_pulls().await?.into_iter().filter(|pull| is_ours(repo, pull, tip.branch));
    let ours: Vec<(Pull, Mended)> =
        ours.filter_map(|pull| Marker::mended(&pull.body).map(|mended| (pull, mended))).collect();
    let mut all = Unneeded::default();
    for (pull, mended) in ours {
        match close(repo, tip, &pull, &mended).await {
            Ok(why) => all.closed.extend(why.map(|why| Closed { pull, why })),
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

/// Closes a pull request if nobody needs it, and says why.
async fn close(
    repo: &Repo,
    tip: Tip<'_>,
    pull: &Pull,
    mended: &Mended,
) -> ForgeResult<Option<Closing>> {
    // One that was begun with is gone on with.
    if Marker::is_settling(&pull.body) {
        settle(repo, pull).await?;
        return Ok(None);
    }
    // One that we closed and that is open was opened again.
    if Marker::is_settled(&pull.body) {
        return Ok(None);
    }
    let Some(why) = reason(repo, mended, tip).await? else { return Ok(None) };
    let marker = Marker::closing().to_string();
    repo.set_comment(pull.number, &marker, &closing_comment(&marker, &why)).await?;
    settle(repo, pull).await?;
    Ok(Some(why))
}

/// Whether an answer may be about one pull request only: one that is locked, or whose branch is protected.
fn is_of_one(error: &ForgeError) -> bool {
    use ForgeError::{Conflict, Forbidden, Invalid, NotFound};
    matches!(error, Conflict(_) | Forbidden(_) | Invalid(_) | NotFound(_))
}

/// Why what a pull request mends is mended without it, if it is.
async fn reason(repo: &Repo, mended: &Mended, tip: Tip<'_>) -> ForgeResult<Option<Closing>> {
    let link = |id: &CommitId| format!("{}/commit/{id}", repo.web());
    match repo.descent(&mended.bad, tip.commit).await {
        Ok(Descent::Ahead) => {}
        // Where the branch was forced to another history the two have nothing in common.
        Ok(_) | Err(ForgeError::NotFound(_)) => return Ok(None),
        Err(error) => return Err(error),
    }
    if let Some(culprit) = &mended.culprit
        && let Some(by) = taken_back_by(repo, culprit, (&mended.bad, tip.commit)).await?
    {
        let [by, culprit] = [&by.id, culprit].map(|id| (id.short().to_owned(), link(id)));
        return Ok(Some(Closing::TakenBack { by, culprit }));
    }
    let is_of_it = match tip.green {
        Some(Green::Workflow(file)) => mended.is_of(file),
        Some(Green::Unknown) => None,
        None => Some(false),
    };
    let is_green = match is_of_it {
        Some(is_of_it) => is_of_it,
        None => is_mended(repo, &mended.bad, tip.commit).await?,
    };
    let commit = (tip.commit.short().to_owned(), link(tip.commit));
    Ok(is_green.then(|| Closing::Green { branch: tip.branch.to_owned(), commit }))
}

/// Whether each check that was red on a commit is green on a later one. One that is not there yet may turn out red, and
/// where none was red nothing is known of what failed.
async fn is_mended(repo: &Repo, bad: &CommitId, now: &CommitId) -> ForgeResult<bool> {
    let before = repo.check_runs(bad, None).await?;
    let red: BTreeSet<&str> =
        before.iter().filter(|run| is_red(run)).map(|run| run.name.as_str()).collect();
    if red.is_empty() {
        return Ok(false);
    }
    let now = repo.check_runs(now, None).await?;
    Ok(red.into_iter().all(|name| is_green(name, &now)))
}

/// Whether a check passed; there may be several of a name, as a branch with a pull request has two of each.
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
