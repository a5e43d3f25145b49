//! State machine of the search: proposes the next set and consumes its answer. It is pure and cloneable, so that
//! parallel workers can speculate on pending answers.

use crate::minimiser::binary_reduction::BinaryReduction;
use crate::minimiser::counter_based::{CounterBasedDd, InitialProbability};
use crate::minimiser::one_minimal::OneMinimalPass;
use crate::minimiser::reduce_to_subset::ReduceToSubset;
use crate::minimiser::search_input::{Interest, SearchInput, count_halvings};
use crate::minimiser::unit_order::UnitOrder;
use crate::subset::Subset;
use crate::units::Units;
use std::cmp::Reverse;
use std::rc::Rc;

/// Number of parts above which counter-based delta debugging precedes the 1-minimality pass.
const COUNTING_THRESHOLD: usize = 16;
/// Expected number of needed parts of a change.
const EXPECTED_NEEDED_PARTS: f64 = 4.0;

/// Minimisation algorithm.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Algorithm {
    /// Binary reduction, with counter-based delta debugging as a fallback.
    #[default]
    BinaryReduction,
    /// Counter-based delta debugging alone.
    CounterBased,
}

#[derive(Clone, Debug)]
enum MinimiserPhase {
    /// Likely results; the best one is last.
    Guesses(Vec<Subset>),
    BinaryReduction(BinaryReduction),
    ReduceToSubset(ReduceToSubset),
    /// Binary reduction after the reduction to a subset.
    BinaryReductionOfRest(BinaryReduction),
    CounterBased(CounterBasedDd),
    OneMinimalPass(OneMinimalPass),
    Done,
}

/// State of a search between two answers.
#[derive(Clone, Debug)]
pub(crate) struct SearchState {
    input: Rc<SearchInput>,
    /// Smallest interesting set so far, which is closed.
    current: Subset,
    phase: MinimiserPhase,
}

impl SearchState {
    /// Creates the state for units in the orientation of the goal.
    pub(crate) fn new(units: Units, current: Subset, algorithm: Algorithm) -> Self {
        let order = UnitOrder::new(units.constraints(), units.in_source_order());
        let input = Rc::new(SearchInput { units, order });
        let phase = match algorithm {
            Algorithm::BinaryReduction => {
                MinimiserPhase::BinaryReduction(BinaryReduction::new(&input, &current))
            }
            Algorithm::CounterBased => {
                let last_stage = input.stage_count() - 1;
                MinimiserPhase::CounterBased(CounterBasedDd::new(
                    &input,
                    &current,
                    last_stage,
                    InitialProbability::PerPart(0.1),
                ))
            }
        };
        Self { input, current, phase }
    }

    /// Adds likely results, best first. If one is interesting, the search continues in it.
    #[must_use]
    pub(crate) fn with_guesses(mut self, mut guesses: Vec<Subset>) -> Self {
        guesses.retain(|guess| *guess != self.current && !guess.is_clear());
        guesses.reverse();
        self.phase = MinimiserPhase::Guesses(guesses);
        self
    }

    /// Orders the units of `suspects` first, those with the fewest dependencies before others.
    #[must_use]
    pub(crate) fn with_lightest_first(mut self, suspects: &Subset) -> Self {
        let order = self.input.order_lightest_first(suspects);
        self.input = Rc::new(SearchInput { units: self.input.units.clone(), order });
        self
    }

    pub(crate) fn current(&self) -> &Subset {
        &self.current
    }

    /// Returns the next set to test; `None` at the end.
    pub(crate) fn next_subset(&mut self) -> Option<Subset> {
        let Self { input, current, phase } = self;
        loop {
            let next = match phase {
                MinimiserPhase::Guesses(guesses) => guesses.last().cloned(),
                MinimiserPhase::BinaryReduction(reduction)
                | MinimiserPhase::BinaryReductionOfRest(reduction) => {
                    reduction.next_subset(input, current)
                }
                MinimiserPhase::ReduceToSubset(reduction) => reduction.next_subset(input, current),
                MinimiserPhase::CounterBased(search) => search.next_subset(input, current),
                MinimiserPhase::OneMinimalPass(pass) => pass.next_subset(input, current),
                MinimiserPhase::Done => return None,
            };
            if next.is_some() {
                return next;
            }
            *phase = next_phase(phase, input, current);
        }
    }

    /// Returns true if the search assumes that subsets of uninteresting sets are uninteresting.
    pub(crate) fn assumes_monotonicity(&self) -> bool {
        !matches!(self.phase, MinimiserPhase::OneMinimalPass(_))
    }

    /// Returns the probability that the next set is interesting.
    pub(crate) fn success_probability(&self) -> f64 {
        match &self.phase {
            MinimiserPhase::Guesses(_) => 0.8,
            MinimiserPhase::BinaryReduction(_) | MinimiserPhase::BinaryReductionOfRest(_) => 0.5,
            MinimiserPhase::ReduceToSubset(_) => 0.1,
            MinimiserPhase::CounterBased(count) => count.success_probability(),
            MinimiserPhase::OneMinimalPass(_) => 0.05,
            MinimiserPhase::Done => 0.0,
        }
    }

    /// Estimates the remaining tests, as if all answers were resolved and no more units were needed.
    pub(crate) fn remaining_tests(&self) -> usize {
        let tests_for_all_units = || count_halvings(self.current.count_ones(..)) + 1;
        match &self.phase {
            MinimiserPhase::Guesses(guesses) => guesses
                .last()
                .map_or_else(tests_for_all_units, |guess| count_halvings(guess.count_ones(..)) + 2),
            MinimiserPhase::BinaryReduction(reduce)
            | MinimiserPhase::BinaryReductionOfRest(reduce) => reduce.remaining_tests(),
            MinimiserPhase::ReduceToSubset(divide) => {
                divide.remaining_chunks() + tests_for_all_units()
            }
            MinimiserPhase::CounterBased(count) => count.remaining_tests(),
            MinimiserPhase::OneMinimalPass(sweep) => sweep.remaining_units(&self.current),
            MinimiserPhase::Done => 0,
        }
    }

    /// Records the answer for the last set from [`SearchState::next_subset`].
    pub(crate) fn record_answer(&mut self, probe: &Subset, interest: Interest) {
        if interest == Interest::Interesting {
            self.current.clone_from(probe);
        }
        match &mut self.phase {
            MinimiserPhase::Guesses(guesses) if interest == Interest::Interesting => {
                guesses.clear();
            }
            MinimiserPhase::Guesses(guesses) => drop(guesses.pop()),
            MinimiserPhase::BinaryReduction(reduce)
            | MinimiserPhase::BinaryReductionOfRest(reduce) => reduce.record_answer(interest),
            MinimiserPhase::ReduceToSubset(divide) => {
                divide.record_answer(interest, &self.input, &self.current);
            }
            MinimiserPhase::CounterBased(count) => count.record_answer(interest, &self.current),
            MinimiserPhase::OneMinimalPass(sweep) => sweep.record_answer(interest),
            MinimiserPhase::Done => {}
        }
    }

    /// Applies new constraints, which the current set satisfies; the last set has no answer.
    pub(crate) fn update_constraints(&mut self, units: Units) {
        let order = self.input.order.with_constraints(units.constraints());
        self.input = Rc::new(SearchInput { units, order });
        match &mut self.phase {
            MinimiserPhase::Guesses(guesses) => {
                let constraints = self.input.units.constraints();
                for guess in guesses {
                    *guess = constraints.closure_within(guess, &self.current);
                }
            }
            MinimiserPhase::BinaryReduction(reduce)
            | MinimiserPhase::BinaryReductionOfRest(reduce) => {
                reduce.update_constraints(&self.input, &self.current);
            }
            MinimiserPhase::ReduceToSubset(_)
            | MinimiserPhase::CounterBased(_)
            | MinimiserPhase::OneMinimalPass(_)
            | MinimiserPhase::Done => {}
        }
    }

    /// Returns one unit of each component that no other component of the current set needs, the heaviest first.
    pub(crate) fn root_units(&self) -> Vec<usize> {
        let constraints = self.input.units.constraints();
        let mut links = self.input.stage_groups(self.input.stage_count() - 1, &self.current);
        let is_root = |link: &Vec<usize>| {
            let mut remaining = self.current.clone();
            for unit in link {
                remaining.remove(*unit);
            }
            constraints.is_closed(&remaining)
        };
        links.retain(is_root);
        links.sort_by_key(|link| Reverse(self.input.units.total_weight(link.iter().copied())));
        links.iter().filter_map(|link| link.first().copied()).collect()
    }
}

/// Returns the phase that follows a finished one.
fn next_phase(phase: &MinimiserPhase, input: &SearchInput, current: &Subset) -> MinimiserPhase {
    let last_stage = input.stage_count() - 1;
    let is_large = || input.stage_groups(last_stage, current).len() > COUNTING_THRESHOLD;
    let counter_based = |stage| {
        MinimiserPhase::CounterBased(CounterBasedDd::new(
            input,
            current,
            stage,
            InitialProbability::ExpectedNeeded(EXPECTED_NEEDED_PARTS),
        ))
    };
    match phase {
        MinimiserPhase::BinaryReduction(reduce)
            if reduce.is_almost_always_unresolved() && is_large() =>
        {
            MinimiserPhase::ReduceToSubset(ReduceToSubset::new(input, current))
        }
        MinimiserPhase::ReduceToSubset(_) => {
            MinimiserPhase::BinaryReductionOfRest(BinaryReduction::new(input, current))
        }
        MinimiserPhase::BinaryReduction(reduce) | MinimiserPhase::BinaryReductionOfRest(reduce)
            if reduce.is_mostly_unresolved() && is_large() =>
        {
            counter_based(0)
        }
        MinimiserPhase::OneMinimalPass(sweep) if sweep.has_removed_unit() && is_large() => {
            counter_based(last_stage)
        }
        MinimiserPhase::OneMinimalPass(sweep) if !sweep.has_removed_unit() => MinimiserPhase::Done,
        MinimiserPhase::Guesses(_) => {
            MinimiserPhase::BinaryReduction(BinaryReduction::new(input, current))
        }
        MinimiserPhase::BinaryReduction(_)
        | MinimiserPhase::BinaryReductionOfRest(_)
        | MinimiserPhase::CounterBased(_)
        | MinimiserPhase::OneMinimalPass(_) => {
            MinimiserPhase::OneMinimalPass(OneMinimalPass::new(input, current))
        }
        MinimiserPhase::Done => MinimiserPhase::Done,
    }
}
