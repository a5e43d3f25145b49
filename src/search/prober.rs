//! Asking about sets: each at most once, several at a time, and with the same end however many.

use super::constraints::Subset;
use super::units::Units;
use crate::model::{Interrupt, Problem, Result, Verdict};
use anyhow::anyhow;
use std::collections::{HashMap, VecDeque};

/// Who judges sets of units.
pub trait Oracle {
    /// Judges each of `subsets`, in their order; they may be judged in parallel.
    ///
    /// # Errors
    /// When it cannot go on. [`Problem::Interrupted`] ends the search like the [`Interrupt`] itself.
    fn judge(&self, subsets: &[Subset]) -> Result<Vec<Verdict>>;

    /// How many sets it makes sense to ask about at once.
    fn parallelism(&self) -> usize {
        1
    }
}

/// Where a search has got to, after each verdict that it used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// The weight of what is still suspected, in tokens.
    pub kept_weight: u64,
    /// How many units are still suspected.
    pub kept_units: usize,
    /// How many sets were judged so far.
    pub tests: usize,
    /// The verdict.
    pub verdict: Verdict,
}

/// What ends a search before its end.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// The wish to stop.
    pub interrupt: Interrupt,
    /// How many sets may be judged.
    pub max_tests: Option<usize>,
}

/// Why a search cannot go on.
#[derive(Debug)]
pub(super) enum Halt {
    Interrupted,
    Exhausted,
    Broken(Problem),
}

impl From<Problem> for Halt {
    fn from(problem: Problem) -> Self {
        match problem {
            Problem::Interrupted => Self::Interrupted,
            other => Self::Broken(other),
        }
    }
}

/// Whether to presume that leaving out more never brings the interesting verdict back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Trust {
    /// So a subset of a set with the opposite verdict is not worth asking about.
    Monotone,
    /// Only a set's own verdict counts.
    Nothing,
}

/// The current smallest interesting set, and everything asked on the way to it.
pub(super) struct Prober<'a> {
    units: &'a Units,
    interesting: Verdict,
    oracle: &'a dyn Oracle,
    limits: &'a Limits,
    observer: &'a mut dyn FnMut(Step),
    /// The smallest set so far that is known to be interesting. It is closed.
    kept: Subset,
    verdicts: HashMap<Subset, Verdict>,
    /// The sets that were used and have the opposite of the interesting verdict. Sets that were only
    /// asked about ahead are not in it, so that it does not depend on the parallelism.
    refuted: Vec<Subset>,
}

impl<'a> Prober<'a> {
    pub(super) fn new(
        units: &'a Units,
        kept: Subset,
        interesting: Verdict,
        oracle: &'a dyn Oracle,
        limits: &'a Limits,
        observer: &'a mut dyn FnMut(Step),
    ) -> Self {
        let (verdicts, refuted) = Default::default();
        Self { units, interesting, oracle, limits, observer, kept, verdicts, refuted }
    }

    pub(super) fn kept(&self) -> &Subset {
        &self.kept
    }

    /// How many sets were judged.
    pub(super) fn tests(&self) -> usize {
        self.verdicts.len()
    }

    /// How many of them neither passed nor failed.
    pub(super) fn unresolved(&self) -> usize {
        let is_resolved = |verdict: &&Verdict| matches!(verdict, Verdict::Pass | Verdict::Fail);
        self.tests() - self.verdicts.values().filter(is_resolved).count()
    }

    /// Keeps the first interesting one of `probes`, closed subsets of what is kept, and returns its
    /// position.
    pub(super) fn keep_first(
        &mut self,
        probes: impl IntoIterator<Item = Subset>,
        trust: Trust,
    ) -> Result<Option<usize>, Halt> {
        let mut probes = probes.into_iter().enumerate();
        let mut ahead = VecDeque::new();
        while let Some((position, probe)) = ahead.pop_front().or_else(|| probes.next()) {
            if !self.is_worthwhile(&probe, trust) {
                continue;
            }
            if !self.verdicts.contains_key(&probe) {
                let batch = self.batch(&probe, &mut ahead, &mut probes, trust);
                self.ask(batch)?;
            }
            if self.conclude(probe) {
                return Ok(Some(position));
            }
        }
        Ok(None)
    }

    /// Whether the verdict on `probe` could make a difference.
    fn is_worthwhile(&self, probe: &Subset, trust: Trust) -> bool {
        let is_refuted = || self.refuted.iter().any(|refuted| probe.is_subset(refuted));
        *probe != self.kept && !probe.is_clear() && !(trust == Trust::Monotone && is_refuted())
    }

    /// `first` and as many of those that follow it as can be asked about at once.
    fn batch(
        &self,
        first: &Subset,
        ahead: &mut VecDeque<(usize, Subset)>,
        rest: &mut impl Iterator<Item = (usize, Subset)>,
        trust: Trust,
    ) -> Vec<Subset> {
        let mut batch = vec![first.clone()];
        let mut seen = 0;
        while batch.len() < self.oracle.parallelism() {
            if seen == ahead.len() {
                let Some(next) = rest.next() else { break };
                ahead.push_back(next);
            }
            let (_, probe) = &ahead[seen];
            seen += 1;
            let is_new = !self.verdicts.contains_key(probe) && !batch.contains(probe);
            if is_new && self.is_worthwhile(probe, trust) {
                batch.push(probe.clone());
            }
        }
        batch
    }

    fn ask(&mut self, mut batch: Vec<Subset>) -> Result<(), Halt> {
        self.limits.interrupt.check()?;
        let left = self.limits.max_tests.map_or(usize::MAX, |max| max.saturating_sub(self.tests()));
        batch.truncate(left);
        if batch.is_empty() {
            return Err(Halt::Exhausted);
        }
        let verdicts = self.oracle.judge(&batch)?;
        if verdicts.len() != batch.len() {
            let (asked, got) = (batch.len(), verdicts.len());
            return Err(Halt::Broken(anyhow!("{got} verdicts on {asked} sets").into()));
        }
        self.verdicts.extend(batch.into_iter().zip(verdicts));
        Ok(())
    }

    /// Uses the verdict on `probe`, and says whether it is kept.
    fn conclude(&mut self, probe: Subset) -> bool {
        let Some(verdict) = self.verdicts.get(&probe).copied() else { return false };
        let is_interesting = verdict == self.interesting;
        if is_interesting {
            self.kept = probe;
        } else if matches!(verdict, Verdict::Pass | Verdict::Fail) {
            self.refuted.push(probe);
        }
        let step = Step {
            kept_weight: self.units.weight(&self.kept),
            kept_units: self.kept.count_ones(..),
            tests: self.tests(),
            verdict,
        };
        (self.observer)(step);
        is_interesting
    }
}
