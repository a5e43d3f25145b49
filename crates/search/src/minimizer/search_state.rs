//! Pure search state machine: proposes the next set and consumes its answer. It is cloneable, so
//! that parallel workers can speculate on answers that are still open.

use crate::minimizer::binary_reduction::Reduce;
use crate::minimizer::counter_based::{Count, Suspicion};
use crate::minimizer::one_minimal::Sweep;
use crate::minimizer::reduce_to_subset::Divide;
use crate::minimizer::search_input::{Ground, Sign, halvings};
use crate::minimizer::unit_order::Order;
use crate::subset::Subset;
use crate::units::Units;
use std::cmp::Reverse;
use std::rc::Rc;

/// Number of unneeded parts in a kept set from which it is counted out rather than swept at once.
const LARGE: usize = 16;
/// How many parts of a change are likely to matter.
const LIKELY_PARTS: f64 = 4.0;

/// How to look.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// Binary reduction, and counting where that does not get on.
    #[default]
    Reduction,
    /// Counter-based delta debugging alone.
    Counting,
}

#[derive(Clone, Debug)]
enum Phase {
    /// The best guess is the last.
    Guess(Vec<Subset>),
    Reduce(Reduce),
    Divide(Divide),
    /// A reduction of what the dividing left.
    ReduceRest(Reduce),
    Count(Count),
    Sweep(Sweep),
    Done,
}

/// A search between two answers.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    ground: Rc<Ground>,
    /// The smallest set so far that is known to be interesting. It is closed.
    kept: Subset,
    phase: Phase,
}

impl Plan {
    /// A plan for units as the goal sees them.
    pub(crate) fn new(units: Units, kept: Subset, method: Method) -> Self {
        let order = Order::new(units.constraints(), units.by_place());
        let ground = Rc::new(Ground { units, order });
        let phase = match method {
            Method::Reduction => Phase::Reduce(Reduce::new(&ground, &kept)),
            Method::Counting => {
                let last = ground.stages() - 1;
                Phase::Count(Count::new(&ground, &kept, last, Suspicion::Chance(0.1)))
            }
        };
        Self { ground, kept, phase }
    }

    /// The same, with guesses at what is to be found, the best first: if one is interesting, the rest is
    /// looked for in it.
    #[must_use]
    pub(crate) fn guessing(mut self, mut guesses: Vec<Subset>) -> Self {
        guesses.retain(|guess| *guess != self.kept && !guess.is_clear());
        guesses.reverse();
        self.phase = Phase::Guess(guesses);
        self
    }

    /// The same, where those of `suspects` come first that bring in least.
    #[must_use]
    pub(crate) fn lightest_first(mut self, suspects: &Subset) -> Self {
        let order = self.ground.lightest_first(suspects);
        self.ground = Rc::new(Ground { units: self.ground.units.clone(), order });
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
                Phase::Guess(guesses) => guesses.last().cloned(),
                Phase::Reduce(reduce) | Phase::ReduceRest(reduce) => reduce.next(ground, kept),
                Phase::Divide(divide) => divide.next(ground, kept),
                Phase::Count(count) => count.next(ground, kept),
                Phase::Sweep(sweep) => sweep.next(ground, kept),
                Phase::Done => return None,
            };
            if next.is_some() {
                return next;
            }
            *phase = following(phase, ground, kept);
        }
    }

    /// Whether to presume that leaving out more never brings the interesting verdict back.
    pub(crate) fn is_trusting(&self) -> bool {
        !matches!(self.phase, Phase::Sweep(_))
    }

    /// How likely the next set is to be interesting.
    pub(crate) fn odds(&self) -> f64 {
        match &self.phase {
            Phase::Guess(_) => 0.8,
            Phase::Reduce(_) | Phase::ReduceRest(_) => 0.5,
            Phase::Divide(_) => 0.1,
            Phase::Count(count) => count.odds(),
            Phase::Sweep(_) => 0.05,
            Phase::Done => 0.0,
        }
    }

    /// About how many sets are still to be asked about: as many as if all answers were clear, and no more turned out
    /// to be needed than is known by now.
    pub(crate) fn left(&self) -> usize {
        let of_all = || halvings(self.kept.count_ones(..)) + 1;
        match &self.phase {
            Phase::Guess(guesses) => {
                guesses.last().map_or_else(of_all, |guess| halvings(guess.count_ones(..)) + 2)
            }
            Phase::Reduce(reduce) | Phase::ReduceRest(reduce) => reduce.left(),
            Phase::Divide(divide) => divide.left() + of_all(),
            Phase::Count(count) => count.left(),
            Phase::Sweep(sweep) => sweep.left(&self.kept),
            Phase::Done => 0,
        }
    }

    /// Takes the answer on the set that [`Plan::next`] returned last.
    pub(crate) fn tell(&mut self, probe: &Subset, sign: Sign) {
        if sign == Sign::Interesting {
            self.kept.clone_from(probe);
        }
        match &mut self.phase {
            Phase::Guess(guesses) if sign == Sign::Interesting => guesses.clear(),
            Phase::Guess(guesses) => drop(guesses.pop()),
            Phase::Reduce(reduce) | Phase::ReduceRest(reduce) => reduce.tell(sign),
            Phase::Divide(divide) => divide.tell(sign, &self.ground, &self.kept),
            Phase::Count(count) => count.tell(sign, &self.kept),
            Phase::Sweep(sweep) => sweep.tell(sign),
            Phase::Done => {}
        }
    }

    /// Applies new constraints, which the kept set satisfies; the set returned last is not
    /// answered.
    pub(crate) fn learn(&mut self, units: Units) {
        let order = self.ground.order.under(units.constraints());
        self.ground = Rc::new(Ground { units, order });
        match &mut self.phase {
            Phase::Guess(guesses) => {
                let constraints = self.ground.units.constraints();
                for guess in guesses {
                    *guess = constraints.closure_within(guess, &self.kept);
                }
            }
            Phase::Reduce(reduce) | Phase::ReduceRest(reduce) => {
                reduce.learn(&self.ground, &self.kept);
            }
            Phase::Divide(_) | Phase::Count(_) | Phase::Sweep(_) | Phase::Done => {}
        }
    }

    /// The components that no other one in the kept set needs, the heaviest first: one unit of each.
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

/// What comes when a phase has come to its end.
fn following(phase: &Phase, ground: &Ground, kept: &Subset) -> Phase {
    let last = ground.stages() - 1;
    let is_large = || ground.parts(last, kept).len() > LARGE;
    let count =
        |stage| Phase::Count(Count::new(ground, kept, stage, Suspicion::Parts(LIKELY_PARTS)));
    match phase {
        Phase::Reduce(reduce) if reduce.is_blind() && is_large() => {
            Phase::Divide(Divide::new(ground, kept))
        }
        Phase::Divide(_) => Phase::ReduceRest(Reduce::new(ground, kept)),
        Phase::Reduce(reduce) | Phase::ReduceRest(reduce) if reduce.is_hopeless() && is_large() => {
            count(0)
        }
        Phase::Sweep(sweep) if sweep.is_any_left_out() && is_large() => count(last),
        Phase::Sweep(sweep) if !sweep.is_any_left_out() => Phase::Done,
        Phase::Guess(_) => Phase::Reduce(Reduce::new(ground, kept)),
        Phase::Reduce(_) | Phase::ReduceRest(_) | Phase::Count(_) | Phase::Sweep(_) => {
            Phase::Sweep(Sweep::new(ground, kept))
        }
        Phase::Done => Phase::Done,
    }
}
