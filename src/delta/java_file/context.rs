//! The state of the walk through two versions of a file.

use super::pieces::{Pieces, Template};
use super::travels::Away;
use crate::delta::hunk::{HunkId, Place};
use crate::delta::matching::items::Part;
use crate::delta::matching::plan::{Hole, Plan, Step};
use crate::delta::matching::sides::Version;
use crate::delta::merged::{ListId, PresenceId};
use crate::java::NodeId;
use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};

/// What holds for everything below a node.
#[derive(Clone, Copy)]
pub(in crate::delta) struct Context {
    pub(in crate::delta) presence: PresenceId,
    pub(in crate::delta) place: Place,
}

/// Puts both versions down as a plan says.
pub(in crate::delta) struct Walk<'a> {
    pub(in crate::delta) plan: &'a Plan,
    pub(in crate::delta) out: Pieces<'a>,
    /// What moved and has been put down in one of its places; by the node of the old version.
    pub(in crate::delta) templates: HashMap<NodeId, Template>,
    pub(in crate::delta) away: Away<'a>,
}

/// What the steps through one pair of nodes share.
pub(in crate::delta) struct Family {
    /// What both versions have, and the place of all.
    pub(in crate::delta) context: Context,
    /// What only one version has, if that is inside a shell of that version.
    pub(super) shells: [Option<(HunkId, PresenceId)>; 2],
    pub(in crate::delta) is_body: bool,
    pub(in crate::delta) is_bracketed: bool,
    /// Whether elements may come and go whatever the grammar demands: both versions are in one body.
    pub(super) is_open: bool,
    pub(super) kept_lists: HashSet<Part>,
    pub(super) lists: RefCell<HashMap<Part, Option<ListId>>>,
    /// The one hunk for what the grammar does not let come or go alone.
    pub(super) frame: Cell<Option<HunkId>>,
    pub(in crate::delta) parents: (NodeId, NodeId),
}

impl Family {
    pub(in crate::delta) fn parent(&self, version: Version) -> NodeId {
        match version {
            Version::Old => self.parents.0,
            Version::New => self.parents.1,
        }
    }

    /// The shell around what only one version has, and the condition under which that can be there.
    pub(in crate::delta) fn outside(&self, version: Version) -> (Option<HunkId>, PresenceId) {
        match self.shells[version as usize] {
            Some((hunk, presence)) => (Some(hunk), presence),
            None => (None, self.context.presence),
        }
    }

    /// Whether other elements stay where some of a part come or go.
    pub(in crate::delta) fn keeps(&self, part: Part) -> bool {
        self.is_open || self.kept_lists.contains(&part)
    }

    /// Whether the grammar takes any number of elements one after the other.
    pub(in crate::delta) fn takes_elements(&self) -> bool {
        self.is_body || self.is_bracketed
    }

    /// Whether marks between the children mean nothing.
    pub(in crate::delta) fn takes_marks(&self) -> bool {
        self.is_body && self.is_bracketed
    }

    /// The same inside another shell of a version.
    pub(super) fn inside(
        &self,
        version: Version,
        shell: (HunkId, PresenceId),
        hole: &Hole,
    ) -> Self {
        let mut shells = self.shells;
        shells[version as usize] = Some(shell);
        let parents = match version {
            Version::Old => (hole.body, self.parents.1),
            Version::New => (self.parents.0, hole.body),
        };
        Self { shells, is_open: true, ..Self::new(self.context, parents, &hole.steps) }
    }

    pub(super) fn new(context: Context, parents: (NodeId, NodeId), steps: &[Step]) -> Self {
        let kept_lists = steps.iter().filter_map(|step| match step {
            Step::Both(item, _) if item.is_element() => Some(item.part),
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

/// A subtree of one version under a hunk of its own.
#[derive(Clone, Copy)]
pub(in crate::delta) struct Whole<'p> {
    pub(in crate::delta) version: Version,
    pub(in crate::delta) hunk: HunkId,
    pub(in crate::delta) context: Context,
    pub(in crate::delta) held: Option<Held<'p>>,
}

/// What a shell holds, and stays when the shell goes.
#[derive(Clone, Copy)]
pub(in crate::delta) struct Held<'p> {
    pub(in crate::delta) node: NodeId,
    pub(in crate::delta) content: Content<'p>,
}

#[derive(Clone, Copy)]
pub(in crate::delta) enum Content<'p> {
    /// This node of the other version.
    Pair(NodeId, Context),
    /// Elements of a body, among which both versions' are.
    Elements(&'p Hole, &'p Family),
}
