//! The state of the walk through two versions of a file.

use crate::hunk::{HunkId, HunkPosition};
use crate::java_file::cross_file_moves::FileMoves;
use crate::java_file::fragment_builder::{FragmentBuilder, MoveTemplate};
use crate::matching::child_items::ChildRole;
use crate::matching::edit_script::{EditScript, EditStep, WrapperBody};
use crate::matching::version_pair::Version;
use crate::template::variant_template::{ConditionId, ListId};
use mend_java::NodeId;
use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};

/// Context of everything below a node.
#[derive(Clone, Copy)]
pub(crate) struct MergeContext {
    pub(crate) presence: ConditionId,
    pub(crate) place: HunkPosition,
}

/// Merges both versions according to an edit script.
pub(crate) struct Merger<'a> {
    pub(crate) plan: &'a EditScript,
    pub(crate) out: FragmentBuilder<'a>,
    /// Moved nodes that have already been placed at one of their positions, by node of the old version.
    pub(crate) templates: HashMap<NodeId, MoveTemplate>,
    pub(crate) away: FileMoves<'a>,
}

/// State shared by all steps through one pair of nodes.
pub(crate) struct NodePairState {
    /// Context that both versions share.
    pub(crate) context: MergeContext,
    /// Wrapper of each version around nodes that only this version has.
    pub(super) shells: [Option<(HunkId, ConditionId)>; 2],
    pub(crate) is_body: bool,
    pub(crate) is_bracketed: bool,
    /// True if elements can be added and removed freely: both versions are in one body.
    pub(super) is_open: bool,
    pub(super) kept_lists: HashSet<ChildRole>,
    pub(super) lists: RefCell<HashMap<ChildRole, Option<ListId>>>,
    /// The one hunk for changes that the grammar does not allow separately.
    pub(super) frame: Cell<Option<HunkId>>,
    pub(crate) parents: (NodeId, NodeId),
}

impl NodePairState {
    pub(crate) fn parent(&self, version: Version) -> NodeId {
        match version {
            Version::Old => self.parents.0,
            Version::New => self.parents.1,
        }
    }

    /// Returns the wrapper around code that only one version has, and the condition under which that code can exist.
    pub(crate) fn outside(&self, version: Version) -> (Option<HunkId>, ConditionId) {
        match self.shells[version as usize] {
            Some((hunk, presence)) => (Some(hunk), presence),
            None => (None, self.context.presence),
        }
    }

    /// Returns true if other elements remain when some elements of a part are added or removed.
    pub(crate) fn keeps_elements(&self, part: ChildRole) -> bool {
        self.is_open || self.kept_lists.contains(&part)
    }

    /// Returns true if the grammar allows any number of elements in sequence.
    pub(crate) fn takes_elements(&self) -> bool {
        self.is_body || self.is_bracketed
    }

    /// Returns true if separators between the children have no meaning.
    pub(crate) fn takes_marks(&self) -> bool {
        self.is_body && self.is_bracketed
    }

    /// Returns the same state inside another wrapper of a version.
    pub(super) fn inside(
        &self,
        version: Version,
        shell: (HunkId, ConditionId),
        hole: &WrapperBody,
    ) -> Self {
        let mut shells = self.shells;
        shells[version as usize] = Some(shell);
        let parents = match version {
            Version::Old => (hole.body, self.parents.1),
            Version::New => (self.parents.0, hole.body),
        };
        Self { shells, is_open: true, ..Self::new(self.context, parents, &hole.steps) }
    }

    pub(super) fn new(
        context: MergeContext,
        parents: (NodeId, NodeId),
        steps: &[EditStep],
    ) -> Self {
        let kept_lists = steps.iter().filter_map(|step| match step {
            EditStep::Matched(item, _) if item.is_element() => Some(item.part),
            _ => None,
        });
        Self {
            context,
            shells: [None; 2],
            is_body: true,
            is_bracketed: true,
            is_open: false,
            kept_lists: kept_lists.collect(),
            lists: RefCell::default(),
            frame: Cell::new(None),
            parents,
        }
    }
}

/// A subtree of one version, with its own hunk.
#[derive(Clone, Copy)]
pub(crate) struct UnmatchedSubtree<'p> {
    pub(crate) version: Version,
    pub(crate) hunk: HunkId,
    pub(crate) context: MergeContext,
    pub(crate) held: Option<WrappedContent<'p>>,
}

/// The contents of a wrapper, which remain when the wrapper is removed.
#[derive(Clone, Copy)]
pub(crate) struct WrappedContent<'p> {
    pub(crate) node: NodeId,
    pub(crate) content: WrappedNodes<'p>,
}

#[derive(Clone, Copy)]
pub(crate) enum WrappedNodes<'p> {
    /// This node of the other version.
    MatchedNode(NodeId, MergeContext),
    /// Elements of a body, among which both versions' are.
    BodyElements(&'p WrapperBody, &'p NodePairState),
}
