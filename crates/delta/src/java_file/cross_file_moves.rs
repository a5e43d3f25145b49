//! Moves between files: one hunk moves the code, and others edit it.

use crate::hunk::HunkId;
use crate::java_file::fragment_builder::FragmentBuilder;
use crate::matching::version_pair::Version;
use crate::template::variant_template::{ConditionId, MovedFragment, VariantTemplate};
use mend_java::NodeId;
use mend_model::RepoPath;
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

/// All moves between files, by file and node.
#[derive(Debug, Default)]
pub(crate) struct CrossFileMoves {
    pub(super) moves: Vec<CrossFileMove>,
    pub(super) moves_by_file: HashMap<(Version, usize), HashMap<NodeId, usize>>,
}

/// Code that moves from one file of the old version to another one of the new version.
#[derive(Debug)]
pub(super) struct CrossFileMove {
    pub(super) hunk: HunkId,
    pub(super) edit: Option<MoveEdit>,
}

/// Edits of code that moves to another file.
#[derive(Debug)]
pub(super) struct MoveEdit {
    pub(super) template: Arc<VariantTemplate>,
    /// The hunk that owns each token, by version.
    pub(super) owners_by_version: [Vec<HunkId>; 2],
    pub(super) edited_move: EditedMove,
}

/// A move to another file with edits.
#[derive(Clone, Debug)]
pub(crate) struct EditedMove {
    /// The hunk that moves the code.
    pub(crate) hunk: HunkId,
    /// The old and the new file.
    pub(crate) paths: Arc<(RepoPath, RepoPath)>,
    /// The hunks that edit the code.
    pub(crate) inner_hunks: Range<HunkId>,
    /// Kept tokens: index in the old file, and index in the new file.
    pub(crate) kept_tokens: Vec<(usize, usize)>,
}

impl CrossFileMoves {
    /// Returns the moves with edits.
    pub(crate) fn edited_moves(&self) -> Vec<EditedMove> {
        let changes = self.moves.iter().filter_map(|moved| moved.edit.as_ref());
        changes.map(|change| change.edited_move.clone()).collect()
    }
}

/// The moves that leave or enter one file.
#[derive(Clone, Copy)]
pub(crate) struct FileMoves<'a> {
    pub(crate) moves: &'a CrossFileMoves,
    pub(crate) file: usize,
    /// True if old and new version are swapped.
    pub(crate) is_reversed: bool,
}

impl FileMoves<'_> {
    fn original_version(&self, version: Version) -> Version {
        if self.is_reversed { version.opposite() } else { version }
    }

    fn find_move(&self, version: Version, node: NodeId) -> Option<&CrossFileMove> {
        let nodes = self.moves.moves_by_file.get(&(self.original_version(version), self.file))?;
        Some(&self.moves.moves[*nodes.get(&node)?])
    }

    /// Returns the nodes without a counterpart in this file because they are in another file, by version.
    pub(crate) fn nodes(&self) -> [HashSet<NodeId>; 2] {
        [Version::Old, Version::New].map(|version| {
            let nodes_in_file =
                self.moves.moves_by_file.get(&(self.original_version(version), self.file));
            nodes_in_file.into_iter().flat_map(|nodes| nodes.keys().copied()).collect()
        })
    }

    pub(crate) fn is_moved(&self, version: Version, node: NodeId) -> bool {
        self.find_move(version, node).is_some()
    }

    /// Returns the hunk that moves a node from one file to the other.
    pub(crate) fn hunk(&self, version: Version, node: NodeId) -> Option<HunkId> {
        self.find_move(version, node).map(|moved| moved.hunk)
    }

    /// Adds code that is in another file in the other version, under a condition.
    pub(crate) fn add_moved_fragment(
        &self,
        version: Version,
        node: NodeId,
        condition: ConditionId,
        fragments: &mut FragmentBuilder<'_>,
    ) {
        let Some(CrossFileMove { hunk, edit: change }) = self.find_move(version, node) else {
            return;
        };
        let Some(MoveEdit { template, owners_by_version: owners, edited_move }) = change else {
            fragments.add_owned_node(version, node, *hunk, condition);
            return;
        };
        let owners = &owners[self.original_version(version) as usize];
        let (template, paths) = (Arc::clone(template), Arc::clone(&edited_move.paths));
        let moved_fragment = MovedFragment { template, paths, tokens: owners.len() };
        fragments.add_moved_node(version, node, moved_fragment, owners, condition);
    }
}
