//! The smallest part of a change that still has the verdict looked for: delta debugging (Zeller's ddmin)
//! over sets that can stand alone, from coarse groups of units to fine ones.

#[cfg(test)]
mod tests;

use super::constraints::{Subset, full};
use super::prober::{Halt, Limits, Oracle, Prober, Step, Trust};
use super::units::Units;
use crate::model::{Result, Verdict};
use std::collections::BTreeMap;

/// What a minimisation found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Minimal {
    /// The smallest interesting set that was found. It is closed.
    pub subset: Subset,
    /// How many sets were judged.
    pub tests: usize,
    /// Whether no single unit, together with what needs it, can be left out of `subset`.
    pub minimal: bool,
    /// How many of the judged sets neither passed nor failed.
    pub unresolved: usize,
    /// Whether the search was stopped by the wish to stop.
    pub interrupted: bool,
}

/// Finds a minimal closed set whose verdict is `interesting`, given that the set of all units has that
/// verdict and the empty set has not; neither is asked about.
///
/// No set is asked about twice, and none that is not closed. The result depends on the oracle's verdicts
/// only, not on its parallelism, unless a limit cuts the search short: then it is the smallest
/// interesting set so far. Until the last sweep a set is not asked about if a larger one already has the
/// opposite verdict; the sweep takes nothing for granted.
///
/// # Errors
/// What the oracle returns, but for [`Problem::Interrupted`](crate::model::Problem::Interrupted), which
/// the result tells.
pub fn minimise(
    units: &Units,
    interesting: Verdict,
    oracle: &dyn Oracle,
    limits: &Limits,
    observer: &mut dyn FnMut(Step),
) -> Result<Minimal> {
    let all = full(units.len());
    let prober = Prober::new(units, all, interesting, oracle, limits, observer);
    let mut search = Search { units, prober };
    let (minimal, interrupted) = match search.run() {
        Ok(()) => (true, false),
        Err(Halt::Exhausted) => (false, false),
        Err(Halt::Interrupted) => (false, true),
        Err(Halt::Broken(problem)) => return Err(problem),
    };
    let prober = search.prober;
    Ok(Minimal {
        subset: prober.kept().clone(),
        tests: prober.tests(),
        minimal,
        unresolved: prober.unresolved(),
        interrupted,
    })
}

/// Units of one group that are still suspected.
type Atom = Vec<usize>;
/// Atoms that are tried together.
type Chunk = Vec<Atom>;

struct Search<'a> {
    units: &'a Units,
    prober: Prober<'a>,
}

impl Search<'_> {
    fn run(&mut self) -> Result<(), Halt> {
        let stages = self.units.stages();
        for groups in &stages {
            self.ddmin(groups)?;
        }
        let finest = stages.last().map_or(&[][..], Vec::as_slice);
        while self.sweep()? {
            self.ddmin(finest)?;
        }
        Ok(())
    }

    /// One stage: chunks of its groups are left out, or all others are, and what cannot be decided is
    /// cut finer.
    fn ddmin(&mut self, groups: &[usize]) -> Result<(), Halt> {
        let mut chunks = vec![atoms(groups, self.prober.kept())];
        loop {
            chunks = self.by_weight(chunks.into_iter().flat_map(|chunk| self.halves(chunk)));
            let constraints = self.units.constraints();
            self.leave_out(&chunks, Trust::Monotone, |chunk, kept| {
                let mut rest = kept.clone();
                chunk.iter().flatten().for_each(|unit| rest.remove(*unit));
                constraints.closure_within(&rest, kept)
            })?;
            chunks = suspected(chunks, self.prober.kept());
            if self.keep_one(&chunks)? {
                chunks = vec![atoms(groups, self.prober.kept())];
            } else if chunks.iter().all(|chunk| chunk.len() == 1) {
                return Ok(());
            }
        }
    }

    /// Makes sure that no unit can be left out with what needs it; whether any could.
    fn sweep(&mut self) -> Result<bool, Halt> {
        let mut candidates: Vec<usize> = self.prober.kept().ones().collect();
        candidates.sort_by_key(|unit| std::cmp::Reverse(self.units.weight_of([*unit])));
        let constraints = self.units.constraints();
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
    ) -> Result<bool, Halt> {
        let mut is_any_left_out = false;
        loop {
            let mut rest = items;
            while !rest.is_empty() {
                let kept = self.prober.kept().clone();
                let probes = rest.iter().map(|item| without(item, &kept));
                let Some(position) = self.prober.keep_first(probes, trust)? else { break };
                rest = &rest[position + 1..];
                is_any_left_out = true;
            }
            if rest.len() == items.len() {
                return Ok(is_any_left_out);
            }
        }
    }

    /// Keeps one chunk alone, with what it needs, if that is enough.
    fn keep_one(&mut self, chunks: &[Chunk]) -> Result<bool, Halt> {
        let kept = self.prober.kept().clone();
        let constraints = self.units.constraints();
        let probes = chunks.iter().map(|chunk| {
            let mut alone = Subset::with_capacity(kept.len());
            alone.extend(chunk.iter().flatten().copied());
            constraints.closure_within(&alone, &kept)
        });
        Ok(self.prober.keep_first(probes, Trust::Monotone)?.is_some())
    }

    /// The heaviest first, because leaving them out gains most.
    fn by_weight(&self, chunks: impl Iterator<Item = Chunk>) -> Vec<Chunk> {
        let mut chunks: Vec<Chunk> = chunks.collect();
        chunks.sort_by_key(|chunk| std::cmp::Reverse(self.weight(chunk)));
        chunks
    }

    fn weight(&self, atoms: &[Atom]) -> u64 {
        self.units.weight_of(atoms.iter().flatten().copied())
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
