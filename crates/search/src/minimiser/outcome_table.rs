//! Table of tested sets with their outcomes, and inferences from them.

use crate::minimiser::search_input::Interest;
use crate::oracle::{LearnedImplication, OracleAnswer};
use crate::subset::{Subset, full_set};
use crate::units::{MinimisationGoal, Units};
use mend_model::Verdict;
use std::collections::HashMap;

/// Outcomes of tested sets of enabled units.
pub(crate) struct OutcomeTable {
    answers: HashMap<Subset, OracleAnswer>,
    /// Sets whose answers were used. Speculative answers are not included, so that inferences do not depend on the
    /// parallelism.
    passing: Vec<Subset>,
    failing: Vec<Subset>,
    pub(crate) tests: usize,
    pub(crate) unresolved_tests: usize,
}

impl OutcomeTable {
    /// Creates a table with the known outcomes: the empty set passes and the full set fails.
    pub(crate) fn new(len: usize) -> Self {
        let (nothing, everything) = (Subset::with_capacity(len), full_set(len));
        let answers = if len == 0 {
            HashMap::new()
        } else {
            [(nothing.clone(), Verdict::Pass.into()), (everything.clone(), Verdict::Fail.into())]
                .into()
        };
        let (passing, failing) = (vec![nothing], vec![everything]);
        Self { answers, passing, failing, tests: 0, unresolved_tests: 0 }
    }

    pub(crate) fn answer(&self, enabled: &Subset) -> Option<&OracleAnswer> {
        self.answers.get(enabled)
    }

    pub(crate) fn insert(&mut self, enabled: Subset, answer: OracleAnswer) {
        self.tests += 1;
        self.unresolved_tests +=
            usize::from(!matches!(answer.verdict, Verdict::Pass | Verdict::Fail));
        self.answers.insert(enabled, answer);
    }

    /// Marks an answer as used.
    pub(crate) fn mark_used(&mut self, enabled: &Subset, verdict: Verdict) {
        let sets = match verdict {
            Verdict::Pass => &mut self.passing,
            Verdict::Fail => &mut self.failing,
            Verdict::Unresolved(_) | Verdict::Flaky => return,
        };
        if !sets.contains(enabled) {
            sets.push(enabled.clone());
        }
    }

    /// Infers the outcome of an untested set, under the assumption that subsets of passing sets pass and supersets of
    /// failing sets fail.
    pub(crate) fn infer_interest(
        &self,
        enabled: &Subset,
        goal: MinimisationGoal,
    ) -> Option<Interest> {
        let is_opposite = match goal {
            MinimisationGoal::Culprit => {
                self.passing.iter().any(|passing| enabled.is_subset(passing))
            }
            MinimisationGoal::Fix => self.failing.iter().any(|failing| failing.is_subset(enabled)),
        };
        is_opposite.then_some(Interest::NotInteresting)
    }

    /// Returns true if no failing set is a subset of a passing one.
    pub(crate) fn is_monotone(&self) -> bool {
        let lies_in_passing =
            |failing: &Subset| self.passing.iter().any(|passing| failing.is_subset(passing));
        !self.failing.iter().any(lies_in_passing)
    }

    /// Adds the constraints learned from an unresolved set to `units`, unless a used answer contradicts them. Returns
    /// true if any was added.
    pub(crate) fn learn_implications(
        &self,
        enabled: &Subset,
        implications: &[LearnedImplication],
        units: &mut Units,
    ) -> bool {
        let mut has_learned = false;
        for implication in implications {
            let mut resolved_sets = self.passing.iter().chain(&self.failing);
            if implication.is_valid(enabled.len())
                && !implication.is_satisfied_by(enabled)
                && resolved_sets.all(|set| implication.is_satisfied_by(set))
            {
                units.add_implication(implication);
                has_learned = true;
            }
        }
        has_learned
    }
}
