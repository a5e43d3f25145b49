//! 1-minimality pass: tries to remove each unit alone, with its dependents.

use crate::minimiser::search_input::{Interest, SearchInput};
use crate::subset::Subset;
use std::cmp::Reverse;

/// State of the 1-minimality pass.
#[derive(Clone, Debug)]
pub(crate) struct OneMinimalPass {
    /// The heaviest units first, because their removal gains most.
    candidates: Vec<usize>,
    next_candidate: usize,
    has_removed_unit: bool,
    /// Units whose removal was unresolved: they may need each other, and be removable together.
    unresolved_units: Vec<usize>,
    /// Number of tested groups of unresolved units.
    tested_groups: usize,
}

impl OneMinimalPass {
    pub(crate) fn new(input: &SearchInput, current: &Subset) -> Self {
        let mut candidates: Vec<usize> = current.ones().collect();
        candidates.sort_by_key(|unit| Reverse(input.units.total_weight([*unit])));
        Self {
            candidates,
            next_candidate: 0,
            has_removed_unit: false,
            unresolved_units: Vec::new(),
            tested_groups: 0,
        }
    }

    /// Returns the next set to test; `None` after the last unit and the last group.
    pub(crate) fn next_subset(&mut self, input: &SearchInput, current: &Subset) -> Option<Subset> {
        let constraints = input.units.constraints();
        while let Some(unit) = self.candidates.get(self.next_candidate) {
            if current[*unit] {
                let rest = constraints.largest_closed_subset(&without_units(current, &[*unit]));
                if !rest.is_clear() {
                    return Some(rest);
                }
            }
            self.next_candidate += 1;
        }
        while let Some(group) = self.next_group() {
            let rest = constraints.closure_within(&without_units(current, group), current);
            if rest != *current && !rest.is_clear() {
                return Some(rest);
            }
            self.tested_groups += 1;
        }
        None
    }

    /// Returns the number of units that are not tested yet.
    pub(crate) fn remaining_units(&self, current: &Subset) -> usize {
        let rest = self.candidates.get(self.next_candidate..).unwrap_or_default();
        rest.iter().filter(|unit| current[**unit]).count()
    }

    /// Returns the next group of unresolved units: all of them, then each half.
    fn next_group(&self) -> Option<&[usize]> {
        let half = self.unresolved_units.len() / 2;
        match self.tested_groups {
            _ if self.has_removed_unit || half == 0 => None,
            0 => Some(&self.unresolved_units),
            1 => Some(&self.unresolved_units[..half]),
            2 => Some(&self.unresolved_units[half..]),
            _ => None,
        }
    }

    /// Records the answer for the last set.
    pub(crate) fn record_answer(&mut self, interest: Interest) {
        self.has_removed_unit |= interest == Interest::Interesting;
        if let Some(unit) = self.candidates.get(self.next_candidate) {
            self.unresolved_units.extend((interest == Interest::Unresolved).then_some(*unit));
            self.unresolved_units.sort_unstable();
            self.next_candidate += 1;
        } else {
            self.tested_groups += 1;
        }
    }

    /// Returns true if a unit was removed, so that all must be tested again.
    pub(crate) fn has_removed_unit(&self) -> bool {
        self.has_removed_unit
    }
}

fn without_units(current: &Subset, units: &[usize]) -> Subset {
    let mut remaining = current.clone();
    for unit in units {
        remaining.remove(*unit);
    }
    remaining
}
