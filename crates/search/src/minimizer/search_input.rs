//! The units that plans choose from, and the meaning of an answer.

use crate::bisection::steps_left;
use crate::minimizer::unit_order::{Chain, Order};
use crate::subset::Subset;
use crate::units::Units;
use std::collections::BTreeMap;

/// Meaning of an answer for a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sign {
    Interesting,
    Opposite,
    Unclear,
}

/// Units that a plan works on, as the goal sees them.
#[derive(Clone, Debug)]
pub(crate) struct Ground {
    pub(crate) units: Units,
    pub(crate) order: Order,
}

impl Ground {
    /// The closed sets from `base` to `kept`.
    pub(crate) fn chain(&self, base: Subset, kept: &Subset) -> Chain {
        Chain::new(&self.units, &self.order, base, kept)
    }

    /// Number of stages, including the last one, where each unit is a group of its own.
    pub(crate) fn stages(&self) -> usize {
        self.units.stages().len() + 1
    }

    /// The groups of a stage, as far as they are in `kept`.
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

    /// The units of `suspects`, those that bring in least first, and then all others.
    pub(crate) fn lightest_first(&self, suspects: &Subset) -> Order {
        let constraints = self.units.constraints();
        let weight = |unit: &usize| {
            let mut alone = Subset::with_capacity(suspects.len());
            alone.insert(*unit);
            self.units.weight(&constraints.closure_within(&alone, suspects))
        };
        let mut roots: Vec<usize> = suspects.ones().collect();
        roots.sort_by_cached_key(weight);
        roots.extend(self.units.by_place().into_iter().filter(|unit| !suspects[*unit]));
        Order::new(constraints, roots)
    }
}

/// Number of answers that lead from `count` candidates to the one.
pub(crate) fn halvings(count: usize) -> usize {
    steps_left(count) as usize
}
