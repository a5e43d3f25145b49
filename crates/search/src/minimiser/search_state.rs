//! Pure search state machine: proposes the next set and consumes its answer. It is cloneable, so
//! that parallel workers can speculate on answers that are still open.

use crate::minimiser::binary_reduction::BinaryReduction;
use crate::minimiser::counter_based::{CounterBasedDd, InitialProbability};
use crate::minimiser::one_minimal::OneMinimalPass;
use crate::minimiser::reduce_to_subset::ReduceToSubset;
use crate::minimiser::search_input::{Interest, SearchInput, halvings};
use crate::minimiser::unit_order::UnitOrder;
use crate::subset::Subset;
use crate::units::Units;
use std::cmp::Reverse;
use std::rc::Rc;

/// Number of parts above which counting is used before the 1-minimality pass.
const LARGE: usize = 16;
/// Expected number of needed parts of a change.
const LIKELY_PARTS: f64 = 4.0;

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
    /// The best guess is the last.
    Guesses(Vec<Subset>),
    BinaryReduction(BinaryReduction),
    ReduceToSubset(ReduceToSubset),
    /// Binary reduction after the reduction to a subset.
    BinaryReductionOfRest(BinaryReduction),
    CounterBased(CounterBasedDd),
    OneMinimalPass(OneMinimalPass),
    Done,
}

/// A search between two answers.
#[derive(Clone, Debug)]
pub(crate) struct SearchState {
    ground: Rc<SearchInput>,
    /// Smallest interesting set so far. It is closed.
    kept: Subset,
    phase: MinimiserPhase,
}

impl SearchState {
    /// A plan for units as the goal sees them.
    pub(crate) fn new(units: Units, kept: Subset, method: Algorithm) -> Self {
        let order = UnitOrder::new(units.constraints(), units.by_place());
        let ground = Rc::new(SearchInput { units, order });
        let phase = match method {
            Algorithm::BinaryReduction => {
                MinimiserPhase::BinaryReduction(BinaryReduction::new(&ground, &kept))
            }
            Algorithm::CounterBased => {
                let last = ground.stages() - 1;
                MinimiserPhase::CounterBased(CounterBasedDd::new(
                    &ground,
                    &kept,
                    last,
                    InitialProbability::PerPart(0.1),
                ))
            }
        };
        Self { ground, kept, phase }
    }

    /// Adds guesses at the result, best first. If one is interesting, the search continues in it.
    #[must_use]
    pub(crate) fn guessing(mut self, mut guesses: Vec<Subset>) -> Self {
        guesses.retain(|guess| *guess != self.kept && !guess.is_clear());
        guesses.reverse();
        self.phase = MinimiserPhase::Guesses(guesses);
        self
    }

    /// Orders the units of `suspects` first, those with the fewest dependencies before others.
    #[must_use]
    pub(crate) fn lightest_first(mut self, suspects: &Subset) -> Self {
        let order = self.ground.lightest_first(suspects);
        self.ground = Rc::new(SearchInput { units: self.ground.units.clone(), order });
        self
    }

    pub(crate) fn kept(&self) -> &Subset {
        &self.kept
    }

    /// The next set to ask about; none at the end.
    pub(crate) fn next(&mut self) -> Option<Subset> {
        let Self { ground, kept, phase } = self;
        loop {
            let next = match phase {
                MinimiserPhase::Guesses(guesses) => guesses.last().cloned(),
                MinimiserPhase::BinaryReduction(reduce)
                | MinimiserPhase::BinaryReductionOfRest(reduce) => reduce.next(ground, kept),
                MinimiserPhase::ReduceToSubset(divide) => divide.next(ground, kept),
                MinimiserPhase::CounterBased(count) => count.next(ground, kept),
                MinimiserPhase::OneMinimalPass(sweep) => sweep.next(ground, kept),
                MinimiserPhase::Done => return None,
            };
            if next.is_some() {
                return next;
            }
            *phase = following(phase, ground, kept);
        }
    }

    /// Returns true if the search assumes that subsets of uninteresting sets are uninteresting.
    pub(crate) fn is_trusting(&self) -> bool {
        !matches!(self.phase, MinimiserPhase::OneMinimalPass(_))
    }

    /// Returns the probability that the next set is interesting.
    pub(crate) fn odds(&self) -> f64 {
        match &self.phase {
            MinimiserPhase::Guesses(_) => 0.8,
            MinimiserPhase::BinaryReduction(_) | MinimiserPhase::BinaryReductionOfRest(_) => 0.5,
            MinimiserPhase::ReduceToSubset(_) => 0.1,
            MinimiserPhase::CounterBased(count) => count.odds(),
            MinimiserPhase::OneMinimalPass(_) => 0.05,
            MinimiserPhase::Done => 0.0,
        }
    }

    /// Estimates the remaining tests, as if all answers were resolved and no more units were needed.
    pub(crate) fn remaining_tests(&self) -> usize {
        let of_all = || halvings(self.kept.count_ones(..)) + 1;
        match &self.phase {
            MinimiserPhase::Guesses(guesses) => {
                guesses.last().map_or_else(of_all, |guess| halvings(guess.count_ones(..)) + 2)
            }
            MinimiserPhase::BinaryReduction(reduce)
            | MinimiserPhase::BinaryReductionOfRest(reduce) => reduce.remaining_tests(),
            MinimiserPhase::ReduceToSubset(divide) => divide.remaining_chunks() + of_all(),
            MinimiserPhase::CounterBased(count) => count.remaining_tests(),
            MinimiserPhase::OneMinimalPass(sweep) => sweep.remaining_units(&self.kept),
            MinimiserPhase::Done => 0,
        }
    }

    /// Takes the answer on the set that [`SearchState::next`] returned last.
    pub(crate) fn record_answer(&mut self, probe: &Subset, sign: Interest) {
        if sign == Interest::Interesting {
            self.kept.clone_from(probe);
        }
        match &mut self.phase {
            MinimiserPhase::Guesses(guesses) if sign == Interest::Interesting => guesses.clear(),
            MinimiserPhase::Guesses(guesses) => drop(guesses.pop()),
            MinimiserPhase::BinaryReduction(reduce)
            | MinimiserPhase::BinaryReductionOfRest(reduce) => reduce.record_answer(sign),
            MinimiserPhase::ReduceToSubset(divide) => {
                divide.record_answer(sign, &self.ground, &self.kept);
            }
            MinimiserPhase::CounterBased(count) => count.record_answer(sign, &self.kept),
            MinimiserPhase::OneMinimalPass(sweep) => sweep.record_answer(sign),
            MinimiserPhase::Done => {}
        }
    }

    /// Applies new constraints, which the current set satisfies; the last returned set stays unanswered.
    pub(crate) fn learn(&mut self, units: Units) {
        let order = self.ground.order.with_constraints(units.constraints());
        self.ground = Rc::new(SearchInput { units, order });
        match &mut self.phase {
            MinimiserPhase::Guesses(guesses) => {
                let constraints = self.ground.units.constraints();
                for guess in guesses {
                    *guess = constraints.closure_within(guess, &self.kept);
                }
            }
            MinimiserPhase::BinaryReduction(reduce)
            | MinimiserPhase::BinaryReductionOfRest(reduce) => {
                reduce.learn(&self.ground, &self.kept);
            }
            MinimiserPhase::ReduceToSubset(_)
            | MinimiserPhase::CounterBased(_)
            | MinimiserPhase::OneMinimalPass(_)
            | MinimiserPhase::Done => {}
        }
    }

    /// Returns one unit of each component that no other component of the current set needs, the heaviest first.
    pub(crate) fn heads(&self) -> Vec<usize> {
        let constraints = self.ground.units.constraints();
        let mut links = self.ground.parts(self.ground.stages() - 1, &self.kept);
        let is_head = |link: &Vec<usize>| {
            let mut rest = self.kept.clone();
            for unit in link {
                rest.remove(*unit);
            }
            constraints.is_closed(&rest)
        };
        links.retain(is_head);
        links.sort_by_key(|link| Reverse(self.ground.units.weight_of(link.iter().copied())));
        links.iter().filter_map(|link| link.first().copied()).collect()
    }
}

/// Returns the phase that follows a finished one.
fn following(phase: &MinimiserPhase, ground: &SearchInput, kept: &Subset) -> MinimiserPhase {
    let last = ground.stages() - 1;
    let is_large = || ground.parts(last, kept).len() > LARGE;
    let count = |stage| {
        MinimiserPhase::CounterBased(CounterBasedDd::new(
            ground,
            kept,
            stage,
            InitialProbability::ExpectedNeeded(LIKELY_PARTS),
        ))
    };
    match phase {
        MinimiserPhase::BinaryReduction(reduce) if reduce.is_blind() && is_large() => {
            MinimiserPhase::ReduceToSubset(ReduceToSubset::new(ground, kept))
        }
        MinimiserPhase::ReduceToSubset(_) => {
            MinimiserPhase::BinaryReductionOfRest(BinaryReduction::new(ground, kept))
        }
        MinimiserPhase::BinaryReduction(reduce) | MinimiserPhase::BinaryReductionOfRest(reduce)
            if reduce.is_hopeless() && is_large() =>
        {
            count(0)
        }
        MinimiserPhase::OneMinimalPass(sweep) if sweep.is_any_left_out() && is_large() => {
            count(last)
        }
        MinimiserPhase::OneMinimalPass(sweep) if !sweep.is_any_left_out() => MinimiserPhase::Done,
        MinimiserPhase::Guesses(_) => {
            MinimiserPhase::BinaryReduction(BinaryReduction::new(ground, kept))
        }
        MinimiserPhase::BinaryReduction(_)
        | MinimiserPhase::BinaryReductionOfRest(_)
        | MinimiserPhase::CounterBased(_)
        | MinimiserPhase::OneMinimalPass(_) => {
            MinimiserPhase::OneMinimalPass(OneMinimalPass::new(ground, kept))
        }
        MinimiserPhase::Done => MinimiserPhase::Done,
    }
}
