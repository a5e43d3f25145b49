//! Which pull request brought a commit to a merge queue.
//!
//! A queue that squashes or rebases makes commits of its own, and one that merges makes merges: of these GitHub names no
//! pull request. What names one then is the message, which GitHub wrote where it squashed or merged, and the queue's
//! branch. Authors write messages too, so whatever is named is asked of GitHub, and what the last pull request of the
//! queue has itself is its own.

use super::told::Told;
use crate::bot::QueueBranch;
use crate::git::CommitId;
use crate::github::{Commit, Descent, ForgeError, ForgeResult, Pull, PullNumber, PullState, Repo};
use crate::report::story::Telling;

/// A commit that fails in a merge queue.
pub(super) struct Queued<'a> {
    pub(super) repo: &'a Repo,
    pub(super) queue: &'a QueueBranch,
    pub(super) commit: &'a Commit,
    pub(super) told: &'a mut Told,
}

impl Queued<'_> {
    /// The pull request that brought the commit, which is in these as GitHub knows it.
    pub(super) async fn pull(mut self, known: &[Pull]) -> ForgeResult<Option<PullNumber>> {
        if let Some(pull) = known.iter().find(|pull| self.may_be(pull)) {
            return Ok(Some(pull.number));
        }
        let last = self.last().await?;
        if let Some(pull) = &last
            && self.is_rebased_from(pull).await?
        {
            return Ok(Some(pull.number));
        }
        if let Some(number) = squashed(self.commit)
            && self.proposed(number).await?.is_some()
        {
            return Ok(Some(number));
        }
        if let Some((number, head)) = merged(self.commit)
            && self.proposed(number).await?.is_some_and(|pull| pull.head == *head)
        {
            return Ok(Some(number));
        }
        Ok(last.map(|pull| pull.number))
    }

    /// The last pull request of the queue, if the commit is not what that was put on top of.
    async fn last(&mut self) -> ForgeResult<Option<Pull>> {
        let Some((number, below)) = self.queue.last() else { return Ok(None) };
        let descent = match self.repo.descent(&below, &self.commit.id).await {
            Err(ForgeError::NotFound(_)) => return Ok(None),
            descent => descent?,
        };
        if descent != Descent::Ahead {
            return Ok(None);
        }
        self.proposed(number).await
    }

    /// Whether the commit is one of a pull request's own, on top of others: then its message is the author's, whichever
    /// pull request that names.
    async fn is_rebased_from(&self, pull: &Pull) -> ForgeResult<bool> {
        let written =
            |commit: &Commit| (commit.message.clone(), commit.author.clone(), commit.date.clone());
        let own = match self.repo.commits_since(&pull.base, &pull.head).await {
            Err(ForgeError::NotFound(_)) => return Ok(false),
            own => own?,
        };
        Ok(own.iter().any(|commit| written(commit) == written(self.commit)))
    }

    /// The pull request of this number, if it may be in the queue.
    async fn proposed(&mut self, number: PullNumber) -> ForgeResult<Option<Pull>> {
        let pull = match self.repo.pull(number).await {
            Err(ForgeError::NotFound(_)) => return Ok(None),
            pull => self.told.allowed(Telling::CulpritsPull, pull)?,
        };
        Ok(pull.filter(|pull| self.may_be(pull)))
    }

    fn may_be(&self, pull: &Pull) -> bool {
        let is_for_it = self.queue.base().is_none_or(|base| pull.base_branch == base);
        pull.state == PullState::Open && is_for_it
    }
}

/// The pull request that GitHub puts at the end of the first line where it squashes: `Sum up (#12)`.
fn squashed(commit: &Commit) -> Option<PullNumber> {
    let line = commit.summary().trim_end();
    let is_one = commit.parents.len() == 1;
    let number = line.strip_suffix(')').filter(|_| is_one)?.rsplit_once(" (#")?.1;
    number.parse().ok().map(PullNumber)
}

/// The pull request that GitHub names where it merges, and the commit that it merged.
fn merged(commit: &Commit) -> Option<(PullNumber, &CommitId)> {
    let [_, head] = &commit.parents[..] else { return None };
    let rest = commit.message.strip_prefix("Merge pull request #")?;
    let (number, _) = rest.split_once(" from ")?;
    Some((PullNumber(number.parse().ok()?), head))
}
