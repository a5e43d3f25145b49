//! Plans and tests shards of a bisection.

use crate::run::bisect::commit_bisection::{CommitBisection, SearchedCommits};
use crate::run::bisect::search_setup::SearchSetup;
use crate::run::session::request::{BisectRequest, Context};
use crate::run::session::shard::{Shard, ShardResult};
use crate::run::session::{FinishedRun, Session, open_repository};
use mend_git::Commit;
use mend_model::{Problem, ProgressEvent, Result, Verdict, format_count};
use mend_search::bisection::{Bisection, CommitState};
use mend_search::upcoming_commits;

/// Checks good and bad, and returns the number of commits that up to `max_shards` machines can test at the same time.
///
/// # Errors
/// Problems before the run folder exists. The result contains later problems.
pub fn plan_bisection(
    request: &BisectRequest,
    max_shards: usize,
    context: &Context,
) -> Result<(FinishedRun, usize)> {
    let mut item_count = 0;
    let finished = run_shard(request, context, |setup, session| {
        let history = history_of(request, setup, session)?;
        item_count = history.upcoming(setup, max_shards)?.len();
        let message = format!("{} to test", format_count(item_count, "commit"));
        Ok(ShardResult { message })
    })?;
    Ok((finished, item_count))
}

/// Tests the commit of a shard, so that the bisection finds its outcome in the cache.
///
/// # Errors
/// Problems before the run folder exists. The result contains later problems.
pub fn bisect_shard(
    request: &BisectRequest,
    shard: Shard,
    context: &Context,
) -> Result<FinishedRun> {
    run_shard(request, context, |setup, session| {
        let history = history_of(request, setup, session)?;
        let commits = shard.select(&history.upcoming(setup, shard.count())?);
        for commit in &commits {
            history.judge_commit(commit, None, Some(1))?;
            session.run_log.commit_tested()?;
        }
        let message = format!("shard {shard}: tested {}", format_count(commits.len(), "commit"));
        Ok(ShardResult { message })
    })
}

fn run_shard(
    request: &BisectRequest,
    context: &Context,
    action: impl FnOnce(&SearchSetup<'_>, &Session<'_>) -> Result<ShardResult>,
) -> Result<FinishedRun> {
    let repository = open_repository(&request.subject, false)?;
    let session = Session::open("bisect", request.goal, &request.subject, context, repository)?;
    session.finish(session.prepare(Some(&request.good)).and_then(|prepared| {
        let setup = SearchSetup::new(request, &session, &prepared)?;
        action(&setup, &session)
    }))
}

fn history_of<'a>(
    request: &'a BisectRequest,
    setup: &'a SearchSetup<'_>,
    session: &'a Session<'_>,
) -> Result<CommitBisection<'a>> {
    session.run_log.emit(ProgressEvent::Stage("choosing commits for the shards".to_owned()))?;
    setup.commit_bisection(request, session).ok_or_else(no_history)
}

fn no_history() -> Problem {
    Problem::Usage {
        message: "shards test commits, and this bisection has none".to_owned(),
        remedy: "give revisions with a common history, without --no-history".to_owned(),
    }
}

impl CommitBisection<'_> {
    /// Returns up to `count` commits that the bisection may ask for next, given the outcomes in the cache.
    fn upcoming(&self, setup: &SearchSetup<'_>, count: usize) -> Result<Vec<Commit>> {
        let (Some(good), Some(bad)) = (&setup.good.commit, &setup.prepared.bad.commit) else {
            return Err(no_history());
        };
        let searched = self.searched_commits(good, bad)?.ok_or_else(no_history)?;
        let SearchedCommits { commits, nodes, known_states, .. } = &searched;
        let start = Bisection::new(nodes, known_states)?;
        let positions =
            upcoming_commits(start, self.request.subject.jobs, count, &mut |position| {
                self.known_state(&commits[position])
            })?;
        Ok(positions.into_iter().map(|position| commits[position].clone()).collect())
    }

    /// Returns the state of a commit if its outcome is in the cache.
    fn known_state(&self, commit: &Commit) -> Result<Option<CommitState>> {
        let verdict = self.oracle.known_verdict(&self.overlaid_tree(commit)?)?;
        Ok(verdict.map(|verdict| match verdict {
            Verdict::Pass => CommitState::Good,
            Verdict::Fail => CommitState::Bad,
            Verdict::Unresolved(_) | Verdict::Flaky => CommitState::Skip,
        }))
    }
}
