//! Results of a generator's patches: for the user, and as answers to the generator.

use super::fault::GeneratorFault;
use super::protocol::{CandidateVerdict, VerdictKind};
use crate::run::fix::trials::KnownVerdict;
use mend_model::{Phase, Verdict};
use mend_report::PoolPatchResult;
use std::collections::BTreeSet;

/// Maximum number of characters of compiler messages and failures that a generator gets back.
const MAX_OUTPUT_CHARS: usize = 4000;

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

/// Patch that was tested.
pub(in crate::run) struct TestedPatch<'a> {
    pub(in crate::run) name: &'a str,
    pub(in crate::run) verdict: Verdict,
    /// Failing tests that it does not fix.
    pub(in crate::run) still_failing: &'a BTreeSet<String>,
    /// Reason of the verdict, on one line.
    pub(in crate::run) reason: String,
    /// Messages of the compiler or of failing tests.
    pub(in crate::run) output: Option<String>,
    pub(in crate::run) seconds: f64,
    pub(in crate::run) edits_tests: bool,
}

impl TestedPatch<'_> {
    /// Returns the answer to the generator, with shortened output, and the result.
    pub(in crate::run) fn into_answer_and_result(self) -> (CandidateVerdict, PoolPatchResult) {
        let Self { name, verdict, still_failing, reason, output, seconds, edits_tests } = self;
        let fixes_all = still_failing.is_empty();
        let kind = to_verdict_kind(verdict, fixes_all);
        let answer = CandidateVerdict {
            output: output.map(|text| text.chars().take(MAX_OUTPUT_CHARS).collect()),
            still_failing: still_failing.iter().cloned().collect(),
            ..to_answer(name, kind, reason.clone(), edits_tests)
        };
        let mut result =
            PoolPatchResult { seconds, ..to_result(name, verdict, reason, edits_tests) };
        if verdict == Verdict::Pass && !fixes_all {
            PARTIAL_VERDICT.clone_into(&mut result.verdict);
        }
        (answer, result)
    }
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
fn to_verdict_kind(verdict: Verdict, fixes_all: bool) -> VerdictKind {
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
    fn patch_that_leaves_a_test_failing_is_partial() {
        let verdicts = |still_failing: &[&str]| {
            let tested = TestedPatch {
                name: "candidate-1",
                verdict: Verdict::Pass,
                still_failing: &still_failing.iter().map(|test| (*test).to_owned()).collect(),
                reason: String::new(),
                output: Some("x".repeat(MAX_OUTPUT_CHARS + 1)),
                seconds: 1.0,
                edits_tests: false,
            };
            let (answer, result) = tested.into_answer_and_result();
            assert_eq!(answer.output.unwrap().len(), MAX_OUTPUT_CHARS);
            (answer.verdict, result.verdict)
        };
        assert_eq!(verdicts(&[]), (VerdictKind::Plausible, "pass".to_owned()));
        assert_eq!(verdicts(&["A#a"]), (VerdictKind::Partial, "partial".to_owned()));
    }

    #[test]
    fn duplicate_of_a_tree_that_is_being_tested_has_no_verdict_yet() {
        let reason = |verdict| to_duplicate("candidate-1", verdict, false).1.reason;
        assert_eq!(reason(KnownVerdict::BeingTested), "the same change is being tested");
        assert!(reason(KnownVerdict::Partial).ends_with("it fixes some failing tests"));
    }
}
