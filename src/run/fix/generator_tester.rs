//! Tests the patches of a generator with the trials of contract repair.

use super::generator::patch_checker::UsablePatch;
use super::generator::patch_results::{TestedPatch, patch_name, to_duplicate};
use super::generator::protocol::CandidateVerdict;
use super::generator::trials::PatchTester;
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
        let tested = TestedPatch {
            name,
            verdict: judgement.verdict,
            still_failing: &still_failing,
            reason,
            output,
            seconds: judgement.seconds,
            edits_tests,
        };
        Ok(tested.into_answer_and_result())
    }
}
