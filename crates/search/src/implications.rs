//! Rules that only ever demand more.

use super::subset::Subset;
use std::collections::BTreeSet;

/// Implications: if all of some units are contained, one of some others must be.
#[derive(Clone, Debug)]
pub(super) struct Implications {
    /// The rules from one unit to one, by the first.
    edges: Vec<Vec<usize>>,
    /// All other implications.
    clauses: Vec<Clause>,
    /// For each unit the clauses that it can trigger.
    triggers: Vec<Vec<usize>>,
}

#[derive(Clone, Debug)]
struct Clause {
    all: Vec<usize>,
    any: Vec<usize>,
}

impl Clause {
    fn is_kept_by(&self, subset: &Subset) -> bool {
        !self.all.iter().all(|unit| subset[*unit]) || self.any.iter().any(|unit| subset[*unit])
    }
}

impl Implications {
    pub(super) fn new(len: usize) -> Self {
        Self { edges: vec![Vec::new(); len], clauses: Vec::new(), triggers: vec![Vec::new(); len] }
    }

    pub(super) fn add(&mut self, all: &[usize], any: &[usize]) {
        if let ([from], [to]) = (all, any) {
            self.edges[*from].push(*to);
            return;
        }
        for unit in all {
            self.triggers[*unit].push(self.clauses.len());
        }
        self.clauses.push(Clause { all: all.to_vec(), any: any.to_vec() });
    }

    /// The units that `unit` alone demands.
    pub(super) fn edges(&self, unit: usize) -> &[usize] {
        &self.edges[unit]
    }

    /// The units that `unit` alone demands, and the first of each choice that it demands.
    pub(super) fn prerequisites(&self, unit: usize) -> impl Iterator<Item = usize> {
        let clauses = self.triggers[unit].iter().map(|clause| &self.clauses[*clause]);
        let chosen = clauses.filter(|clause| clause.all.len() == 1).map(|clause| clause.any[0]);
        self.edges[unit].iter().copied().chain(chosen)
    }

    pub(super) fn are_kept_by(&self, subset: &Subset) -> bool {
        subset.ones().all(|unit| self.edges[unit].iter().all(|needed| subset[*needed]))
            && self.clauses.iter().all(|clause| clause.is_kept_by(subset))
    }

    /// Adds what the rules demand now that the `open` units are in `subset`, and where they leave a
    /// choice, the first unit that is `within`; what was added. Rules without a choice go first, so that
    /// what must be is there before a choice is made.
    pub(super) fn saturate(
        &self,
        subset: &mut Subset,
        mut open: Vec<usize>,
        within: &Subset,
    ) -> Vec<usize> {
        let mut added = Vec::new();
        let mut triggered = BTreeSet::new();
        loop {
            while let Some(unit) = open.pop() {
                let choices = |clause: &usize| (self.clauses[*clause].any.len(), *clause);
                triggered.extend(self.triggers[unit].iter().map(choices));
                for needed in &self.edges[unit] {
                    if !subset.put(*needed) {
                        open.push(*needed);
                        added.push(*needed);
                    }
                }
            }
            let Some((_, clause)) = triggered.pop_first() else { return added };
            let clause = &self.clauses[clause];
            if !clause.is_kept_by(subset) {
                let chosen = clause.any.iter().find(|unit| within[**unit]);
                let Some(chosen) = chosen.or(clause.any.first()) else { continue };
                subset.insert(*chosen);
                open.push(*chosen);
                added.push(*chosen);
            }
        }
    }
}
