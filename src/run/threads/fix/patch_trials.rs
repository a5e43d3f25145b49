//! Tests the patches of a generator under the same schedules as our own candidates.

use crate::run::fix::generator::patch_checker::UsablePatch;
use crate::run::fix::generator::patch_results::{TestedPatch, patch_name, to_duplicate};
use crate::run::fix::generator::protocol::CandidateVerdict;
use crate::run::fix::generator::trials::{GeneratorTrials, PatchTester};
use crate::run::fix::trials::KnownVerdict;
use crate::run::threads::fix::passing_candidate::{PassingCandidate, PassingPatch};
use crate::run::threads::fix::trials::{
    CandidateSearch, GeneratorPatches, ScheduleTrials, TrialResult,
};
use mend_java::Candidate;
use mend_model::Result;
use mend_report::PoolPatchResult;
use mend_threads::ConcurrencyOperator;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::time::Instant;

impl GeneratorPatches for GeneratorTrials<'_> {
    fn advance(&self, trials: &ScheduleTrials<'_>, search: &mut CandidateSearch) -> Result<()> {
        GeneratorTrials::advance(self, &ScheduleTester { trials, search: RefCell::new(search) })
    }

    fn finish(&self, trials: &ScheduleTrials<'_>, search: &mut CandidateSearch) -> Result<()> {
        GeneratorTrials::finish(self, &ScheduleTester { trials, search: RefCell::new(search) })
    }
}

/// Tester of patches under schedules.
struct ScheduleTester<'a> {
    trials: &'a ScheduleTrials<'a>,
    search: RefCell<&'a mut CandidateSearch>,
}

impl PatchTester for ScheduleTester<'_> {
    fn is_time_over(&self) -> bool {
        self.trials.budget_use.is_time_over()
    }

    fn test_patch(
        &self,
        number: usize,
        UsablePatch { tree, candidate, edits_tests, .. }: UsablePatch,
    ) -> Result<(CandidateVerdict, PoolPatchResult)> {
        let name = patch_name(number);
        let mut search = self.search.borrow_mut();
        if !search.tried_trees.insert(tree.clone()) {
            let is_passing = search.results.passing.iter().any(|one| one.tree == tree);
            let known =
                if is_passing { KnownVerdict::Plausible } else { KnownVerdict::Implausible };
            return Ok(to_duplicate(&name, known, edits_tests));
        }
        let Candidate { edits, description, score, .. } = candidate.change;
        let operator = ConcurrencyOperator::External;
        let candidates = vec![Candidate { edits, operator, description, score }];
        let started = Instant::now();
        let result = self.trials.run_trial(&tree, &candidates, 0, &mut search)?;
        search.results.tried_patch_count += 1;
        let verdict = result.verdict();
        let (reason, output) = match &result {
            TrialResult::Clean(_) => (String::new(), None),
            TrialResult::Faulty { reason, .. } => (reason.clone(), None),
            TrialResult::Untestable { reason, .. } => {
                let first_line = reason.lines().next().unwrap_or_default().to_owned();
                (first_line, Some(reason.clone()))
            }
        };
        if let TrialResult::Clean(repeated_schedules) = result {
            let generator_patch = Some(PassingPatch { name: name.clone(), edits_tests });
            search.results.passing.push(PassingCandidate {
                candidates,
                tree,
                repeated_schedules,
                generator_patch,
            });
        }
        let tested = TestedPatch {
            name: &name,
            verdict,
            still_failing: &BTreeSet::new(),
            reason,
            output,
            seconds: started.elapsed().as_secs_f64(),
            edits_tests,
        };
        Ok(tested.into_answer_and_result())
    }
}
