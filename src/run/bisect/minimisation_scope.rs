//! Determines the part of the change between good and bad that the bisection minimises.

use crate::run::bisect::commit_bisection::{CommitBisection, NarrowedRange};
use crate::run::bisect::commit_range::CommitRange;
use crate::run::bisect::result::Bisected;
use crate::run::bisect::revert_check::BreakingChange;
use crate::run::bisect::search_setup::SearchSetup;
use crate::run::judge::SymptomOracle;
use crate::run::session::Session;
use crate::run::session::request::BisectRequest;
use crate::run::session::versions::ResolvedVersion;
use anyhow::Context as _;
use mend_git::Commit;
use mend_model::CommitId;
use mend_model::{ProgressEvent, Result, Verdict};
use mend_report::RevertResult;
use std::collections::HashMap;

/// Ends of the change to minimise.
pub(crate) struct MinimisationScope {
    pub(crate) base: ResolvedVersion,
    pub(crate) target: ResolvedVersion,
    /// Culprit commit, if it is certain.
    pub(crate) culprit: Option<Commit>,
    /// Suspect commits, if the culprit commit is not certain.
    pub(crate) suspects: Vec<Commit>,
    /// Commits of the range, if there are several suspects.
    pub(crate) commit_range: Option<CommitRange>,
    /// Verdicts of the commits that could not be judged.
    pub(crate) skipped: HashMap<CommitId, Verdict>,
    /// Result of reverting the culprit on top of bad, if the culprit is certain.
    pub(crate) revert: Option<RevertResult>,
    /// Commits that broke the test earlier and were repaired, oldest first.
    pub(crate) earlier_breaks: Vec<Commit>,
}

/// Start of a search for the culprit commit.
pub(crate) struct NarrowingStart {
    /// The last commit that is known to pass; `None` without history.
    last_good: Option<Commit>,
    /// Commits that broke the test earlier and were repaired, oldest first.
    earlier_breaks: Vec<Commit>,
}

impl NarrowingStart {
    pub(crate) fn from_good(good: &ResolvedVersion) -> Self {
        Self { last_good: good.commit.clone(), earlier_breaks: Vec::new() }
    }
}

impl MinimisationScope {
    fn whole_range(ready: &SearchSetup<'_>) -> Self {
        let (base, target) = (ready.good.clone(), ready.prepared.bad.clone());
        Self {
            base,
            target,
            culprit: None,
            suspects: Vec::new(),
            commit_range: None,
            skipped: HashMap::new(),
            revert: None,
            earlier_breaks: Vec::new(),
        }
    }

    /// Returns the scope, narrowed to the culprit commit if the history is available.
    pub(crate) fn narrow(
        request: &BisectRequest,
        session: &Session<'_>,
        ready: &SearchSetup<'_>,
        start: NarrowingStart,
    ) -> Result<Self> {
        let (good, bad) = (&ready.good, &ready.prepared.bad);
        let (Some(history), Some(mut last_good), Some(bad_commit)) =
            (ready.commit_bisection(request, session), start.last_good, &bad.commit)
        else {
            return Ok(Self::whole_range(ready));
        };
        session
            .run_log
            .emit(ProgressEvent::Stage("searching for the culprit commit".to_owned()))?;
        let mut earlier_breaks = start.earlier_breaks;
        loop {
            let Some(range) = history.narrow_range(&last_good, bad_commit)? else {
                session.run_log.note_unchecked(
                    "commit history: good and bad have no common ancestor, so the search covers the whole diff"
                        .to_owned(),
                )?;
                return Ok(Self::whole_range(ready));
            };
            if !confirm_endpoints(&range.base, &range.target, &ready.oracle)? {
                let commit_range = history.commit_range(good, bad)?;
                let whole_range = Self::whole_range(ready);
                return Ok(Self { commit_range, skipped: range.skipped, ..whole_range });
            }
            let change = range.breaking_change(&history)?;
            let revert = history.check_revert(&change, bad)?;
            // A conflict says nothing about the cause; a fix may.
            let is_thorough = !revert.passes && (revert.applies || !request.goal.wants_fix());
            match history.find_later_passing_commit(&change, bad_commit, is_thorough)? {
                None => {
                    let scope = Self::from_range(range, &history, ready)?;
                    let revert = scope.culprit.as_ref().map(|_| revert);
                    return Ok(Self { revert, earlier_breaks, ..scope });
                }
                Some(passing) => {
                    earlier_breaks.push(change.commit);
                    last_good = passing;
                }
            }
        }
    }

    /// Returns the start of another search, after a later commit that passes, if the culprit is not the cause on bad: it
    /// cannot be reverted there, and the fix reverts no part of it. `None` if there is no such commit.
    pub(crate) fn find_later_start(
        &self,
        request: &BisectRequest,
        session: &Session<'_>,
        ready: &SearchSetup<'_>,
        found: &Bisected,
    ) -> Result<Option<NarrowingStart>> {
        let (Some(culprit), Some(RevertResult { applies: false, .. }), Some(fix)) =
            (&self.culprit, self.revert, &found.fix)
        else {
            return Ok(None);
        };
        let (Some(history), Some(bad)) =
            (ready.commit_bisection(request, session), &ready.prepared.bad.commit)
        else {
            return Ok(None);
        };
        let Some(change) = history
            .change_of_commit(culprit)?
            .filter(|_| !fix.result.commits.contains(&culprit.id.0))
        else {
            return Ok(None);
        };
        let passing = history.find_later_passing_commit(&change, bad, true)?;
        let earlier_breaks = [&self.earlier_breaks[..], std::slice::from_ref(culprit)].concat();
        Ok(passing.map(|passing| NarrowingStart { last_good: Some(passing), earlier_breaks }))
    }

    /// Returns the scope of a narrowed range.
    fn from_range(
        range: NarrowedRange,
        history: &CommitBisection<'_>,
        ready: &SearchSetup<'_>,
    ) -> Result<Self> {
        let NarrowedRange { base, target, suspects, skipped } = range;
        let scope = Self { base, target, skipped, ..Self::whole_range(ready) };
        if let [one] = &suspects[..] {
            return Ok(Self { culprit: Some(one.clone()), ..scope });
        }
        let commit_range = history.commit_range(&scope.base, &scope.target)?;
        Ok(Self { suspects, commit_range, ..scope })
    }
}

impl NarrowedRange {
    /// Returns the change of the culprit, or of the whole range if there are several suspects.
    fn breaking_change(&self, history: &CommitBisection<'_>) -> Result<BreakingChange> {
        if let [culprit] = &self.suspects[..]
            && let Some(change) = history.change_of_commit(culprit)?
        {
            return Ok(change);
        }
        let last = self.suspects.last().or(self.target.commit.as_ref());
        let commit = last.cloned().with_context(|| "a range without commits")?;
        let [before, after] =
            [&self.base, &self.target].map(|version| version.overlaid_tree.clone());
        Ok(BreakingChange { commit, before, after })
    }
}

/// Tests both ends of the narrowed range again. Returns false and records a note if `base` does not pass or `target`
/// does not fail.
fn confirm_endpoints(
    base: &ResolvedVersion,
    target: &ResolvedVersion,
    oracle: &SymptomOracle<'_>,
) -> Result<bool> {
    for (version, expected) in [(base, Verdict::Pass), (target, Verdict::Fail)] {
        let description = format!("{} again", version.label);
        if oracle.verdict(
            &version.overlaid_tree,
            version.commit_id(),
            description.as_str(),
            None,
        )? != expected
        {
            oracle.run_log.note_unchecked(format!(
                "{} gave another verdict when tested again, so the search covers the whole range",
                version.label
            ))?;
            return Ok(false);
        }
    }
    Ok(true)
}
