//! Binary reduction: the shortest interesting prefix of an order ends in a necessary unit. This unit is moved to the
//! front, with its dependencies, and the rest is searched again.

use crate::minimiser::search_input::{Interest, SearchInput, count_halvings};
use crate::minimiser::unit_order::PrefixChain;
use crate::subset::Subset;
use std::rc::Rc;

/// Maximum number of links between an uninteresting and an interesting set for which all of them are kept for now.
const MAX_LINKS_KEPT_TOGETHER: usize = 3;
/// Number of answers from which on it is checked whether most are unresolved.
const MAX_TOLERATED_UNRESOLVED: usize = 12;

/// State of the binary reduction.
#[derive(Clone, Debug)]
pub(crate) struct BinaryReduction {
    /// Units that are known to be necessary.
    needed: Subset,
    chain: Rc<PrefixChain>,
    /// Largest cut that is known to be uninteresting, and smallest one that is known to be interesting.
    low: usize,
    high: usize,
    /// Unresolved cuts between them.
    unresolved_cuts: Vec<usize>,
    base_state: BaseState,
    current_cut: usize,
    answer_count: usize,
    unresolved_count: usize,
}

/// State of the base set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BaseState {
    Untested,
    /// It was unresolved; the prefix next to it is tested.
    Unresolved,
    Tested,
}

impl BinaryReduction {
    /// Starts with a current set; the empty set is not interesting.
    pub(crate) fn new(input: &SearchInput, current: &Subset) -> Self {
        let needed = Subset::with_capacity(current.len());
        let chain = input.build_chain(needed.clone(), current);
        Self {
            needed,
            low: 0,
            high: chain.len(),
            chain: Rc::new(chain),
            unresolved_cuts: Vec::new(),
            base_state: BaseState::Tested,
            current_cut: 0,
            answer_count: 0,
            unresolved_count: 0,
        }
    }

    /// Returns the next set to test; `None` if this phase is finished.
    pub(crate) fn next_subset(&mut self, input: &SearchInput, current: &Subset) -> Option<Subset> {
        while self.high > 0 && !self.is_mostly_unresolved() {
            let cut = match self.base_state {
                BaseState::Untested => Some(0),
                BaseState::Unresolved if self.high > 1 && self.unresolved_cuts.is_empty() => {
                    Some(1)
                }
                _ => self.chain.choose_cut(self.low, self.high, &self.unresolved_cuts),
            };
            if let Some(cut) = cut {
                self.current_cut = cut;
                return Some(self.chain.prefix(cut));
            }
            self.require_last_link(input, current);
        }
        None
    }

    /// Estimates the remaining tests, those of the following 1-minimality pass included.
    pub(crate) fn remaining_tests(&self) -> usize {
        let needed = self.needed.count_ones(..);
        // The prefix of a single unit need not be tested.
        let one_minimal_tests = |units: usize| if units > 1 { units } else { 0 };
        match self.base_state {
            _ if self.high == 0 => one_minimal_tests(needed),
            BaseState::Untested | BaseState::Unresolved => 1 + one_minimal_tests(needed),
            // The necessary unit, and the new base with it.
            BaseState::Tested => {
                count_halvings(self.high - self.low) + 1 + one_minimal_tests(needed + 1)
            }
        }
    }

    /// Returns true if most answers are unresolved.
    pub(crate) fn is_mostly_unresolved(&self) -> bool {
        self.unresolved_count > MAX_TOLERATED_UNRESOLVED
            && self.unresolved_count * 2 > self.answer_count
    }

    /// Returns true if almost all answers are unresolved.
    pub(crate) fn is_almost_always_unresolved(&self) -> bool {
        self.is_mostly_unresolved() && self.unresolved_count * 4 > self.answer_count * 3
    }

    /// Records the answer for the last set.
    pub(crate) fn record_answer(&mut self, interest: Interest) {
        self.answer_count += 1;
        let is_base_answer =
            std::mem::replace(&mut self.base_state, BaseState::Tested) == BaseState::Untested;
        let answered_cut = self.current_cut;
        match interest {
            Interest::Interesting => {
                self.high = answered_cut;
                self.unresolved_cuts.retain(|cut| *cut < answered_cut);
            }
            Interest::NotInteresting => {
                self.low = answered_cut;
                self.unresolved_cuts.retain(|cut| *cut > answered_cut);
            }
            Interest::Unresolved => {
                self.unresolved_count += 1;
                if is_base_answer {
                    self.base_state = BaseState::Unresolved;
                } else {
                    self.unresolved_cuts.push(answered_cut);
                }
            }
        }
    }

    /// Applies new constraints; the last set has no answer.
    pub(crate) fn update_constraints(&mut self, input: &SearchInput, current: &Subset) {
        self.needed = input.units.constraints().closure_within(&self.needed, current);
        let base = self.chain.prefix(self.low);
        let closed_base = input.units.constraints().closure_within(&base, current);
        if closed_base != base {
            self.base_state = BaseState::Untested;
        }
        self.restart_with_chain(input.build_chain(closed_base, current));
    }

    /// Adds the last link and its dependencies to the necessary units, which become the base of a new chain.
    fn require_last_link(&mut self, input: &SearchInput, current: &Subset) {
        let from =
            if self.high - self.low <= MAX_LINKS_KEPT_TOGETHER { self.low } else { self.high - 1 };
        self.needed.extend(self.chain.units_between(from, self.high));
        self.needed = input.units.constraints().closure_within(&self.needed, current);
        self.base_state = BaseState::Untested;
        self.restart_with_chain(input.build_chain(self.needed.clone(), current));
    }

    fn restart_with_chain(&mut self, chain: PrefixChain) {
        self.low = 0;
        self.high = chain.len();
        self.unresolved_cuts.clear();
        self.chain = Rc::new(chain);
    }
}
