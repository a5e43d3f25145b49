//! Code that moved to another file: one hunk moves it, and others change it.

use crate::hunk::HunkId;
use crate::java_file::fragment_builder::FragmentBuilder;
use crate::matching::version_pair::Version;
use crate::template::variant_template::{ConditionId, MovedFragment, VariantTemplate};
use mend_java::NodeId;
use mend_model::RepoPath;
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

/// All moves between files.
#[derive(Debug, Default)]
pub(crate) struct CrossFileMoves {
    pub(super) list: Vec<CrossFileMove>,
    pub(super) by_file: HashMap<(Version, usize), HashMap<NodeId, usize>>,
}

/// Code that is in one file of the old version and in another one of the new version.
#[derive(Debug)]
pub(super) struct CrossFileMove {
    pub(super) hunk: HunkId,
    pub(super) change: Option<MoveEdit>,
}

/// Changes of code that moves to another file.
#[derive(Debug)]
pub(super) struct MoveEdit {
    pub(super) merged: Arc<VariantTemplate>,
    /// The hunk that owns each token, by version.
    pub(super) owners: [Vec<HunkId>; 2],
    pub(super) passage: EditedMove,
}

/// A move to another file with edits.
#[derive(Clone, Debug)]
pub(crate) struct EditedMove {
    /// The hunk that moves it.
    pub(crate) hunk: HunkId,
    /// The file of the old and that of the new version.
    pub(crate) paths: Arc<(RepoPath, RepoPath)>,
    /// The hunks that change it.
    pub(crate) inner: Range<HunkId>,
    /// Tokens of the old file that remain, with their tokens in the new file.
    pub(crate) kept: Vec<(usize, usize)>,
}

impl CrossFileMoves {
    /// Returns the moves with edits.
    pub(crate) fn passages(&self) -> Vec<EditedMove> {
        let changes = self.list.iter().filter_map(|travel| travel.change.as_ref());
        changes.map(|change| change.passage.clone()).collect()
    }
}

/// Code that moves out of a file or into it.
#[derive(Clone, Copy)]
pub(crate) struct FileMoves<'a> {
    pub(crate) travels: &'a CrossFileMoves,
    pub(crate) file: usize,
    /// True if old and new version are swapped.
    pub(crate) is_mirrored: bool,
}

impl FileMoves<'_> {
    fn real(&self, version: Version) -> Version {
        if self.is_mirrored { version.opposite() } else { version }
    }

    fn travel(&self, version: Version, node: NodeId) -> Option<&CrossFileMove> {
        let nodes = self.travels.by_file.get(&(self.real(version), self.file))?;
        Some(&self.travels.list[*nodes.get(&node)?])
    }

    /// Returns the nodes without a counterpart in this file because they are in another file, by version.
    pub(crate) fn nodes(&self) -> [HashSet<NodeId>; 2] {
        [Version::Old, Version::New].map(|version| {
            let of_file = self.travels.by_file.get(&(self.real(version), self.file));
            of_file.into_iter().flat_map(|nodes| nodes.keys().copied()).collect()
        })
    }

    pub(crate) fn is_moved(&self, version: Version, node: NodeId) -> bool {
        self.travel(version, node).is_some()
    }

    /// Returns the hunk that moves a node from one file to the other.
    pub(crate) fn hunk(&self, version: Version, node: NodeId) -> Option<HunkId> {
        self.travel(version, node).map(|travel| travel.hunk)
    }

    /// Puts down what stands in another file in the other version, where `presence` holds.
    pub(crate) fn put(
        &self,
        version: Version,
        node: NodeId,
        presence: ConditionId,
        out: &mut FragmentBuilder<'_>,
    ) {
        let Some(CrossFileMove { hunk, change }) = self.travel(version, node) else { return };
        let Some(MoveEdit { merged, owners, passage }) = change else {
            out.own_all(version, node, *hunk, presence);
            return;
        };
        let owners = &owners[self.real(version) as usize];
        let (merged, paths) = (Arc::clone(merged), Arc::clone(&passage.paths));
        let guest = MovedFragment { merged, paths, tokens: owners.len() };
        out.host(version, node, guest, owners, presence);
    }
}
