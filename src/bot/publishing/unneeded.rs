//! Fix pull requests that nobody needs any more.

use super::CHECK;
use super::fix_pull::{is_ours, settle};
use super::marker::{Marker, Mended};
use super::taken_back::taken_back_by;
use crate::git::CommitId;
use crate::github::{CheckRun, Conclusion, Descent, ForgeResult, Pull, Repo};
use crate::report::story::{Closing, closing_comment};

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
    /// Something; the others are asked.
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

/// Closes the fix pull requests of a branch that nobody needs any more: those whose culprit was taken back, and where
/// the branch is green again those that mend a version which the green commit comes after. Each is told why.
///
/// # Errors
/// As GitHub answers.
pub async fn close_unneeded(repo: &Repo, tip: Tip<'_>) -> ForgeResult<Vec<Closed>> {
    let ours = repo.open_pulls().await?.into_iter().filter(|pull| is_ours(repo, pull, tip.branch));
    let ours: Vec<(Pull, Mended)> =
        ours.filter_map(|pull| Marker::mended(&pull.body).map(|mended| (pull, mended))).collect();
    if ours.is_empty() {
        return Ok(Vec::new());
    }
    let is_green =
        !matches!(tip.green, Some(Green::Unknown)) || is_all_fine(repo, tip.commit).await?;
    let tip = Tip { green: tip.green.filter(|_| is_green), ..tip };
    let mut closed = Vec::new();
    for (pull, mended) in ours {
        // One that was begun with is gone on with.
        if Marker::is_settled(&pull.body) {
            settle(repo, &pull).await?;
            continue;
        }
        let Some(why) = reason(repo, &mended, tip).await? else { continue };
        let marker = Marker::closing().to_string();
        let text = closing_comment(&marker, &why);
        repo.set_comment(pull.number, &marker, &text).await?;
        settle(repo, &pull).await?;
        closed.push(Closed { pull, why });
    }
    Ok(closed)
}

/// Why what a pull request mends is mended without it, if it is.
async fn reason(repo: &Repo, mended: &Mended, tip: Tip<'_>) -> ForgeResult<Option<Closing>> {
    let link = |id: &CommitId| format!("{}/commit/{id}", repo.web());
    if repo.descent(&mended.bad, tip.commit).await? != Descent::Ahead {
        return Ok(None);
    }
    if let Some(culprit) = &mended.culprit
        && let Some(by) = taken_back_by(repo, culprit, (&mended.bad, tip.commit)).await?
    {
        let [by, culprit] = [&by.id, culprit].map(|id| (id.short().to_owned(), link(id)));
        return Ok(Some(Closing::TakenBack { by, culprit }));
    }
    let is_green = match tip.green {
        Some(Green::Workflow(file)) => mended.is_of(Some(file)),
        Some(Green::Unknown) => true,
        None => false,
    };
    let commit = (tip.commit.short().to_owned(), link(tip.commit));
    Ok(is_green.then(|| Closing::Green { branch: tip.branch.to_owned(), commit }))
}

/// Whether nothing on a commit is red or under way: it is not said what was green.
async fn is_all_fine(repo: &Repo, commit: &CommitId) -> ForgeResult<bool> {
    Ok(repo.check_runs(commit, None).await?.iter().all(is_fine))
}

/// Whether a check is over and not red. One of ours that still searches says nothing of the commit.
fn is_fine(run: &CheckRun) -> bool {
    let is_red = matches!(
        run.conclusion,
        Some(Conclusion::Failure | Conclusion::TimedOut | Conclusion::StartupFailure)
    );
    !is_red && (run.status == "completed" || run.name.starts_with(CHECK))
}
