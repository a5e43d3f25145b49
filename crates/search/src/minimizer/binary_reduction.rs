//! Binary reduction: the shortest beginning of an order that is interesting ends in a unit that is needed;
//! that one is put first, with what it needs, and the rest is searched again.

use crate::minimizer::search_input::{Ground, Sign, halvings};
use crate::minimizer::unit_order::Chain;
use crate::subset::Subset;
use std::rc::Rc;

/// Maximum number of links between an uninteresting and an interesting set that are all kept for
/// now.
const SMALL_GAP: usize = 3;
/// Number of unclear answers from which it counts whether they are the rule.
const PATIENCE: usize = 12;

/// Where a reduction has got to.
#[derive(Clone, Debug)]
pub(crate) struct Reduce {
    /// What is known to be needed.
    needed: Subset,
    chain: Rc<Chain>,
    /// The cuts that are known not to be, and to be, interesting.
    low: usize,
    high: usize,
    /// Cuts between them that were unclear.
    unclear: Vec<usize>,
    base: Base,
    at: usize,
    asked: usize,
    unclear_in_all: usize,
}

/// What is known of the base alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Base {
    Unknown,
    /// It was unclear; its neighbour is asked about next.
    Unclear,
    Known,
}

impl Reduce {
    /// Begins with a kept set, and an empty one that is not interesting.
    pub(crate) fn new(ground: &Ground, kept: &Subset) -> Self {
        let needed = Subset::with_capacity(kept.len());
        let chain = ground.chain(needed.clone(), kept);
        Self {
            needed,
            low: 0,
            high: chain.len(),
            chain: Rc::new(chain),
            unclear: Vec::new(),
            base: Base::Known,
            at: 0,
            asked: 0,
            unclear_in_all: 0,
        }
    }

    /// The next set to ask about; none if nothing more can be gained this way.
    pub(crate) fn next(&mut self, ground: &Ground, kept: &Subset) -> Option<Subset> {
        while self.high > 0 && !self.is_hopeless() {
            let cut = match self.base {
                Base::Unknown => Some(0),
                Base::Unclear if self.high > 1 && self.unclear.is_empty() => Some(1),
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

    /// About how many sets are still to be asked about, those of the sweep that follows included.
    pub(crate) fn left(&self) -> usize {
        let needed = self.needed.count_ones(..);
        // What a single unit consists of is not asked.
        let sweep = |units: usize| if units > 1 { units } else { 0 };
        match self.base {
            _ if self.high == 0 => sweep(needed),
            Base::Unknown | Base::Unclear => 1 + sweep(needed),
            // The unit that is looked for, and the base with it.
            Base::Known => halvings(self.high - self.low) + 1 + sweep(needed + 1),
        }
    }

    /// Whether too little is clear for this kind of search.
    pub(crate) fn is_hopeless(&self) -> bool {
        self.unclear_in_all > PATIENCE && self.unclear_in_all * 2 > self.asked
    }

    /// Whether nearly nothing is clear.
    pub(crate) fn is_blind(&self) -> bool {
        self.is_hopeless() && self.unclear_in_all * 4 > self.asked * 3
    }

    /// Takes the answer on the set asked about last.
    pub(crate) fn tell(&mut self, sign: Sign) {
        self.asked += 1;
        let was_base = std::mem::replace(&mut self.base, Base::Known) == Base::Unknown;
        let at = self.at;
        match sign {
            Sign::Interesting => {
                self.high = at;
                self.unclear.retain(|cut| *cut < at);
            }
            Sign::Opposite => {
                self.low = at;
                self.unclear.retain(|cut| *cut > at);
            }
            Sign::Unclear => {
                self.unclear_in_all += 1;
                if was_base {
                    self.base = Base::Unclear;
                } else {
                    self.unclear.push(at);
                }
            }
        }
    }

    /// Heeds new constraints; the set asked about last is not answered.
    pub(crate) fn learn(&mut self, ground: &Ground, kept: &Subset) {
        self.needed = ground.units.constraints().closure_within(&self.needed, kept);
        let base = self.chain.prefix(self.low);
        let closed = ground.units.constraints().closure_within(&base, kept);
        if closed != base {
            self.base = Base::Unknown;
        }
        self.follow(ground.chain(closed, kept));
    }

    /// The last link is needed, and what it needs: they become the base of a new chain.
    fn take_last(&mut self, ground: &Ground, kept: &Subset) {
        let from = if self.high - self.low <= SMALL_GAP { self.low } else { self.high - 1 };
        self.needed.extend(self.chain.added(from, self.high));
        self.needed = ground.units.constraints().closure_within(&self.needed, kept);
        self.base = Base::Unknown;
        self.follow(ground.chain(self.needed.clone(), kept));
    }

    fn follow(&mut self, chain: Chain) {
        self.low = 0;
        self.high = chain.len();
        self.unclear.clear();
        self.chain = Rc::new(chain);
    }
}
