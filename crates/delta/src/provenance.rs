//! Provenance of hunks: the versions between old and new that introduced them.

mod inherited_text;
mod intermediate_version;
#[cfg(test)]
mod tests;
mod tracker;

use super::hunk::HunkId;
use super::tree_delta::Delta;
use crate::file_delta::FileDelta;
use crate::java_granularity::JavaGranularity;
use crate::provenance::inherited_text::ByteSource;
pub use crate::provenance::intermediate_version::{Ancestor, IntermediateVersion, ParentVersion};
use crate::provenance::tracker::{FinalVersion, ProvenanceTracker};
use crate::template::versioned_range::FileRanges;
use mend_model::{FileChange, RepoPath};
use std::collections::BTreeSet;

impl Delta {
    /// Returns the steps that inserted, deleted or moved the code of each hunk. If none is found, these are the steps
    /// that changed its file. The last step ends at the new version, and each step precedes its children.
    pub fn brought_by(
        &self,
        steps: &[IntermediateVersion],
        mode: JavaGranularity,
    ) -> Vec<BTreeSet<usize>> {
        let files: Vec<FileRanges> = self.files.iter().map(FileDelta::stretches).collect();
        let mut walk = ProvenanceTracker::new(mode, steps);
        let removed: Vec<(HunkId, usize)> =
            files.iter().flat_map(|file| removed(file, &mut walk)).collect();
        let mut brought = vec![BTreeSet::new(); self.hunks.len()];
        let Some(end) = walk.into_end() else { return brought };
        for (hunk, place) in removed {
            brought[hunk].extend(end.gone(place));
        }
        for (hunk, step) in files.iter().flat_map(|file| put_in(file, &end)) {
            brought[hunk].insert(step);
        }
        for (hunk, steps_of) in self.hunks.iter().zip(&mut brought) {
            if steps_of.is_empty() {
                let file = &files[hunk.place.file];
                let paths = [&file.old, &file.new, &hunk.old_path].into_iter().flatten();
                *steps_of = touching(steps, &paths.collect::<Vec<_>>());
            }
        }
        brought
    }
}

/// Returns the places that each hunk deletes from a file.
fn removed(file: &FileRanges, walk: &mut ProvenanceTracker<'_>) -> Vec<(HunkId, usize)> {
    let Some(path) = &file.old else { return Vec::new() };
    let removed = file.stretches.iter().filter(|stretch| stretch.new.is_none());
    removed
        .filter_map(|stretch| Some((stretch.hunk?, walk.ask(path, stretch.old.as_ref()?.start))))
        .collect()
}

/// Returns each hunk of a file with the steps that introduced the code that it inserts or moves.
fn put_in(file: &FileRanges, end: &FinalVersion) -> Vec<(HunkId, usize)> {
    let mut found = Vec::new();
    for stretch in &file.stretches {
        let (Some(path), Some(new), Some(hunk)) = (&file.new, &stretch.new, stretch.hunk) else {
            continue;
        };
        let steps = end.origins(path, new).filter_map(|origin| match origin.source {
            _ if stretch.old.is_some() => origin.moved,
            ByteSource::Intermediate(step) => Some(step),
            ByteSource::Old(..) | ByteSource::Outside => None,
        });
        found.extend(steps.map(|step| (hunk, step as usize)));
    }
    found.dedup();
    found
}

/// Returns the steps that changed one of these files.
fn touching(steps: &[IntermediateVersion], paths: &[&RepoPath]) -> BTreeSet<usize> {
    let touches = |change: &FileChange| {
        change.old.iter().chain(&change.new).any(|(path, _)| paths.contains(&path))
    };
    let is_touching = |step: &IntermediateVersion| {
        step.parents.iter().all(|parent| parent.changes.iter().any(touches))
    };
    let all = steps.iter().enumerate().filter(|(_, step)| is_touching(step));
    all.map(|(number, _)| number).collect()
}
