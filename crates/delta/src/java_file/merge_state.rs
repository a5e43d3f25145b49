//! State of the traversal of both versions of a file.

use crate::hunk::{HunkId, HunkPosition};
use crate::java_file::cross_file_moves::FileMoves;
use crate::java_file::fragment_builder::{FragmentBuilder, MoveTemplate};
use crate::matching::child_items::ChildRole;
use crate::matching::edit_script::{EditScript, EditStep, WrapperBody};
use crate::matching::version_pair::Version;
use crate::template::variant_template::{ConditionId, ListId};
use mend_java::NodeId;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, HashMap, HashSet};

/// Context of a node: its condition and position.
#[derive(Clone, Copy)]
pub(crate) struct MergeContext {
    pub(crate) condition: ConditionId,
    pub(crate) position: HunkPosition,
}

/// Merges both versions according to an edit script.
pub(crate) struct Merger<'a> {
    pub(crate) edit_script: &'a EditScript,
    pub(crate) fragments: FragmentBuilder<'a>,
    /// Moved nodes that have already been placed at one of their positions, by node of the old version.
    pub(crate) templates: HashMap<NodeId, MoveTemplate>,
    pub(crate) file_moves: FileMoves<'a>,
    /// Hunks of the moves that belong to refactorings, by node of the old version.
    pub(crate) related_moves: BTreeMap<NodeId, HunkId>,
}

/// State shared by all steps through the children of a pair of nodes.
pub(crate) struct NodePairState {
    /// Context that both versions share.
    pub(crate) context: MergeContext,
    /// Wrapper in each version around nodes of that version only.
    pub(super) wrappers: [Option<(HunkId, ConditionId)>; 2],
    pub(crate) is_body: bool,
    pub(crate) is_bracketed: bool,
    /// True if elements can be added and removed freely: both versions are in one body.
    pub(super) has_free_elements: bool,
    pub(super) kept_lists: HashSet<ChildRole>,
    pub(super) lists: RefCell<HashMap<ChildRole, Option<ListId>>>,
    /// The single hunk for changes that the grammar does not allow separately.
    pub(super) frame_hunk: Cell<Option<HunkId>>,
    pub(crate) parents: (NodeId, NodeId),
}

impl NodePairState {
    pub(crate) fn parent(&self, version: Version) -> NodeId {
        match version {
            Version::Old => self.parents.0,
            Version::New => self.parents.1,
        }
    }

    /// Returns the wrapper around code of one version only, and the condition of that code.
    pub(crate) fn wrapper_context(&self, version: Version) -> (Option<HunkId>, ConditionId) {
        match self.wrappers[version as usize] {
            Some((hunk, presence)) => (Some(hunk), presence),
            None => (None, self.context.condition),
        }
    }

    /// Returns true if other elements remain when some elements of a part are added or removed.
    pub(crate) fn has_remaining_elements(&self, role: ChildRole) -> bool {
        self.has_free_elements || self.kept_lists.contains(&role)
    }

    /// Returns true if the grammar allows any number of elements in sequence.
    pub(crate) fn allows_element_sequence(&self) -> bool {
        self.is_body || self.is_bracketed
    }

    /// Returns true if separators between the children are optional.
    pub(crate) fn ignores_separators(&self) -> bool {
        self.is_body && self.is_bracketed
    }

    /// Returns the same state inside another wrapper of a version.
    pub(super) fn in_wrapper(
        &self,
        version: Version,
        wrapper: (HunkId, ConditionId),
        wrapper_body: &WrapperBody,
    ) -> Self {
        let mut wrappers = self.wrappers;
        wrappers[version as usize] = Some(wrapper);
        let parents = match version {
            Version::Old => (wrapper_body.body, self.parents.1),
            Version::New => (self.parents.0, wrapper_body.body),
        };
        Self {
            wrappers,
            has_free_elements: true,
            ..Self::new(self.context, parents, &wrapper_body.steps)
        }
    }

    pub(super) fn new(
        context: MergeContext,
        parents: (NodeId, NodeId),
        steps: &[EditStep],
    ) -> Self {
        let kept_lists = steps.iter().filter_map(|step| match step {
            EditStep::Matched(item, _) if item.is_element() => Some(item.role),
            _ => None,
        });
        Self {
            context,
            wrappers: [None; 2],
            is_body: true,
            is_bracketed: true,
            has_free_elements: false,
            kept_lists: kept_lists.collect(),
            lists: RefCell::default(),
            frame_hunk: Cell::new(None),
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
    pub(crate) wrapped_content: Option<WrappedContent<'p>>,
}

/// Content of a wrapper, which remains without the wrapper.
#[derive(Clone, Copy)]
pub(crate) struct WrappedContent<'p> {
    pub(crate) node: NodeId,
    pub(crate) content: WrappedNodes<'p>,
}

#[derive(Clone, Copy)]
pub(crate) enum WrappedNodes<'p> {
    /// The matching node of the other version.
    MatchedNode(NodeId, MergeContext),
    /// Elements of a body, which may be from both versions.
    BodyElements(&'p WrapperBody, &'p NodePairState),
}
