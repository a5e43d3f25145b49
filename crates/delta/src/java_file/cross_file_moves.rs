//! Code that moved to another file: one hunk moves it, and others change it.

use crate::hunk::HunkId;
use crate::java_file::fragment_builder::Pieces;
use crate::matching::version_pair::Version;
use crate::template::variant_template::{Guest, Merged, PresenceId};
use mend_java::NodeId;
use mend_model::RepoPath;
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

/// All moves between files.
#[derive(Debug, Default)]
pub(crate) struct Travels {
    pub(super) list: Vec<Travel>,
    pub(super) by_file: HashMap<(Version, usize), HashMap<NodeId, usize>>,
}

/// Code that is in one file of the old version and in another one of the new version.
#[derive(Debug)]
pub(super) struct Travel {
    pub(super) hunk: HunkId,
    pub(super) change: Option<Change>,
}

/// Changes of code that moves to another file.
#[derive(Debug)]
pub(super) struct Change {
    pub(super) merged: Arc<Merged>,
    /// The hunk that owns each token, by version.
    pub(super) owners: [Vec<HunkId>; 2],
    pub(super) passage: Passage,
}

/// A move to another file with edits.
#[derive(Clone, Debug)]
pub(crate) struct Passage {
    /// The hunk that moves it.
    pub(crate) hunk: HunkId,
    /// The file of the old and that of the new version.
    pub(crate) paths: Arc<(RepoPath, RepoPath)>,
    /// The hunks that change it.
    pub(crate) inner: Range<HunkId>,
    /// Tokens of the old file that remain, with their tokens in the new file.
    pub(crate) kept: Vec<(usize, usize)>,
}

impl Travels {
    /// Returns the moves with edits.
    pub(crate) fn passages(&self) -> Vec<Passage> {
        let changes = self.list.iter().filter_map(|travel| travel.change.as_ref());
        changes.map(|change| change.passage.clone()).collect()
    }
}

/// Code that moves out of a file or into it.
#[derive(Clone, Copy)]
pub(crate) struct Away<'a> {
    pub(crate) travels: &'a Travels,
    pub(crate) file: usize,
    /// True if old and new version are swapped.
    pub(crate) is_mirrored: bool,
}

impl Away<'_> {
    fn real(&self, version: Version) -> Version {
        if self.is_mirrored { version.other() } else { version }
    }

    fn travel(&self, version: Version, node: NodeId) -> Option<&Travel> {
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

    pub(crate) fn holds(&self, version: Version, node: NodeId) -> bool {
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
        presence: PresenceId,
        out: &mut Pieces<'_>,
    ) {
        let Some(Travel { hunk, change }) = self.travel(version, node) else { return };
        let Some(Change { merged, owners, passage }) = change else {
            out.own_all(version, node, *hunk, presence);
            return;
        };
        let owners = &owners[self.real(version) as usize];
        let (merged, paths) = (Arc::clone(merged), Arc::clone(&passage.paths));
        let guest = Guest { merged, paths, tokens: owners.len() };
        out.host(version, node, (guest, owners), presence);
    }
}
