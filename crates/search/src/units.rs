//! Units of a minimisation: weights, stages and constraints; and the goal of a search.

use super::constraints::Constraints;
use super::oracle::LearnedImplication;
use super::subset::{Subset, complement};
use anyhow::ensure;
use mend_model::{Result, Verdict};

/// Parts of a change that can be enabled separately.
#[derive(Clone, Debug)]
pub struct Units {
    weights: Vec<u64>,
    stages: Vec<Vec<usize>>,
    constraints: Constraints,
}

impl Units {
    /// Creates units. `weights` has the weight of each unit in tokens. `stages`, coarsest first (files, members,
    /// statements, …), have the number of each unit's group. Groups are tried in the order of their numbers, so
    /// neighbours should have adjacent numbers. In an implicit last stage, each unit is its own group, except for
    /// dependency cycles.
    ///
    /// # Errors
    /// [`Problem::Internal`](mend_model::Problem::Internal) if the three have different numbers of units.
    pub fn new(
        weights: Vec<u64>,
        stages: Vec<Vec<usize>>,
        constraints: Constraints,
    ) -> Result<Self> {
        let len = constraints.len();
        let check = || {
            ensure!(weights.len() == len, "{} weights for {len} units", weights.len());
            ensure!(
                stages.iter().all(|stage| stage.len() == len),
                "a stage is not over {len} units"
            );
            Ok(())
        };
        check()?;
        Ok(Self { weights, stages, constraints })
    }

    /// Returns the number of units.
    pub fn len(&self) -> usize {
        self.weights.len()
    }

    /// Returns true if there are no units.
    pub fn is_empty(&self) -> bool {
        self.weights.is_empty()
    }

    /// Returns the dependencies between the units.
    pub fn constraints(&self) -> &Constraints {
        &self.constraints
    }

    /// Returns the weight of `subset`, in tokens.
    pub fn weight(&self, subset: &Subset) -> u64 {
        self.total_weight(subset.ones())
    }

    pub(super) fn total_weight(&self, units: impl IntoIterator<Item = usize>) -> u64 {
        units.into_iter().map(|unit| self.weights[unit]).sum()
    }

    /// Returns the groups of each stage, coarsest first.
    pub(super) fn stages(&self) -> &[Vec<usize>] {
        &self.stages
    }

    /// Returns all units, in the order of files, members and statements.
    pub(super) fn in_source_order(&self) -> Vec<usize> {
        let mut units: Vec<usize> = (0..self.len()).collect();
        units.sort_by_key(|unit| self.stages.iter().map(|stage| stage[*unit]).collect::<Vec<_>>());
        units
    }

    /// Returns the first stage in which two units are in different groups; 0 is the coarsest.
    pub(super) fn separating_stage(&self, left_unit: usize, right_unit: usize) -> usize {
        let first = self.stages.iter().position(|stage| stage[left_unit] != stage[right_unit]);
        first.unwrap_or(self.stages.len())
    }

    /// Adds a constraint.
    pub(super) fn add_implication(&mut self, implication: &LearnedImplication) {
        self.constraints.add_implication(&implication.premises, &implication.alternatives);
    }
}

/// Goal of the search in the change from good to bad.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MinimisationGoal {
    /// The minimal set of units that makes good fail if enabled.
    Culprit,
    /// The minimal set of units that makes bad pass if disabled.
    Fix,
}

impl MinimisationGoal {
    /// Returns the verdict of interesting sets.
    pub fn interesting_verdict(self) -> Verdict {
        match self {
            Self::Culprit => Verdict::Fail,
            Self::Fix => Verdict::Pass,
        }
    }

    /// Returns the units for this goal: for a fix, a set contains the units to disable.
    #[must_use]
    pub fn orient_units(self, units: &Units) -> Units {
        let constraints = match self {
            Self::Culprit => units.constraints.clone(),
            Self::Fix => units.constraints.reversed(),
        };
        Units { constraints, ..units.clone() }
    }

    /// Returns the units to enable for a set of the search; all others are disabled.
    #[must_use]
    pub fn enabled_units(self, subset: &Subset) -> Subset {
        match self {
            Self::Culprit => subset.clone(),
            Self::Fix => complement(subset),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constraints::tests::{constraints, subset};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_a_fix_leaves_switched_on_is_closed(constraints in constraints(20), pick: prop::sample::Index) {
            let len = constraints.len();
            let units = Units::new(vec![1; len], vec![], constraints).unwrap();
            let off = MinimisationGoal::Fix.orient_units(&units).constraints().closure(&subset(len, &[pick.index(len)]));
            prop_assert!(units.constraints().is_closed(&MinimisationGoal::Fix.enabled_units(&off)));
        }
    }

    #[test]
    fn mismatched_lengths_are_rejected() {
        let constraints = || Constraints::new(2, &[], &[]).unwrap();
        assert!(Units::new(vec![1], vec![], constraints()).is_err());
        assert!(Units::new(vec![1, 1], vec![vec![0]], constraints()).is_err());
        assert!(Units::new(vec![1, 1], vec![vec![0, 0]], constraints()).is_ok());
    }
}
