//! Candidates while they are collected, each change once.

use crate::candidate::{ConcurrencyCandidate, ConcurrencyOperator};
use crate::evidence::bug_context::BugContext;
use mend_java::{Edit, edited};
use mend_model::RepoPath;
use std::collections::BTreeMap;

/// Remedies on their way, each change once.
pub(super) struct CandidateCollector<'a> {
    pub(super) scene: &'a BugContext<'a>,
    pub(super) all: Vec<ConcurrencyCandidate>,
}

/// Edits by the number of their file.
pub(super) type EditsByFile = BTreeMap<usize, Vec<Edit>>;

impl CandidateCollector<'_> {
    /// Adds a candidate. Tests are edited only to wait for what they start.
    pub(super) fn add(
        &mut self,
        way: ConcurrencyOperator,
        weight: f64,
        edits: EditsByFile,
        why: String,
    ) {
        let named = |(file, mut edits): (usize, Vec<Edit>)| {
            edits.sort();
            edits.dedup();
            (self.scene.files[file].path.clone(), edits)
        };
        let edits: BTreeMap<RepoPath, Vec<Edit>> =
            edits.into_iter().filter(|(_, edits)| !edits.is_empty()).map(named).collect();
        let is_sound = self.scene.files.iter().all(|file| {
            edits.get(&file.path).is_none_or(|edits| edited(file.code.text, edits).is_some())
        });
        let is_meant = way == ConcurrencyOperator::Join
            || !self.scene.files.iter().any(|file| file.is_test && edits.contains_key(&file.path));
        match self.all.iter_mut().find(|known| known.edits == edits) {
            _ if edits.is_empty() || !is_sound || !is_meant => {}
            Some(known) => known.weight = known.weight.max(weight),
            None => self.all.push(ConcurrencyCandidate { edits, way, why, weight }),
        }
    }

    /// Adds a candidate for one file.
    pub(super) fn add_in(
        &mut self,
        file: usize,
        way: ConcurrencyOperator,
        weight: f64,
        edits: Vec<Edit>,
        why: String,
    ) {
        self.add(way, weight, [(file, edits)].into(), why);
    }
}
