//! Tests the patches of a generator with the trials of contract repair.

use super::generator::patch_checker::UsablePatch;
use super::generator::patch_results::{
    PARTIAL_VERDICT, patch_name, to_answer, to_duplicate, to_result, to_verdict_kind,
};
use super::generator::protocol::CandidateVerdict;
use super::generator::trials::{MAX_OUTPUT_CHARS, PatchTester};
use super::plausible::FixOrigin;
use super::trials::{CandidateTrials, PatchTrial, PatchTrialResult, TrialOutcome};
use mend_model::{Outcome, Result, Verdict};
use mend_report::PoolPatchResult;

/// Tester of patches beside the candidates of contract repair.
pub(super) struct ContractTester<'a> {
    pub(super) trials: &'a CandidateTrials<'a>,
}

impl PatchTester for ContractTester<'_> {
    fn is_time_over(&self) -> bool {
        self.trials.budget_use.is_time_over()
    }

    fn test_patch(
        &self,
        number: usize,
        UsablePatch { tree, candidate, is_classified, edits_tests }: UsablePatch,
    ) -> Result<(CandidateVerdict, PoolPatchResult)> {
        let name = &patch_name(number);
        let candidate_name = name.to_owned();
        let origin = FixOrigin::Generator { candidate: candidate_name, is_classified, edits_tests };
        let trial = PatchTrial { number, tree, candidate, origin };
        let TrialOutcome { judgement, still_failing } = match self.trials.try_patch(trial)? {
            PatchTrialResult::Tested(outcome) => outcome,
            PatchTrialResult::Known(verdict) => {
                return Ok(to_duplicate(name, verdict, edits_tests));
            }
        };
        let outcome = judgement.outcome.as_ref();
        let reason = match judgement.verdict {
            Verdict::Flaky => "its runs disagree".to_owned(),
            _ => outcome
                .map_or(String::new(), |one| self.trials.repair_context.expectations.explain(one)),
        };
        let output = outcome.filter(|_| judgement.verdict != Verdict::Pass).map(Outcome::text);
        let answer = CandidateVerdict {
            output: output.map(|text| text.chars().take(MAX_OUTPUT_CHARS).collect()),
            still_failing: still_failing.iter().cloned().collect(),
            ..to_answer(
                name,
                to_verdict_kind(judgement.verdict, still_failing.is_empty()),
                reason.clone(),
                edits_tests,
            )
        };
        let mut result = PoolPatchResult {
            seconds: judgement.seconds,
            ..to_result(name, judgement.verdict, reason, edits_tests)
        };
        if judgement.verdict == Verdict::Pass && !still_failing.is_empty() {
            PARTIAL_VERDICT.clone_into(&mut result.verdict);
        }
        Ok((answer, result))
    }
}
