//! Moves to another file with edits: the tokens that remain, and their positions in the other file.

use crate::dependencies::name_dependencies::{IndexedFile, Version};
use crate::hunk::HunkId;
use crate::java_file::cross_file_moves::EditedMove;
use mend_model::RepoPath;
use std::collections::{HashMap, HashSet};

/// A file of the delta, and one of its tokens.
type TokenPosition = (usize, usize);

/// All passages of a delta.
#[derive(Default)]
pub(crate) struct EditedMoveIndex<'a> {
    all: &'a [EditedMove],
    /// The files of each passage.
    files: Vec<(usize, usize)>,
    twins: HashMap<(Version, TokenPosition), TokenPosition>,
    movers: HashSet<HunkId>,
}

impl<'a> EditedMoveIndex<'a> {
    pub(crate) fn new(all: &'a [EditedMove], files: &[IndexedFile]) -> Self {
        let find = |version: Version, path: &RepoPath| {
            files.iter().position(|file| file.side(version).is_some_and(|side| side.path == *path))
        };
        let movers = all.iter().map(|one| one.hunk).collect();
        let mut passages = Self { all, movers, ..Self::default() };
        for one in all {
            let old = find(Version::Old, &one.paths.0).unwrap_or(usize::MAX);
            let new = find(Version::New, &one.paths.1).unwrap_or(usize::MAX);
            passages.files.push((old, new));
            for (from, to) in &one.kept {
                passages.twins.insert((Version::Old, (old, *from)), (new, *to));
                passages.twins.insert((Version::New, (new, *to)), (old, *from));
            }
        }
        passages
    }

    /// Returns true if a hunk moves code to another file whose tokens remain.
    pub(crate) fn takes(&self, hunk: HunkId) -> bool {
        self.movers.contains(&hunk)
    }

    /// Returns the file and the token of the other version that correspond to a kept token.
    pub(crate) fn twin(&self, version: Version, place: TokenPosition) -> Option<TokenPosition> {
        self.twins.get(&(version, place)).copied()
    }

    /// Returns the file of the other version that a hunk changes: another file, if the hunk edits moved code.
    pub(crate) fn other_file(&self, version: Version, file: usize, hunk: HunkId) -> usize {
        let one = self.all.iter().position(|one| one.inner.contains(&hunk));
        one.map_or(file, |one| match version {
            Version::Old => self.files[one].1,
            Version::New => self.files[one].0,
        })
    }

    /// Returns the hunks of the moves with edits from (old) or to (new) a file.
    pub(crate) fn hunks(&self, version: Version, file: usize) -> impl Iterator<Item = HunkId> + '_ {
        let is_here = move |(old, new): &(usize, usize)| match version {
            Version::Old => *old == file,
            Version::New => *new == file,
        };
        let here = self.files.iter().zip(self.all).filter(move |(files, _)| is_here(files));
        here.map(|(_, one)| one.hunk)
    }
}
