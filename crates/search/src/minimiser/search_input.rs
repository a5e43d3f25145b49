//! The units that plans choose from, and the meaning of an answer.

use crate::bisection::steps_left;
use crate::minimiser::unit_order::{PrefixChain, UnitOrder};
use crate::subset::Subset;
use crate::units::Units;
use std::collections::BTreeMap;

/// Meaning of an answer for a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Interest {
    Interesting,
    NotInteresting,
    Unresolved,
}

/// Units that a plan works on, as the goal sees them.
#[derive(Clone, Debug)]
pub(crate) struct SearchInput {
    pub(crate) units: Units,
    pub(crate) order: UnitOrder,
}

impl SearchInput {
    /// Returns the closed sets from `base` to `current`.
    pub(crate) fn chain(&self, base: Subset, kept: &Subset) -> PrefixChain {
        PrefixChain::new(&self.units, &self.order, base, kept)
    }

    /// Returns the number of stages, including the last one, where each unit is its own group.
    pub(crate) fn stages(&self) -> usize {
        self.units.stages().len() + 1
    }

    /// Returns the groups of a stage, restricted to `current`.
    pub(crate) fn parts(&self, stage: usize, kept: &Subset) -> Vec<Vec<usize>> {
        let Some(groups) = self.units.stages().get(stage) else {
            return self.chain(Subset::with_capacity(kept.len()), kept).into_links();
        };
        let mut parts: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for unit in kept.ones() {
            parts.entry(groups[unit]).or_default().push(unit);
        }
        parts.into_values().collect()
    }

    /// Returns the units of `suspects`, those with the lightest closure first, and then all others.
    pub(crate) fn lightest_first(&self, suspects: &Subset) -> UnitOrder {
        let constraints = self.units.constraints();
        let weight = |unit: &usize| {
            let mut alone = Subset::with_capacity(suspects.len());
            alone.insert(*unit);
            self.units.weight(&constraints.closure_within(&alone, suspects))
        };
        let mut roots: Vec<usize> = suspects.ones().collect();
        roots.sort_by_cached_key(weight);
        roots.extend(self.units.by_place().into_iter().filter(|unit| !suspects[*unit]));
        UnitOrder::new(constraints, roots)
    }
}

/// Number of answers that lead from `count` candidates to the one.
pub(crate) fn halvings(count: usize) -> usize {
    steps_left(count) as usize
}
