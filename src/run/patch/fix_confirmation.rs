//! Writes the patch of a fix to the run folder, and confirms it in a clean build.

use super::repair_context::{RepairContext, RepairOrigin};
use super::verification::CleanCheckout;
use crate::run::judge::Judgement;
use crate::run::session::run_log::RunLog;
use mend_model::{Outcome, Result, TreeId, Verdict, format_count};
use mend_report::FixResult;
use std::collections::BTreeSet;

/// Fix to confirm in a clean build.
pub(crate) struct ProposedFix<'a> {
    /// Rank among the fixes, which names its patch.
    pub(crate) rank: usize,
    /// Tree of bad with the fix.
    pub(crate) tree: &'a TreeId,
    pub(crate) origin: RepairOrigin<'a>,
    /// Failing tests that it does not fix.
    pub(crate) still_failing: &'a BTreeSet<String>,
}

/// Fix that a clean build confirms, with the outcome of the tests there.
pub(crate) struct ConfirmedFix {
    pub(crate) fix: FixResult,
    pub(crate) outcome: Outcome,
}

impl ProposedFix<'_> {
    /// Writes the patch and runs the tests in a clean build with it. Returns `None` and deletes the patch if the clean
    /// build does not confirm the fix.
    ///
    /// # Errors
    /// Those of [`CleanCheckout::judge_clean_build`]; the patch is deleted then too.
    pub(crate) fn confirm(
        &self,
        repair_context: RepairContext<'_>,
    ) -> Result<Option<ConfirmedFix>> {
        let (fix, text) = repair_context.to_fix_result(self.tree, &self.origin)?;
        let file = format!("fix-{}.patch", self.rank);
        let run_log = &repair_context.session.run_log;
        run_log.folder.write_file(&file, text.as_deref().unwrap_or_default())?;
        let fix = FixResult { rank: self.rank, patch: Some(file), ..fix };
        let outcome = self.run_clean_build(repair_context, &fix);
        if !matches!(outcome, Ok(Some(_))) {
            delete_patch(&fix, run_log);
        }
        Ok(outcome?.map(|outcome| ConfirmedFix { fix, outcome }))
    }

    /// Returns the outcome of the tests, or `None` if it does not confirm the fix.
    fn run_clean_build(
        &self,
        repair_context: RepairContext<'_>,
        fix: &FixResult,
    ) -> Result<Option<Outcome>> {
        let RepairContext { session, oracle, expectations, bad, .. } = repair_context;
        let file = fix.patch.as_deref().unwrap_or_default();
        let patch = session.run_log.folder.path().join(file);
        let exceptions = match self.still_failing.len() {
            0 => String::new(),
            some => format!(", except {} that it does not fix", format_count(some, "failing test")),
        };
        let clean_checkout = CleanCheckout {
            description: format!("{file} on a clean checkout{exceptions}"),
            from: bad,
            patch: Some(&patch),
            tree: self.tree,
            limits: oracle.limits.extended_for_fresh_jvm(),
            earlier_outcome: None,
            accepts_cached: session.subject.is_resumed,
        };
        let Judgement { verdict, outcome, .. } = clean_checkout.judge_clean_build(oracle)?;
        let is_confirmed = |outcome: &Outcome| {
            verdict == Verdict::Pass
                && expectations.still_failing_in(outcome).is_subset(self.still_failing)
        };
        Ok(outcome.filter(is_confirmed))
    }
}

/// Deletes the patch of a rejected fix from the run folder: what is not verified must not stay there.
pub(crate) fn delete_patch(fix: &FixResult, run_log: &RunLog) {
    let file = fix.patch.as_deref();
    drop(file.map(|file| std::fs::remove_file(run_log.folder.path().join(file))));
}
