//! Implications between units, and their saturation: adds all units that a set requires.

use super::subset::Subset;
use std::collections::BTreeSet;

/// Implications: a set that contains all of some units contains one of some others.
#[derive(Clone, Debug)]
pub(super) struct Implications {
    /// Implications from one unit to one other unit, by the first.
    edges: Vec<Vec<usize>>,
    /// All other implications.
    clauses: Vec<Clause>,
    /// For each unit, the clauses that it may trigger.
    triggers: Vec<Vec<usize>>,
}

#[derive(Clone, Debug)]
struct Clause {
    premises: Vec<usize>,
    alternatives: Vec<usize>,
}

impl Clause {
    fn is_satisfied_by(&self, subset: &Subset) -> bool {
        !self.premises.iter().all(|unit| subset[*unit])
            || self.alternatives.iter().any(|unit| subset[*unit])
    }
}

impl Implications {
    pub(super) fn new(len: usize) -> Self {
        Self { edges: vec![Vec::new(); len], clauses: Vec::new(), triggers: vec![Vec::new(); len] }
    }

    pub(super) fn add(&mut self, premises: &[usize], alternatives: &[usize]) {
        if let ([from], [to]) = (premises, alternatives) {
            self.edges[*from].push(*to);
            return;
        }
        for unit in premises {
            self.triggers[*unit].push(self.clauses.len());
        }
        self.clauses
            .push(Clause { premises: premises.to_vec(), alternatives: alternatives.to_vec() });
    }

    /// Returns the units that `unit` alone requires.
    pub(super) fn edges(&self, unit: usize) -> &[usize] {
        &self.edges[unit]
    }

    /// Returns the units that `unit` alone requires, and the first of each list of alternatives.
    pub(super) fn prerequisites(&self, unit: usize) -> impl Iterator<Item = usize> {
        let clauses = self.triggers[unit].iter().map(|clause| &self.clauses[*clause]);
        let chosen = clauses
            .filter(|clause| clause.premises.len() == 1)
            .map(|clause| clause.alternatives[0]);
        self.edges[unit].iter().copied().chain(chosen)
    }

    pub(super) fn are_satisfied_by(&self, subset: &Subset) -> bool {
        subset.ones().all(|unit| self.edges[unit].iter().all(|needed| subset[*needed]))
            && self.clauses.iter().all(|clause| clause.is_satisfied_by(subset))
    }

    /// Adds all required units to `subset` after the units in `worklist` were added, and returns the added ones. Of
    /// several alternatives, it adds the first `preferred` one. Implications without alternatives are applied first, so
    /// that no alternative is chosen needlessly.
    pub(super) fn saturate(
        &self,
        subset: &mut Subset,
        mut worklist: Vec<usize>,
        preferred: &Subset,
    ) -> Vec<usize> {
        let mut added = Vec::new();
        let mut triggered_clauses = BTreeSet::new();
        loop {
            while let Some(unit) = worklist.pop() {
                let choices = |clause: &usize| (self.clauses[*clause].alternatives.len(), *clause);
                triggered_clauses.extend(self.triggers[unit].iter().map(choices));
                for needed in &self.edges[unit] {
                    if !subset.put(*needed) {
                        worklist.push(*needed);
                        added.push(*needed);
                    }
                }
            }
            let Some((_, clause)) = triggered_clauses.pop_first() else { return added };
            let clause = &self.clauses[clause];
            if !clause.is_satisfied_by(subset) {
                let chosen = clause.alternatives.iter().find(|unit| preferred[**unit]);
                let Some(chosen) = chosen.or(clause.alternatives.first()) else { continue };
                subset.insert(*chosen);
                worklist.push(*chosen);
                added.push(*chosen);
            }
        }
    }
}
