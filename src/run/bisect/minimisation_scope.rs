//! The scope of a bisection: the part of the change between good and bad that is searched.

use crate::run::bisect::commit_history::NarrowedRange;
use crate::run::bisect::commit_range::CommitRange;
use crate::run::bisect::search_setup::SearchSetup;
use crate::run::judge::SymptomOracle;
use crate::run::session::Session;
use crate::run::session::request::BisectRequest;
use crate::run::session::versions::ResolvedVersion;
use mend_git::{Commit, ObjectStore};
use mend_model::CommitId;
use mend_model::{ProgressEvent, Result, Verdict};
use std::collections::HashMap;

/// The two ends of the change to search.
pub(crate) struct MinimisationScope {
    pub(crate) base: ResolvedVersion,
    pub(crate) target: ResolvedVersion,
    /// Culprit commit, if it is certain.
    pub(crate) culprit: Option<Commit>,
    /// Commits of the range, if there are several suspects.
    pub(crate) lineage: Option<CommitRange>,
    /// Verdicts of the commits that could not be judged.
    pub(crate) skipped: HashMap<CommitId, Verdict>,
}

impl MinimisationScope {
    fn whole_range(ready: &SearchSetup) -> Self {
        let (base, target) = (ready.good.clone(), ready.bad.clone());
        Self { base, target, culprit: None, lineage: None, skipped: HashMap::new() }
    }

    /// Returns the scope, narrowed to the culprit commit if there is history.
    pub(crate) fn narrowed(
        request: &BisectRequest,
        session: &Session<'_>,
        ready: &SearchSetup,
        store: &ObjectStore,
    ) -> Result<Self> {
        let whole = || Self::whole_range(ready);
        let (Some(history), Some(good), Some(bad)) =
            (ready.history(request, session, store), &ready.good.commit, &ready.bad.commit)
        else {
            return Ok(whole());
        };
        session.ledger.emit(ProgressEvent::Stage("searching for the culprit commit".to_owned()))?;
        let Some(narrowed) = history.narrow(good, bad)? else {
            session.ledger.note(
                "commit history: good and bad have no common ancestor, so the search covers the whole diff"
                    .to_owned(),
            )?;
            return Ok(whole());
        };
        let NarrowedRange { base, target, suspects, skipped } = narrowed;
        if !are_as_taken(&base, &target, &ready.judge)? {
            let lineage = history.lineage(&ready.good, &ready.bad)?;
            return Ok(Self { lineage, skipped, ..whole() });
        }
        let (culprit, lineage) = match &suspects[..] {
            [one] => (Some(one.clone()), None),
            _ => (None, history.lineage(&base, &target)?),
        };
        session.ledger.update(|result| {
            result.culprit_commit = culprit.as_ref().map(|commit| commit.id.0.clone());
            let suspects = suspects.iter().map(|commit| commit.id.0.clone());
            result.suspects = if culprit.is_some() { Vec::new() } else { suspects.collect() };
        })?;
        Ok(Self { base, target, culprit, lineage, skipped })
    }
}

/// Tests both ends of the narrowed range again. Returns false, and notes it, if `base` does not
/// pass or `target` does not fail.
fn are_as_taken(
    base: &ResolvedVersion,
    target: &ResolvedVersion,
    judge: &SymptomOracle,
) -> Result<bool> {
    for (version, wanted) in [(base, Verdict::Pass), (target, Verdict::Fail)] {
        let what = format!("{} again", version.label);
        if judge.verdict(&version.tree, version.commit_id(), what.as_str(), None)? != wanted {
            judge.ledger.note(format!(
                "{} gave another verdict when tested again, so the search covers the whole range",
                version.label
            ))?;
            return Ok(false);
        }
    }
    Ok(true)
}
