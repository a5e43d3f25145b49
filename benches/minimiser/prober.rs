//! Tests sets of units, each at most once, and keeps the smallest failing set.

use mend_search::{Subset, Units};
use std::collections::HashMap;

/// Assumption about subsets of passing sets.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Trust {
    /// A subset of a passing set passes, so it is not tested.
    Monotone,
    /// Every set is tested.
    Nothing,
}

/// Function that returns the verdict on a set, or `None` if it is unresolved.
pub(crate) type Rule<'a> = &'a dyn Fn(&Subset) -> Option<bool>;

/// Smallest failing set so far, with all verdicts.
pub(crate) struct Prober<'a> {
    pub(crate) units: &'a Units,
    rule: Rule<'a>,
    /// Smallest failing set so far. It is dependency-closed.
    pub(crate) smallest_failing: Subset,
    verdicts: HashMap<Subset, Option<bool>>,
    passing_sets: Vec<Subset>,
}

impl<'a> Prober<'a> {
    pub(crate) fn new(units: &'a Units, kept: Subset, rule: Rule<'a>) -> Self {
        Self {
            units,
            rule,
            smallest_failing: kept,
            verdicts: HashMap::new(),
            passing_sets: Vec::new(),
        }
    }

    /// Returns the number of tested sets.
    pub(crate) fn test_count(&self) -> usize {
        self.verdicts.len()
    }

    /// Keeps the first failing set of `probes`, which are closed subsets of the kept set. Returns its index.
    pub(crate) fn keep_first(
        &mut self,
        probes: impl IntoIterator<Item = Subset>,
        trust: Trust,
    ) -> Option<usize> {
        probes
            .into_iter()
            .position(|probe| self.is_worthwhile(&probe, trust) && self.keep_if_failing(probe))
    }

    fn is_worthwhile(&self, probe: &Subset, trust: Trust) -> bool {
        let is_refuted = || self.passing_sets.iter().any(|refuted| probe.is_subset(refuted));
        *probe != self.smallest_failing
            && !probe.is_clear()
            && !(trust == Trust::Monotone && is_refuted())
    }

    fn keep_if_failing(&mut self, probe: Subset) -> bool {
        match *self.verdicts.entry(probe.clone()).or_insert_with(|| (self.rule)(&probe)) {
            Some(true) => {
                self.smallest_failing = probe;
                return true;
            }
            Some(false) => self.passing_sets.push(probe),
            None => {}
        }
        false
    }
}
