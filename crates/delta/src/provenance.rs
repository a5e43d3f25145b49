//! Provenance of hunks: the intermediate versions (steps) that introduced them.

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
    /// Returns the steps that inserted, deleted or moved the code of each hunk; if there are none, the steps that
    /// changed its file. The last step ends at the new version, and each step precedes its children.
    pub fn introducing_steps(
        &self,
        steps: &[IntermediateVersion],
        mode: JavaGranularity,
    ) -> Vec<BTreeSet<usize>> {
        let files: Vec<FileRanges> = self.files.iter().map(FileDelta::ranges).collect();
        let mut tracker = ProvenanceTracker::new(mode, steps);
        let removed: Vec<(HunkId, usize)> =
            files.iter().flat_map(|file| track_removed_ranges(file, &mut tracker)).collect();
        let mut steps_by_hunk = vec![BTreeSet::new(); self.hunks.len()];
        let Some(final_version) = tracker.into_final_version() else { return steps_by_hunk };
        for (hunk, byte_id) in removed {
            steps_by_hunk[hunk].extend(final_version.removing_step(byte_id));
        }
        for (hunk, step) in files.iter().flat_map(|file| inserting_steps(file, &final_version)) {
            steps_by_hunk[hunk].insert(step);
        }
        for (hunk, steps_of) in self.hunks.iter().zip(&mut steps_by_hunk) {
            if steps_of.is_empty() {
                let file = &files[hunk.position.file];
                let paths = [&file.old, &file.new, &hunk.old_path].into_iter().flatten();
                *steps_of = steps_changing_files(steps, &paths.collect::<Vec<_>>());
            }
        }
        steps_by_hunk
    }
}

/// Tracks the first byte of each range that a hunk deletes from a file, and returns the numbers of these bytes.
fn track_removed_ranges(
    file: &FileRanges,
    tracker: &mut ProvenanceTracker<'_>,
) -> Vec<(HunkId, usize)> {
    let Some(path) = &file.old else { return Vec::new() };
    let removed_ranges = file.ranges.iter().filter(|stretch| stretch.new.is_none());
    removed_ranges
        .filter_map(|stretch| {
            Some((stretch.hunk?, tracker.track_byte(path, stretch.old.as_ref()?.start)))
        })
        .collect()
}

/// Returns each hunk of a file with the steps that introduced the code that it inserts or moves.
fn inserting_steps(file: &FileRanges, final_version: &FinalVersion) -> Vec<(HunkId, usize)> {
    let mut hunk_steps = Vec::new();
    for range in &file.ranges {
        let (Some(path), Some(new), Some(hunk)) = (&file.new, &range.new, range.hunk) else {
            continue;
        };
        let steps = final_version.origins(path, new).filter_map(|origin| match origin.source {
            _ if range.old.is_some() => origin.move_step,
            ByteSource::Intermediate(step) => Some(step),
            ByteSource::Old(..) | ByteSource::Outside => None,
        });
        hunk_steps.extend(steps.map(|step| (hunk, step as usize)));
    }
    hunk_steps.dedup();
    hunk_steps
}

/// Returns the steps that changed one of these files.
fn steps_changing_files(steps: &[IntermediateVersion], paths: &[&RepoPath]) -> BTreeSet<usize> {
    let is_affected = |change: &FileChange| {
        change.old.iter().chain(&change.new).any(|(path, _)| paths.contains(&path))
    };
    let changes_files = |step: &IntermediateVersion| {
        step.parents.iter().all(|parent| parent.changes.iter().any(is_affected))
    };
    let all = steps.iter().enumerate().filter(|(_, step)| changes_files(step));
    all.map(|(number, _)| number).collect()
}
