//! Binary reduction: the shortest interesting prefix of an order ends in a necessary unit. This unit is moved to the
//! front, with its dependencies, and the rest is searched again.

use crate::minimiser::search_input::{Interest, SearchInput, halvings};
use crate::minimiser::unit_order::PrefixChain;
use crate::subset::Subset;
use std::rc::Rc;

/// Maximum number of links between an uninteresting and an interesting set that are all kept for
/// now.
const SMALL_GAP: usize = 3;
/// Number of unclear answers from which it counts whether they are the rule.
const PATIENCE: usize = 12;

/// State of the binary reduction.
#[derive(Clone, Debug)]
pub(crate) struct BinaryReduction {
    /// Units that are known to be needed.
    needed: Subset,
    chain: Rc<PrefixChain>,
    /// Cuts that are known to be not interesting, and interesting.
    low: usize,
    high: usize,
    /// Cuts between them that were unclear.
    unclear: Vec<usize>,
    base: BaseState,
    at: usize,
    asked: usize,
    unclear_in_all: usize,
}

/// State of the base set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BaseState {
    Untested,
    /// It was unresolved; its neighbour is tested next.
    Unresolved,
    Tested,
}

impl BinaryReduction {
    /// Starts with a current set, and an empty one that is not interesting.
    pub(crate) fn new(ground: &SearchInput, kept: &Subset) -> Self {
        let needed = Subset::with_capacity(kept.len());
        let chain = ground.chain(needed.clone(), kept);
        Self {
            needed,
            low: 0,
            high: chain.len(),
            chain: Rc::new(chain),
            unclear: Vec::new(),
            base: BaseState::Tested,
            at: 0,
            asked: 0,
            unclear_in_all: 0,
        }
    }

    /// The next set to ask about; none if nothing more can be gained this way.
    pub(crate) fn next(&mut self, ground: &SearchInput, kept: &Subset) -> Option<Subset> {
        while self.high > 0 && !self.is_hopeless() {
            let cut = match self.base {
                BaseState::Untested => Some(0),
                BaseState::Unresolved if self.high > 1 && self.unclear.is_empty() => Some(1),
                _ => self.chain.cut(self.low, self.high, &self.unclear),
            };
            if let Some(cut) = cut {
                self.at = cut;
                return Some(self.chain.prefix(cut));
            }
            self.take_last(ground, kept);
        }
        None
    }

    /// Estimates the remaining tests, those of the following 1-minimality pass included.
    pub(crate) fn remaining_tests(&self) -> usize {
        let needed = self.needed.count_ones(..);
        // What a single unit consists of is not asked.
        let sweep = |units: usize| if units > 1 { units } else { 0 };
        match self.base {
            _ if self.high == 0 => sweep(needed),
            BaseState::Untested | BaseState::Unresolved => 1 + sweep(needed),
            // The unit that is looked for, and the base with it.
            BaseState::Tested => halvings(self.high - self.low) + 1 + sweep(needed + 1),
        }
    }

    /// Returns true if most answers are unresolved.
    pub(crate) fn is_hopeless(&self) -> bool {
        self.unclear_in_all > PATIENCE && self.unclear_in_all * 2 > self.asked
    }

    /// Returns true if almost all answers are unresolved.
    pub(crate) fn is_blind(&self) -> bool {
        self.is_hopeless() && self.unclear_in_all * 4 > self.asked * 3
    }

    /// Records the answer on the last set.
    pub(crate) fn record_answer(&mut self, sign: Interest) {
        self.asked += 1;
        let was_base = std::mem::replace(&mut self.base, BaseState::Tested) == BaseState::Untested;
        let at = self.at;
        match sign {
            Interest::Interesting => {
                self.high = at;
                self.unclear.retain(|cut| *cut < at);
            }
            Interest::NotInteresting => {
                self.low = at;
                self.unclear.retain(|cut| *cut > at);
            }
            Interest::Unresolved => {
                self.unclear_in_all += 1;
                if was_base {
                    self.base = BaseState::Unresolved;
                } else {
                    self.unclear.push(at);
                }
            }
        }
    }

    /// Applies new constraints; the last set stays unanswered.
    pub(crate) fn learn(&mut self, ground: &SearchInput, kept: &Subset) {
        self.needed = ground.units.constraints().closure_within(&self.needed, kept);
        let base = self.chain.prefix(self.low);
        let closed = ground.units.constraints().closure_within(&base, kept);
        if closed != base {
            self.base = BaseState::Untested;
        }
        self.follow(ground.chain(closed, kept));
    }

    /// Adds the last link and its dependencies to the necessary units, which become the base of a new chain.
    fn take_last(&mut self, ground: &SearchInput, kept: &Subset) {
        let from = if self.high - self.low <= SMALL_GAP { self.low } else { self.high - 1 };
        self.needed.extend(self.chain.added(from, self.high));
        self.needed = ground.units.constraints().closure_within(&self.needed, kept);
        self.base = BaseState::Untested;
        self.follow(ground.chain(self.needed.clone(), kept));
    }

    fn follow(&mut self, chain: PrefixChain) {
        self.low = 0;
        self.high = chain.len();
        self.unclear.clear();
        self.chain = Rc::new(chain);
    }
}
