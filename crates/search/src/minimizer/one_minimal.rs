//! The last word: every unit is left out alone, with what needs it.

use crate::minimizer::search_input::{Ground, Sign};
use crate::subset::Subset;
use std::cmp::Reverse;

/// Where the sweep has got to.
#[derive(Clone, Debug)]
pub(crate) struct Sweep {
    /// The heaviest first, because leaving them out gains most.
    candidates: Vec<usize>,
    at: usize,
    is_any_left_out: bool,
    /// Without each of these it was unclear: they may need each other, and be needless together.
    unclear: Vec<usize>,
    /// How many groups of them were tried.
    groups: usize,
}

impl Sweep {
    pub(crate) fn new(ground: &Ground, kept: &Subset) -> Self {
        let mut candidates: Vec<usize> = kept.ones().collect();
        candidates.sort_by_key(|unit| Reverse(ground.units.weight_of([*unit])));
        Self { candidates, at: 0, is_any_left_out: false, unclear: Vec::new(), groups: 0 }
    }

    /// The next set to ask about; none after the last unit and the last group.
    pub(crate) fn next(&mut self, ground: &Ground, kept: &Subset) -> Option<Subset> {
        let constraints = ground.units.constraints();
        while let Some(unit) = self.candidates.get(self.at) {
            if kept[*unit] {
                let rest = constraints.interior(&without(kept, &[*unit]));
                if !rest.is_clear() {
                    return Some(rest);
                }
            }
            self.at += 1;
        }
        while let Some(group) = self.group() {
            let rest = constraints.closure_within(&without(kept, group), kept);
            if rest != *kept && !rest.is_clear() {
                return Some(rest);
            }
            self.groups += 1;
        }
        None
    }

    /// How many units are left to be tried.
    pub(crate) fn left(&self, kept: &Subset) -> usize {
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

    /// Takes the answer on the set asked about last.
    pub(crate) fn tell(&mut self, sign: Sign) {
        self.is_any_left_out |= sign == Sign::Interesting;
        if let Some(unit) = self.candidates.get(self.at) {
            self.unclear.extend((sign == Sign::Unclear).then_some(*unit));
            self.unclear.sort_unstable();
            self.at += 1;
        } else {
            self.groups += 1;
        }
    }

    /// Whether something could be left out, so that all must be tried again.
    pub(crate) fn is_any_left_out(&self) -> bool {
        self.is_any_left_out
    }
}

fn without(kept: &Subset, units: &[usize]) -> Subset {
    let mut rest = kept.clone();
    for unit in units {
        rest.remove(*unit);
    }
    rest
}
