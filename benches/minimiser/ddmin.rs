//! Zeller's ddmin on dependency-closed sets, for comparison with the minimiser.

use crate::prober::{Prober, Rule, Trust};
use mend_search::{Subset, Units};
use std::collections::BTreeMap;

/// Returns a minimal closed failing set, and the number of sets tested.
pub(crate) fn ddmin(units: &Units, rule: Rule<'_>) -> (Subset, usize) {
    let mut all = Subset::with_capacity(units.len());
    all.insert_range(..);
    let mut search = Search { prober: Prober::new(units, all, rule) };
    let components = units.constraints().components();
    search.ddmin(&components);
    while search.remove_units() {
        search.ddmin(&components);
    }
    let tests = search.prober.test_count();
    (search.prober.smallest_failing, tests)
}

/// Suspected units of one group.
type Atom = Vec<usize>;
/// Atoms that are tested together.
type Chunk = Vec<Atom>;

struct Search<'a> {
    prober: Prober<'a>,
}

impl Search<'_> {
    /// Runs one stage: removes chunks of its groups, or their complements, and refines the granularity of undecided
    /// chunks.
    fn ddmin(&mut self, groups: &[usize]) {
        let mut chunks = vec![group_units(groups, &self.prober.smallest_failing)];
        loop {
            chunks = self
                .sort_by_weight(chunks.into_iter().flat_map(|chunk| self.split_in_halves(chunk)));
            let constraints = self.prober.units.constraints();
            self.remove_each(&chunks, Trust::Monotone, |chunk, kept| {
                let mut rest = kept.clone();
                chunk.iter().flatten().for_each(|unit| rest.remove(*unit));
                constraints.closure_within(&rest, kept)
            });
            chunks = retain_kept(chunks, &self.prober.smallest_failing);
            if self.keep_single_chunk(&chunks) {
                chunks = vec![group_units(groups, &self.prober.smallest_failing)];
            } else if chunks.iter().all(|chunk| chunk.len() == 1) {
                return;
            }
        }
    }

    /// Removes every unit that can be removed with its dependents. Returns true if a unit was removed.
    fn remove_units(&mut self) -> bool {
        let candidates: Vec<usize> = self.prober.smallest_failing.ones().collect();
        let constraints = self.prober.units.constraints();
        self.remove_each(&candidates, Trust::Nothing, |unit, kept| {
            let mut rest = kept.clone();
            rest.remove(*unit);
            constraints.largest_closed_subset(&rest)
        })
    }

    /// Removes each of `items` that can be removed, until none can. Returns true if an item was removed. `without`
    /// returns the kept set without an item.
    fn remove_each<T>(
        &mut self,
        items: &[T],
        trust: Trust,
        without: impl Fn(&T, &Subset) -> Subset,
    ) -> bool {
        let mut has_removed = false;
        loop {
            let mut rest = items;
            while !rest.is_empty() {
                let kept = self.prober.smallest_failing.clone();
                let probes = rest.iter().map(|item| without(item, &kept));
                let Some(position) = self.prober.keep_first(probes, trust) else { break };
                rest = &rest[position + 1..];
                has_removed = true;
            }
            if rest.len() == items.len() {
                return has_removed;
            }
        }
    }

    /// Keeps only one chunk and its dependencies, if that set fails.
    fn keep_single_chunk(&mut self, chunks: &[Chunk]) -> bool {
        let kept = self.prober.smallest_failing.clone();
        let constraints = self.prober.units.constraints();
        let probes = chunks.iter().map(|chunk| {
            let mut alone = Subset::with_capacity(kept.len());
            alone.extend(chunk.iter().flatten().copied());
            constraints.closure_within(&alone, &kept)
        });
        self.prober.keep_first(probes, Trust::Monotone).is_some()
    }

    /// Sorts chunks by decreasing weight, because removing heavy ones gains most.
    fn sort_by_weight(&self, chunks: impl Iterator<Item = Chunk>) -> Vec<Chunk> {
        let mut chunks: Vec<Chunk> = chunks.collect();
        chunks.sort_by_key(|chunk| std::cmp::Reverse(self.weight(chunk)));
        chunks
    }

    fn weight(&self, atoms: &[Atom]) -> u64 {
        let mut set = Subset::with_capacity(self.prober.units.len());
        set.extend(atoms.iter().flatten().copied());
        self.prober.units.weight(&set)
    }

    /// Splits a chunk into two of about equal weight, or returns its only atom.
    fn split_in_halves(&self, mut chunk: Chunk) -> Vec<Chunk> {
        let total = self.weight(&chunk);
        let mut before = 0;
        let imbalance = |cut: usize| {
            before += self.weight(&chunk[cut - 1..cut]);
            (before.abs_diff(total - before), cut)
        };
        let Some((_, cut)) = (1..chunk.len()).map(imbalance).min() else { return vec![chunk] };
        let second = chunk.split_off(cut);
        vec![chunk, second]
    }
}

/// Returns the units of `kept` by group, ordered by group number.
fn group_units(groups: &[usize], kept: &Subset) -> Chunk {
    let mut atoms: BTreeMap<usize, Atom> = BTreeMap::new();
    for unit in kept.ones() {
        atoms.entry(groups[unit]).or_default().push(unit);
    }
    atoms.into_values().collect()
}

/// Returns the parts of `chunks` that are in `kept`.
fn retain_kept(mut chunks: Vec<Chunk>, kept: &Subset) -> Vec<Chunk> {
    for chunk in &mut chunks {
        for atom in chunk.iter_mut() {
            atom.retain(|unit| kept[*unit]);
        }
        chunk.retain(|atom| !atom.is_empty());
    }
    chunks.retain(|chunk| !chunk.is_empty());
    chunks
}
