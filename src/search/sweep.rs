//! The last word: every unit is left out alone, with what needs it.

use super::constraints::Subset;
use super::plan::{Ground, Sign};
use std::cmp::Reverse;

/// Where the sweep has got to.
#[derive(Clone, Debug)]
pub(super) struct Sweep {
    /// The heaviest first, because leaving them out gains most.
    candidates: Vec<usize>,
    at: usize,
    is_any_left_out: bool,
}

impl Sweep {
    pub(super) fn new(ground: &Ground, kept: &Subset) -> Self {
        let mut candidates: Vec<usize> = kept.ones().collect();
        candidates.sort_by_key(|unit| Reverse(ground.units.weight_of([*unit])));
        Self { candidates, at: 0, is_any_left_out: false }
    }

    /// The next set to ask about; none after the last unit.
    pub(super) fn next(&mut self, ground: &Ground, kept: &Subset) -> Option<Subset> {
        while let Some(unit) = self.candidates.get(self.at) {
            if kept[*unit] {
                let mut rest = kept.clone();
                rest.remove(*unit);
                let rest = ground.units.constraints().interior(&rest);
                if !rest.is_clear() {
                    return Some(rest);
                }
            }
            self.at += 1;
        }
        None
    }

    /// Takes the answer on the set asked about last.
    pub(super) fn tell(&mut self, sign: Sign) {
        self.at += 1;
        self.is_any_left_out |= sign == Sign::Interesting;
    }

    /// Whether something could be left out, so that all must be tried again.
    pub(super) fn is_any_left_out(&self) -> bool {
        self.is_any_left_out
    }
}
