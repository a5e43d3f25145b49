//! Zeller's ddmin over sets that can stand alone: what the minimiser is compared with.

use crate::prober::{Prober, Rule, Trust};
use git_mend::search::{Subset, Units};
use std::collections::BTreeMap;

/// A minimal failing set that can stand alone, and how many sets were judged for it.
pub(crate) fn ddmin(units: &Units, rule: Rule<'_>) -> (Subset, usize) {
    let mut all = Subset::with_capacity(units.len());
    all.insert_range(..);
    let mut search = Search { prober: Prober::new(units, all, rule) };
    let components = units.constraints().components();
    search.ddmin(&components);
    while search.sweep() {
        search.ddmin(&components);
    }
    let tests = search.prober.tests();
    (search.prober.kept, tests)
}

/// Units of one group that are still suspected.
type Atom = Vec<usize>;
/// Atoms that are tried together.
type Chunk = Vec<Atom>;

struct Search<'a> {
    prober: Prober<'a>,
}

impl Search<'_> {
    /// One stage: chunks of its groups are left out, or all others are, and what cannot be decided is
    /// cut finer.
    fn ddmin(&mut self, groups: &[usize]) {
        let mut chunks = vec![atoms(groups, &self.prober.kept)];
        loop {
            chunks = self.by_weight(chunks.into_iter().flat_map(|chunk| self.halves(chunk)));
            let constraints = self.prober.units.constraints();
            self.leave_out(&chunks, Trust::Monotone, |chunk, kept| {
                let mut rest = kept.clone();
                chunk.iter().flatten().for_each(|unit| rest.remove(*unit));
                constraints.closure_within(&rest, kept)
            });
            chunks = suspected(chunks, &self.prober.kept);
            if self.keep_one(&chunks) {
                chunks = vec![atoms(groups, &self.prober.kept)];
            } else if chunks.iter().all(|chunk| chunk.len() == 1) {
                return;
            }
        }
    }

    /// Makes sure that no unit can be left out with what needs it; whether any could.
    fn sweep(&mut self) -> bool {
        let candidates: Vec<usize> = self.prober.kept.ones().collect();
        let constraints = self.prober.units.constraints();
        self.leave_out(&candidates, Trust::Nothing, |unit, kept| {
            let mut rest = kept.clone();
            rest.remove(*unit);
            constraints.interior(&rest)
        })
    }

    /// Leaves out each of `items` that can be, until none can; whether any could. `without` tells what
    /// then stays of the kept set.
    fn leave_out<T>(
        &mut self,
        items: &[T],
        trust: Trust,
        without: impl Fn(&T, &Subset) -> Subset,
    ) -> bool {
        let mut is_any_left_out = false;
        loop {
            let mut rest = items;
            while !rest.is_empty() {
                let kept = self.prober.kept.clone();
                let probes = rest.iter().map(|item| without(item, &kept));
                let Some(position) = self.prober.keep_first(probes, trust) else { break };
                rest = &rest[position + 1..];
                is_any_left_out = true;
            }
            if rest.len() == items.len() {
                return is_any_left_out;
            }
        }
    }

    /// Keeps one chunk alone, with what it needs, if that is enough.
    fn keep_one(&mut self, chunks: &[Chunk]) -> bool {
        let kept = self.prober.kept.clone();
        let constraints = self.prober.units.constraints();
        let probes = chunks.iter().map(|chunk| {
            let mut alone = Subset::with_capacity(kept.len());
            alone.extend(chunk.iter().flatten().copied());
            constraints.closure_within(&alone, &kept)
        });
        self.prober.keep_first(probes, Trust::Monotone).is_some()
    }

    /// The heaviest first, because leaving them out gains most.
    fn by_weight(&self, chunks: impl Iterator<Item = Chunk>) -> Vec<Chunk> {
        let mut chunks: Vec<Chunk> = chunks.collect();
        chunks.sort_by_key(|chunk| std::cmp::Reverse(self.weight(chunk)));
        chunks
    }

    fn weight(&self, atoms: &[Atom]) -> u64 {
        let mut set = Subset::with_capacity(self.prober.units.len());
        set.extend(atoms.iter().flatten().copied());
        self.prober.units.weight(&set)
    }

    /// Two chunks of as equal a weight as neighbours allow, or the only atom.
    fn halves(&self, mut chunk: Chunk) -> Vec<Chunk> {
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

/// The units of `kept` by group, in the order of the groups' numbers.
fn atoms(groups: &[usize], kept: &Subset) -> Chunk {
    let mut atoms: BTreeMap<usize, Atom> = BTreeMap::new();
    for unit in kept.ones() {
        atoms.entry(groups[unit]).or_default().push(unit);
    }
    atoms.into_values().collect()
}

/// What of `chunks` is in `kept`.
fn suspected(mut chunks: Vec<Chunk>, kept: &Subset) -> Vec<Chunk> {
    for chunk in &mut chunks {
        for atom in chunk.iter_mut() {
            atom.retain(|unit| kept[*unit]);
        }
        chunk.retain(|atom| !atom.is_empty());
    }
    chunks.retain(|chunk| !chunk.is_empty());
    chunks
}
