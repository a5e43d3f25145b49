//! 1-minimality pass: removes every unit alone, with its dependents.

use crate::minimiser::search_input::{Interest, SearchInput};
use crate::subset::Subset;
use std::cmp::Reverse;

/// State of the 1-minimality pass.
#[derive(Clone, Debug)]
pub(crate) struct OneMinimalPass {
    /// The heaviest first, because leaving them out gains most.
    candidates: Vec<usize>,
    at: usize,
    is_any_left_out: bool,
    /// Units whose removal was unresolved: they may need each other, and be removable together.
    unclear: Vec<usize>,
    /// Number of tested groups of them.
    groups: usize,
}

impl OneMinimalPass {
    pub(crate) fn new(ground: &SearchInput, kept: &Subset) -> Self {
        let mut candidates: Vec<usize> = kept.ones().collect();
        candidates.sort_by_key(|unit| Reverse(ground.units.weight_of([*unit])));
        Self { candidates, at: 0, is_any_left_out: false, unclear: Vec::new(), groups: 0 }
    }

    /// The next set to ask about; none after the last unit and the last group.
    pub(crate) fn next(&mut self, ground: &SearchInput, kept: &Subset) -> Option<Subset> {
        let constraints = ground.units.constraints();
        while let Some(unit) = self.candidates.get(self.at) {
            if kept[*unit] {
                let rest = constraints.interior(&without_units(kept, &[*unit]));
                if !rest.is_clear() {
                    return Some(rest);
                }
            }
            self.at += 1;
        }
        while let Some(group) = self.group() {
            let rest = constraints.closure_within(&without_units(kept, group), kept);
            if rest != *kept && !rest.is_clear() {
                return Some(rest);
            }
            self.groups += 1;
        }
        None
    }

    /// Returns the number of units that are not tested yet.
    pub(crate) fn remaining_units(&self, kept: &Subset) -> usize {
        let rest = self.candidates.get(self.at..).unwrap_or_default();
        rest.iter().filter(|unit| kept[**unit]).count()
    }

    /// All unclear units, then either half of them.
    fn group(&self) -> Option<&[usize]> {
        let half = self.unclear.len() / 2;
        match self.groups {
            _ if self.is_any_left_out || half == 0 => None,
            0 => Some(&self.unclear),
            1 => Some(&self.unclear[..half]),
            2 => Some(&self.unclear[half..]),
            _ => None,
        }
    }

    /// Records the answer on the last set.
    pub(crate) fn record_answer(&mut self, sign: Interest) {
        self.is_any_left_out |= sign == Interest::Interesting;
        if let Some(unit) = self.candidates.get(self.at) {
            self.unclear.extend((sign == Interest::Unresolved).then_some(*unit));
            self.unclear.sort_unstable();
            self.at += 1;
        } else {
            self.groups += 1;
        }
    }

    /// Returns true if a unit was removed, so that all must be tested again.
    pub(crate) fn is_any_left_out(&self) -> bool {
        self.is_any_left_out
    }
}

fn without_units(kept: &Subset, units: &[usize]) -> Subset {
    let mut rest = kept.clone();
    for unit in units {
        rest.remove(*unit);
    }
    rest
}
