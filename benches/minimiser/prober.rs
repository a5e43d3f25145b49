//! Asking about sets, each at most once.

use git_mend::search::{Subset, Units};
use std::collections::HashMap;

/// Whether to presume that leaving out more never brings the failure back.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Trust {
    /// So a subset of a set that passes is not worth asking about.
    Monotone,
    /// Only a set's own verdict counts.
    Nothing,
}

/// Whether a set fails, if that can be told.
pub(crate) type Rule<'a> = &'a dyn Fn(&Subset) -> Option<bool>;

/// The current smallest failing set, and everything asked on the way to it.
pub(crate) struct Prober<'a> {
    pub(crate) units: &'a Units,
    rule: Rule<'a>,
    /// The smallest set so far that is known to fail. It is closed.
    pub(crate) kept: Subset,
    answers: HashMap<Subset, Option<bool>>,
    refuted: Vec<Subset>,
}

impl<'a> Prober<'a> {
    pub(crate) fn new(units: &'a Units, kept: Subset, rule: Rule<'a>) -> Self {
        Self { units, rule, kept, answers: HashMap::new(), refuted: Vec::new() }
    }

    /// How many sets were judged.
    pub(crate) fn tests(&self) -> usize {
        self.answers.len()
    }

    /// Keeps the first failing one of `probes`, closed subsets of what is kept; returns its position.
    pub(crate) fn keep_first(
        &mut self,
        probes: impl IntoIterator<Item = Subset>,
        trust: Trust,
    ) -> Option<usize> {
        probes.into_iter().position(|probe| self.is_worthwhile(&probe, trust) && self.keep(probe))
    }

    fn is_worthwhile(&self, probe: &Subset, trust: Trust) -> bool {
        let is_refuted = || self.refuted.iter().any(|refuted| probe.is_subset(refuted));
        *probe != self.kept && !probe.is_clear() && !(trust == Trust::Monotone && is_refuted())
    }

    fn keep(&mut self, probe: Subset) -> bool {
        match *self.answers.entry(probe.clone()).or_insert_with(|| (self.rule)(&probe)) {
            Some(true) => {
                self.kept = probe;
                return true;
            }
            Some(false) => self.refuted.push(probe),
            None => {}
        }
        false
    }
}
