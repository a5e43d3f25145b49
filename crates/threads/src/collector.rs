//! Candidates while they are collected, each change once.

use crate::candidate::{Remedy, Way};
use crate::evidence::bug_context::Scene;
use mend_java::{Edit, edited};
use mend_model::RepoPath;
use std::collections::BTreeMap;

/// Remedies on their way, each change once.
pub(super) struct Remedies<'a> {
    pub(super) scene: &'a Scene<'a>,
    pub(super) all: Vec<Remedy>,
}

/// Edits by the number of their file.
pub(super) type Edits = BTreeMap<usize, Vec<Edit>>;

impl Remedies<'_> {
    /// Adds a candidate. Tests are edited only to wait for what they start.
    pub(super) fn add(&mut self, way: Way, weight: f64, edits: Edits, why: String) {
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
        let is_meant = way == Way::Join
            || !self.scene.files.iter().any(|file| file.is_test && edits.contains_key(&file.path));
        match self.all.iter_mut().find(|known| known.edits == edits) {
            _ if edits.is_empty() || !is_sound || !is_meant => {}
            Some(known) => known.weight = known.weight.max(weight),
            None => self.all.push(Remedy { edits, way, why, weight }),
        }
    }

    /// Adds a candidate for one file.
    pub(super) fn add_in(
        &mut self,
        file: usize,
        way: Way,
        weight: f64,
        edits: Vec<Edit>,
        why: String,
    ) {
        self.add(way, weight, [(file, edits)].into(), why);
    }
}
