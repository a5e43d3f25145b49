//! Index of moves to another file with edits: the kept tokens, and their positions in the other file.

use crate::dependencies::name_dependencies::{IndexedFile, Version};
use crate::hunk::HunkId;
use crate::java_file::cross_file_moves::EditedMove;
use mend_model::RepoPath;
use std::collections::{HashMap, HashSet};

/// Index of a file of the delta, and index of a token in it.
type TokenPosition = (usize, usize);

/// Moves with edits of a delta.
#[derive(Default)]
pub(crate) struct EditedMoveIndex<'a> {
    edited_moves: &'a [EditedMove],
    /// Old and new file of each move.
    file_pairs: Vec<(usize, usize)>,
    twin_tokens: HashMap<(Version, TokenPosition), TokenPosition>,
    move_hunks: HashSet<HunkId>,
}

impl<'a> EditedMoveIndex<'a> {
    pub(crate) fn new(edited_moves: &'a [EditedMove], files: &[IndexedFile]) -> Self {
        let find = |version: Version, path: &RepoPath| {
            files.iter().position(|file| {
                file.indexed_version(version).is_some_and(|side| side.path == *path)
            })
        };
        let move_hunks = edited_moves.iter().map(|edited_move| edited_move.hunk).collect();
        let mut index = Self { edited_moves, move_hunks, ..Self::default() };
        for edited_move in edited_moves {
            let old = find(Version::Old, &edited_move.paths.0).unwrap_or(usize::MAX);
            let new = find(Version::New, &edited_move.paths.1).unwrap_or(usize::MAX);
            index.file_pairs.push((old, new));
            for (from, to) in &edited_move.kept_tokens {
                index.twin_tokens.insert((Version::Old, (old, *from)), (new, *to));
                index.twin_tokens.insert((Version::New, (new, *to)), (old, *from));
            }
        }
        index
    }

    /// Returns true if a hunk moves code with kept tokens to another file.
    pub(crate) fn is_edited_move(&self, hunk: HunkId) -> bool {
        self.move_hunks.contains(&hunk)
    }

    /// Returns the file and the token of the other version that correspond to a kept token.
    pub(crate) fn twin_token(
        &self,
        version: Version,
        position: TokenPosition,
    ) -> Option<TokenPosition> {
        self.twin_tokens.get(&(version, position)).copied()
    }

    /// Returns the file of the other version that a hunk changes: another file, if the hunk edits moved code.
    pub(crate) fn other_file(&self, version: Version, file: usize, hunk: HunkId) -> usize {
        let move_index = self
            .edited_moves
            .iter()
            .position(|edited_move| edited_move.inner_hunks.contains(&hunk));
        move_index.map_or(file, |move_index| match version {
            Version::Old => self.file_pairs[move_index].1,
            Version::New => self.file_pairs[move_index].0,
        })
    }

    /// Returns the hunks of the moves with edits from (old) or to (new) a file.
    pub(crate) fn hunks(&self, version: Version, file: usize) -> impl Iterator<Item = HunkId> + '_ {
        let is_in_file = move |(old, new): &(usize, usize)| match version {
            Version::Old => *old == file,
            Version::New => *new == file,
        };
        let moves_in_file = self
            .file_pairs
            .iter()
            .zip(self.edited_moves)
            .filter(move |(files, _)| is_in_file(files));
        moves_in_file.map(|(_, one)| one.hunk)
    }
}
