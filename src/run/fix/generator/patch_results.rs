//! Results of a generator's patches: for the user, and as answers to the generator.

use super::fault::GeneratorFault;
use super::protocol::{CandidateVerdict, VerdictKind};
use crate::run::fix::trials::KnownVerdict;
use mend_model::{Phase, Verdict};
use mend_report::PoolPatchResult;

/// Verdict in the result on a patch whose change was tried before.
pub(in crate::run) const DUPLICATE_VERDICT: &str = "duplicate";

/// Verdict in the result on a patch that fixes some of the failing tests.
pub(in crate::run) const PARTIAL_VERDICT: &str = "partial";

/// Verdict in the result on a patch for which no time was left.
pub(in crate::run) const UNTESTED_VERDICT: &str = "untested";

/// Returns the name of the patch with a number.
pub(in crate::run) fn patch_name(number: usize) -> String {
    format!("candidate-{number}")
}

/// Returns the result of a patch for which no time was left.
pub(in crate::run) fn to_untested(number: usize) -> PoolPatchResult {
    PoolPatchResult {
        name: patch_name(number),
        verdict: UNTESTED_VERDICT.to_owned(),
        reason: GeneratorFault::BudgetUsedUp.to_string(),
        ..PoolPatchResult::default()
    }
}

/// Returns the answer and the result of a patch whose change was tried before.
pub(in crate::run) fn to_duplicate(
    name: &str,
    verdict: KnownVerdict,
    edits_tests: bool,
) -> (CandidateVerdict, PoolPatchResult) {
    let reason = match verdict {
        KnownVerdict::BeingTested => "the same change is being tested",
        KnownVerdict::Plausible => "the same change was tried before: it is plausible",
        KnownVerdict::Partial => "the same change was tried before: it fixes some failing tests",
        KnownVerdict::Implausible => "the same change was tried before: it is not plausible",
    }
    .to_owned();
    let result = PoolPatchResult {
        name: name.to_owned(),
        verdict: DUPLICATE_VERDICT.to_owned(),
        reason: reason.clone(),
        edits_tests,
        ..PoolPatchResult::default()
    };
    (to_answer(name, VerdictKind::Duplicate, reason, edits_tests), result)
}

/// Returns the result of a patch with a verdict.
pub(in crate::run) fn to_result(
    name: &str,
    verdict: Verdict,
    reason: String,
    edits_tests: bool,
) -> PoolPatchResult {
    PoolPatchResult {
        name: name.to_owned(),
        verdict: verdict.name().to_owned(),
        phase: verdict.phase(),
        reason,
        edits_tests,
        ..PoolPatchResult::default()
    }
}

/// Returns the answer to the generator about a patch.
pub(in crate::run) fn to_answer(
    name: &str,
    verdict: VerdictKind,
    reason: String,
    edits_tests: bool,
) -> CandidateVerdict {
    CandidateVerdict {
        candidate: name.to_owned(),
        verdict,
        reason,
        output: None,
        still_failing: Vec::new(),
        edits_tests,
    }
}

/// Converts a verdict to the kind that a generator gets. `fixes_all` is true if no failing test is left.
pub(in crate::run) fn to_verdict_kind(verdict: Verdict, fixes_all: bool) -> VerdictKind {
    match verdict {
        Verdict::Pass if fixes_all => VerdictKind::Plausible,
        Verdict::Pass => VerdictKind::Partial,
        Verdict::Flaky => VerdictKind::Flaky,
        Verdict::Fail | Verdict::Unresolved(Phase::OtherFailure) => VerdictKind::Fails,
        Verdict::Unresolved(Phase::NotCompiled | Phase::TestsNotCompiled) => {
            VerdictKind::DoesNotCompile
        }
        Verdict::Unresolved(Phase::TimedOut) => VerdictKind::Hangs,
        Verdict::Unresolved(Phase::NotTestable) => VerdictKind::NotTestable,
        Verdict::Unresolved(Phase::Rejected) => VerdictKind::Rejected,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn duplicate_of_a_tree_that_is_being_tested_has_no_verdict_yet() {
        let reason = |verdict| to_duplicate("candidate-1", verdict, false).1.reason;
        assert_eq!(reason(KnownVerdict::BeingTested), "the same change is being tested");
        assert!(reason(KnownVerdict::Partial).ends_with("it fixes some failing tests"));
    }
}
