//! Every answer so far, and what follows from it.

use crate::minimizer::search_input::Sign;
use crate::oracle::{Answer, Lesson};
use crate::subset::{Subset, full};
use crate::units::{Goal, Units};
use mend_model::Verdict;
use std::collections::HashMap;

/// What is known of sets of units that are switched on.
pub(crate) struct Memory {
    answers: HashMap<Subset, Answer>,
    /// The sets whose answers were used. Those that were only asked about ahead are not among them, so
    /// that what follows does not depend on the parallelism.
    passing: Vec<Subset>,
    failing: Vec<Subset>,
    pub(crate) tests: usize,
    pub(crate) unresolved: usize,
}

impl Memory {
    /// Nothing passes and everything fails.
    pub(crate) fn new(len: usize) -> Self {
        let (nothing, everything) = (Subset::with_capacity(len), full(len));
        let answers = if len == 0 {
            HashMap::new()
        } else {
            [(nothing.clone(), Verdict::Pass.into()), (everything.clone(), Verdict::Fail.into())]
                .into()
        };
        let (passing, failing) = (vec![nothing], vec![everything]);
        Self { answers, passing, failing, tests: 0, unresolved: 0 }
    }

    pub(crate) fn answer(&self, on: &Subset) -> Option<&Answer> {
        self.answers.get(on)
    }

    pub(crate) fn insert(&mut self, on: Subset, answer: Answer) {
        self.tests += 1;
        self.unresolved += usize::from(!matches!(answer.verdict, Verdict::Pass | Verdict::Fail));
        self.answers.insert(on, answer);
    }

    /// Marks an answer as used.
    pub(crate) fn note(&mut self, on: &Subset, verdict: Verdict) {
        let sets = match verdict {
            Verdict::Pass => &mut self.passing,
            Verdict::Fail => &mut self.failing,
            Verdict::Unresolved(_) | Verdict::Flaky => return,
        };
        if !sets.contains(on) {
            sets.push(on.clone());
        }
    }

    /// What is known of a set without asking: its answer, or, if the search trusts in that, that less
    /// than what passes passes, and more than what fails fails.
    pub(crate) fn presumed(&self, on: &Subset, goal: Goal) -> Option<Sign> {
        let is_opposite = match goal {
            Goal::Culprit => self.passing.iter().any(|passing| on.is_subset(passing)),
            Goal::Fix => self.failing.iter().any(|failing| failing.is_subset(on)),
        };
        is_opposite.then_some(Sign::Opposite)
    }

    /// Whether no set that fails lies in one that passes.
    pub(crate) fn is_monotone(&self) -> bool {
        let lies_in_passing =
            |failing: &Subset| self.passing.iter().any(|passing| failing.is_subset(passing));
        !self.failing.iter().any(lies_in_passing)
    }

    /// Adds to `units` what an unclear set teaches, unless an answer that was used says otherwise;
    /// whether there was anything.
    pub(crate) fn heed(&self, on: &Subset, lessons: &[Lesson], units: &mut Units) -> bool {
        let mut is_any = false;
        for lesson in lessons {
            let mut clear = self.passing.iter().chain(&self.failing);
            if lesson.is_sound(on.len())
                && !lesson.is_kept_by(on)
                && clear.all(|set| lesson.is_kept_by(set))
            {
                units.learn(lesson);
                is_any = true;
            }
        }
        is_any
    }
}
