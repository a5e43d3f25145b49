//! Verifies the best fixes and writes their patches.

use super::plausible::{FixOrigin, PlausibleFix};
use crate::run::fix::fix_minimiser::FixMinimiser;
use crate::run::fix::result::Fixes;
use crate::run::fix::revert::RevertRanking;
use crate::run::fix::unverified_fixes::UnverifiedFixes;
use crate::run::patch::affected_tests::AffectedTestRunner;
use crate::run::patch::fix_confirmation::{ConfirmedFix, ProposedFix, delete_patch};
use crate::run::patch::repair_context::{RepairContext, RepairOrigin};
use crate::run::patch::verification::diff_to_original;
use mend_model::{Result, format_count};
use mend_repair::RecordedValues;
use mend_report::{FixEvidence, FixResult, ObservedValues};
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// Maximum number of fixes that the regression check rejects. Each check takes as long as the affected tests.
const MAX_REJECTED_FIXES: usize = 6;

/// Maximum number of fixes that are verified although no time is left, if none is confirmed.
const MAX_LATE_FIXES: usize = 3;

/// Verifier and writer of the best fixes.
pub(super) struct FixVerifier<'a> {
    pub(super) repair_context: RepairContext<'a>,
    /// Values that tests recorded before the repair.
    pub(super) recorded_values: &'a RecordedValues,
    pub(super) minimiser: FixMinimiser<'a>,
    /// Result of the earlier techniques.
    pub(super) so_far: &'a Fixes,
    pub(super) revert_ranking: RevertRanking,
    /// Plausible fixes that remain to be verified.
    pub(super) unverified: UnverifiedFixes,
}

/// Result of the verification so far.
#[derive(Default)]
struct WrittenFixes {
    fixes: Vec<FixResult>,
    observed_values: Vec<ObservedValues>,
    /// Number of fixes that a clean build did not confirm.
    contradicted_count: usize,
    /// Regressions that rejected fixes.
    regressions: Vec<String>,
    /// Reasons why patches of a generator were rejected, by name.
    rejected_patches: BTreeMap<String, String>,
    /// Names of patches of a generator that are the same as the revert.
    reverting_patches: BTreeSet<String>,
}

impl FixVerifier<'_> {
    /// Verifies fixes in their order until `top` of them are confirmed, and writes their patches. Inserts the revert,
    /// which is already verified. Omits a fix that is equal to another one after its minimisation.
    pub(super) fn write_best(mut self, plausible: Vec<PlausibleFix>, top: usize) -> Result<Fixes> {
        let RepairContext { session, bad, store, expectations, .. } = self.repair_context;
        self.revert_ranking.count_fixed_tests(&self.repair_context)?;
        let revert = &self.revert_ranking;
        let (mut written, mut known_trees, selected_tests) =
            (WrittenFixes::default(), HashSet::new(), expectations.tests());
        let budget_use = self.minimiser.budget_use;
        let time_limit = budget_use.remaining_verification_time();
        let affected_tests = AffectedTestRunner::within(session, &selected_tests, time_limit);
        for (at, plausible_fix) in plausible.into_iter().enumerate() {
            let revert_comes_first =
                revert.ranks_before(Some(plausible_fix.tokens), plausible_fix.still_failing.len());
            let is_enough = written.fixes.len() + usize::from(revert_comes_first) >= top;
            if is_enough || written.regressions.len() >= MAX_REJECTED_FIXES {
                self.unverified.clear(&session.run_log.folder);
                break;
            }
            let is_late = budget_use.remaining_verification_time().is_zero();
            if is_late && is_enough_after_deadline(written.fixes.len(), at) {
                self.unverified.note_missing_time(&session.run_log)?;
                break;
            }
            let smaller = self.minimiser.minimise(&plausible_fix)?;
            let tree = smaller.as_ref().map_or(&plausible_fix.tree, |smaller| &smaller.tree);
            let is_revert = revert.has_same_patch(&diff_to_original(bad, tree, store)?.1);
            if is_revert {
                written.record_revert(&plausible_fix);
            } else if known_trees.insert(tree.clone()) {
                self.check_and_add(&plausible_fix, smaller, &affected_tests, &mut written)?;
            }
            self.unverified.remove(&plausible_fix.tree, &session.run_log.folder);
            session.run_log.save(&self.with_fixes(&written, top))?;
        }
        if !written.observed_values.is_empty() {
            session.run_log.folder.write_values(&written.observed_values)?;
        }
        let mut fixes = self.with_fixes(&written, top);
        fixes.summary.extend(written.rejection_reasons());
        session.run_log.save(&fixes)?;
        Ok(fixes)
    }

    /// Returns the result so far with the written fixes and the revert.
    fn with_fixes(&self, done: &WrittenFixes, top: usize) -> Fixes {
        let fixes = Fixes {
            ranked: self.revert_ranking.insert_into(&done.fixes, top),
            unverified: self.unverified.list(),
            rejected_patches: done.rejected_patches.clone(),
            reverting_patches: done.reverting_patches.clone(),
            ..self.so_far.clone()
        };
        match self.minimiser.generator {
            Some(generator) => generator.add_verdicts(fixes),
            None => fixes,
        }
    }

    /// Adds a fix if a clean build confirms it and the regression check does not reject it.
    fn check_and_add(
        &self,
        plausible_fix: &PlausibleFix,
        smaller: Option<PlausibleFix>,
        affected_tests: &AffectedTestRunner<'_>,
        written: &mut WrittenFixes,
    ) -> Result<()> {
        let rank = written.fixes.len() + 1;
        let proved = smaller.map(|smaller| self.verify_fix(&smaller, rank)).transpose()?.flatten();
        // If a clean build does not confirm the minimised fix, verifies the whole fix.
        let proved =
            proved.map_or_else(|| self.verify_fix(plausible_fix, rank), |fix| Ok(Some(fix)))?;
        let Some(fix) = proved else {
            written.contradicted_count += 1;
            written.record_rejection(plausible_fix, "a clean build does not confirm it");
            return Ok(());
        };
        let (fix, broken) = affected_tests.check_fix(fix)?;
        if let Some(why) = broken {
            let run_log = &self.repair_context.session.run_log;
            run_log
                .folder
                .append_log(&format!("rejected, {}: {why}", plausible_fix.description()))?;
            delete_patch(&fix, run_log);
            written.record_rejection(plausible_fix, &why);
            written.regressions.push(why);
            return Ok(());
        }
        let file = fix.patch.as_deref().unwrap_or_default();
        written.observed_values.extend(self.observed_values(plausible_fix, file));
        written.fixes.push(fix);
        Ok(())
    }

    /// Returns the values that tests observed before the changed statement.
    fn observed_values(&self, plausible_fix: &PlausibleFix, patch: &str) -> Option<ObservedValues> {
        let ((failing, passing), terms) =
            self.recorded_values.observations_before(&plausible_fix.candidate)?;
        Some(ObservedValues {
            patch: patch.to_owned(),
            path: plausible_fix.candidate.path.to_string(),
            line: plausible_fix.candidate.line,
            failing,
            passing,
            terms,
        })
    }

    /// Writes and verifies a fix. Returns `None` if a clean build does not confirm it.
    fn verify_fix(&self, plausible_fix: &PlausibleFix, rank: usize) -> Result<Option<FixResult>> {
        let why = plausible_fix.description();
        let (technique, operator) = plausible_fix.technique_and_operator();
        let proposed = ProposedFix {
            rank,
            tree: &plausible_fix.tree,
            origin: RepairOrigin { technique, operator, description: &why, has_sources: true },
            still_failing: &plausible_fix.still_failing,
        };
        let confirmed = proposed.confirm(self.repair_context)?;
        Ok(confirmed.map(|confirmed| self.with_evidence(confirmed, plausible_fix)))
    }

    /// Adds the numbers of fixed tests and of compared generated tests to a fix.
    fn with_evidence(
        &self,
        ConfirmedFix { fix, outcome }: ConfirmedFix,
        plausible_fix: &PlausibleFix,
    ) -> FixResult {
        let still_failing = self.repair_context.expectations.still_failing_in(&outcome);
        // Without compared tests there is no agreement to report.
        let compared = plausible_fix.agreement.filter(|agreement| agreement.compared_tests > 0);
        let validated = FixEvidence {
            failing_pass: fix.validated.failing_pass - still_failing.len(),
            still_failing: still_failing.into_iter().collect(),
            generated: compared.map(|agreement| agreement.compared_tests - agreement.changed_tests),
            generated_different: compared.map_or(0, |agreement| agreement.changed_tests),
            generated_reaching: compared.and_then(|agreement| agreement.reaching_tests),
            overfitting_signs: plausible_fix.overfitting_signs(),
            unclassified: !plausible_fix.is_classified(),
            ..fix.validated.clone()
        };
        FixResult { validated, ..fix }
    }
}

impl WrittenFixes {
    fn record_rejection(&mut self, rejected: &PlausibleFix, reason: &str) {
        if let FixOrigin::Generator { candidate, .. } = &rejected.origin {
            self.rejected_patches.insert(candidate.clone(), reason.to_owned());
        }
    }

    fn record_revert(&mut self, fix: &PlausibleFix) {
        if let FixOrigin::Generator { candidate, .. } = &fix.origin {
            self.reverting_patches.insert(candidate.clone());
        }
    }

    /// Returns the reasons why fixes were rejected.
    fn rejection_reasons(&self) -> impl Iterator<Item = String> {
        let contradicted = (self.contradicted_count > 0).then(|| {
            format!("clean builds did not confirm {}", format_count(self.contradicted_count, "fix"))
        });
        let broken = self.regressions.first().map(|why| {
            let fixes = format_count(self.regressions.len(), "fix");
            format!("{fixes} rejected by other tests: {why}")
        });
        contradicted.into_iter().chain(broken)
    }
}

/// Returns true if no further fix is verified once no time is left. Until one is confirmed, the next best of the
/// plausible ones is tried, because a search that found some should not end without any.
fn is_enough_after_deadline(confirmed_count: usize, tried_count: usize) -> bool {
    confirmed_count > 0 || tried_count >= MAX_LATE_FIXES
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rejected_fix_is_followed_by_the_next_even_after_the_deadline() {
        let after_rejections = [0, 1, 2, 3].map(|tried| is_enough_after_deadline(0, tried));
        assert_eq!(after_rejections, [false, false, false, true]);
        assert!(is_enough_after_deadline(1, 1));
    }

    #[test]
    fn unconfirmed_fixes_are_counted_in_plain_words() {
        let written = WrittenFixes { contradicted_count: 2, ..WrittenFixes::default() };
        let reasons: Vec<String> = written.rejection_reasons().collect();
        assert_eq!(reasons, ["clean builds did not confirm 2 fixes"]);
    }
}
