//! Builder of a delta: collects hunks and dependencies while files are split.

use super::hunk::{Hunk, HunkDependency, HunkId, HunkKind};

/// Hunks and dependencies of the files so far, and the last position number.
#[derive(Default)]
pub(super) struct DeltaBuilder {
    pub(super) hunks: Vec<Hunk>,
    pub(super) dependencies: Vec<HunkDependency>,
    last_position: usize,
}

impl DeltaBuilder {
    /// Returns a new position number.
    pub(super) fn next_position(&mut self) -> usize {
        self.last_position += 1;
        self.last_position
    }

    pub(super) fn add(&mut self, hunk: Hunk) -> HunkId {
        self.hunks.push(hunk);
        self.hunks.len() - 1
    }

    /// Adds what `build` adds for the reverse change, with both versions swapped: insertions become deletions, and
    /// dependencies change direction.
    pub(super) fn add_reversed<T>(&mut self, build: impl FnOnce(&mut Self) -> T) -> T {
        let (first_hunk, first_dependency) = (self.hunks.len(), self.dependencies.len());
        let result = build(self);
        for hunk in &mut self.hunks[first_hunk..] {
            std::mem::swap(&mut hunk.old, &mut hunk.new);
            hunk.kind = match hunk.kind {
                HunkKind::Insert => HunkKind::Delete,
                HunkKind::Delete => HunkKind::Insert,
                kind => kind,
            };
        }
        for dependency in &mut self.dependencies[first_dependency..] {
            if let [to] = &mut dependency.to[..] {
                std::mem::swap(&mut dependency.from, to);
            }
        }
        result
    }
}
