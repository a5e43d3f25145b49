//! Collects hunks while files are split.

use super::hunk::{Hunk, HunkDependency, HunkId, HunkKind};

/// Hunks and dependencies of the files so far, and the last place number.
#[derive(Default)]
pub(super) struct DeltaBuilder {
    pub(super) hunks: Vec<Hunk>,
    pub(super) couplings: Vec<HunkDependency>,
    places: usize,
}

impl DeltaBuilder {
    /// Returns a number for a new place.
    pub(super) fn next_place(&mut self) -> usize {
        self.places += 1;
        self.places
    }

    pub(super) fn add(&mut self, hunk: Hunk) -> HunkId {
        self.hunks.push(hunk);
        self.hunks.len() - 1
    }

    /// Takes what `take_apart` adds as the way from the new version to the old one, and turns it round:
    /// what inserts deletes, and what is needed needs.
    pub(super) fn mirrored<T>(&mut self, take_apart: impl FnOnce(&mut Self) -> T) -> T {
        let (first_hunk, first_coupling) = (self.hunks.len(), self.couplings.len());
        let result = take_apart(self);
        for hunk in &mut self.hunks[first_hunk..] {
            std::mem::swap(&mut hunk.old, &mut hunk.new);
            hunk.kind = match hunk.kind {
                HunkKind::Insert => HunkKind::Delete,
                HunkKind::Delete => HunkKind::Insert,
                kind => kind,
            };
        }
        for coupling in &mut self.couplings[first_coupling..] {
            if let [to] = &mut coupling.to[..] {
                std::mem::swap(&mut coupling.from, to);
            }
        }
        result
    }
}
