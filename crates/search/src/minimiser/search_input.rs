//! Input of a search: its units with their order, and the interpretation of answers.

use crate::bisection::estimate_remaining_tests;
use crate::minimiser::unit_order::{PrefixChain, UnitOrder};
use crate::subset::Subset;
use crate::units::Units;
use std::collections::BTreeMap;

/// Interpretation of an answer for the goal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Interest {
    Interesting,
    NotInteresting,
    Unresolved,
}

/// Units of a search, in the orientation of the goal.
#[derive(Clone, Debug)]
pub(crate) struct SearchInput {
    pub(crate) units: Units,
    pub(crate) order: UnitOrder,
}

impl SearchInput {
    /// Builds the chain of closed sets from `base` to `current`.
    pub(crate) fn build_chain(&self, base: Subset, current: &Subset) -> PrefixChain {
        PrefixChain::new(&self.units, &self.order, base, current)
    }

    /// Returns the number of stages, including the last one, where each unit is its own group.
    pub(crate) fn stage_count(&self) -> usize {
        self.units.stages().len() + 1
    }

    /// Returns the groups of a stage, restricted to `current`.
    pub(crate) fn stage_groups(&self, stage: usize, current: &Subset) -> Vec<Vec<usize>> {
        let Some(groups) = self.units.stages().get(stage) else {
            return self.build_chain(Subset::with_capacity(current.len()), current).into_links();
        };
        let mut parts: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for unit in current.ones() {
            parts.entry(groups[unit]).or_default().push(unit);
        }
        parts.into_values().collect()
    }

    /// Returns the units of `suspects`, those with the lightest closure first, and then all others.
    pub(crate) fn order_lightest_first(&self, suspects: &Subset) -> UnitOrder {
        let constraints = self.units.constraints();
        let weight = |unit: &usize| {
            let mut single_unit = Subset::with_capacity(suspects.len());
            single_unit.insert(*unit);
            self.units.weight(&constraints.closure_within(&single_unit, suspects))
        };
        let mut roots: Vec<usize> = suspects.ones().collect();
        roots.sort_by_cached_key(weight);
        roots.extend(self.units.in_source_order().into_iter().filter(|unit| !suspects[*unit]));
        UnitOrder::new(constraints, roots)
    }
}

/// Returns the number of halvings that reduce `count` candidates to one.
pub(crate) fn count_halvings(count: usize) -> usize {
    estimate_remaining_tests(count) as usize
}
