//! Collector of the dependencies that the rules find.

use crate::dependencies::name_dependencies::Version;
use crate::dependency_rules::context::node_ref::HunkSet;
use crate::hunk::{DependencyRule, HunkDependency, HunkId};
use std::collections::BTreeSet;

/// Collected dependencies, without duplicates.
#[derive(Default)]
pub(crate) struct DependencyCollector {
    dependencies: BTreeSet<HunkDependency>,
}

impl DependencyCollector {
    /// Adds the dependency of one hunk on another.
    pub(crate) fn require(&mut self, from: HunkId, to: HunkId, rule: DependencyRule) {
        if from != to {
            self.dependencies.insert(HunkDependency { from, to: vec![to], rule });
        }
    }

    /// Adds the dependencies of each hunk on all the others.
    pub(crate) fn require_all(&mut self, from: &HunkSet, to: &HunkSet, rule: DependencyRule) {
        for from in from {
            for to in to {
                self.require(*from, *to, rule);
            }
        }
    }

    /// Adds the dependency of one hunk on one of several, if it is not among them.
    pub(crate) fn require_any(&mut self, from: HunkId, to: &HunkSet, rule: DependencyRule) {
        if !to.is_empty() && !to.contains(&from) {
            self.dependencies.insert(HunkDependency {
                from,
                to: to.iter().copied().collect(),
                rule,
            });
        }
    }

    /// Couples hunks that only apply together.
    pub(crate) fn require_each_other(&mut self, hunks: &HunkSet, rule: DependencyRule) {
        let shifted = hunks.iter().skip(1).chain(hunks.iter().take(1));
        for (from, to) in hunks.iter().zip(shifted) {
            self.require(*from, *to, rule);
        }
    }

    /// Adds dependencies of a version's code on hunks of that version: new code needs the required hunks, and removing
    /// what old code requires needs removal of that code.
    pub(crate) fn require_in_version(
        &mut self,
        version: Version,
        code: &HunkSet,
        required: &HunkSet,
        rule: DependencyRule,
    ) {
        match version {
            Version::Old => self.require_all(required, code, rule),
            Version::New => self.require_all(code, required, rule),
        }
    }

    pub(crate) fn into_dependencies(self) -> Vec<HunkDependency> {
        self.dependencies.into_iter().collect()
    }
}
