//! Determines the part of the change between good and bad that the bisection minimises.

use crate::run::bisect::commit_history::NarrowedRange;
use crate::run::bisect::commit_range::CommitRange;
use crate::run::bisect::search_setup::SearchSetup;
use crate::run::judge::SymptomOracle;
use crate::run::session::Session;
use crate::run::session::request::BisectRequest;
use crate::run::session::versions::ResolvedVersion;
use mend_git::Commit;
use mend_model::CommitId;
use mend_model::{ProgressEvent, Result, Verdict};
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
}

impl MinimisationScope {
    fn whole_range(ready: &SearchSetup<'_>) -> Self {
        let (base, target) = (ready.good.clone(), ready.prepared.bad.clone());
        let (suspects, skipped) = (Vec::new(), HashMap::new());
        Self { base, target, culprit: None, suspects, commit_range: None, skipped }
    }

    /// Returns the scope, narrowed to the culprit commit if the history is available.
    pub(crate) fn narrow(
        request: &BisectRequest,
        session: &Session<'_>,
        ready: &SearchSetup<'_>,
    ) -> Result<Self> {
        let whole_scope = || Self::whole_range(ready);
        let (good, bad) = (&ready.good, &ready.prepared.bad);
        let (Some(history), Some(good_commit), Some(bad_commit)) =
            (ready.commit_history(request, session), &good.commit, &bad.commit)
        else {
            return Ok(whole_scope());
        };
        session
            .run_log
            .emit(ProgressEvent::Stage("searching for the culprit commit".to_owned()))?;
        let Some(narrowed) = history.narrow_range(good_commit, bad_commit)? else {
            session.run_log.note_unchecked(
                "commit history: good and bad have no common ancestor, so the search covers the whole diff"
                    .to_owned(),
            )?;
            return Ok(whole_scope());
        };
        let NarrowedRange { base, target, suspects, skipped } = narrowed;
        if !confirm_endpoints(&base, &target, &ready.oracle)? {
            let lineage = history.commit_range(good, bad)?;
            return Ok(Self { commit_range: lineage, skipped, ..whole_scope() });
        }
        let scope = Self { base, target, skipped, ..whole_scope() };
        if let [one] = &suspects[..] {
            return Ok(Self { culprit: Some(one.clone()), ..scope });
        }
        let lineage = history.commit_range(&scope.base, &scope.target)?;
        Ok(Self { suspects, commit_range: lineage, ..scope })
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
