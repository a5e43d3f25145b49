//! The walk over both versions at once, which puts down their pieces.

use super::one_sided::{Content, Held, Whole};
use super::pieces::{Pieces, Template};
use super::travels::Away;
use crate::delta::hunk::{HunkId, HunkKind};
use crate::delta::matching::items::{Item, Part, is_bracketed};
use crate::delta::matching::plan::{Fate, Hole, Plan, Step};
use crate::delta::matching::sides::Version;
use crate::delta::merged::{ListId, PresenceId};
use crate::java::{Grammar, NodeId};
use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};

/// What holds for everything below a node.
#[derive(Clone, Copy)]
pub(in crate::delta) struct Context {
    pub(in crate::delta) presence: PresenceId,
    pub(in crate::delta) place: crate::delta::hunk::Place,
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
    shells: [Option<(HunkId, PresenceId)>; 2],
    pub(in crate::delta) is_body: bool,
    pub(in crate::delta) is_bracketed: bool,
    /// Whether elements may come and go whatever the grammar demands: both versions are in one body.
    is_open: bool,
    kept_lists: HashSet<Part>,
    lists: RefCell<HashMap<Part, Option<ListId>>>,
    /// The one hunk for what the grammar does not let come or go alone.
    frame: Cell<Option<HunkId>>,
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
    fn inside(&self, version: Version, shell: (HunkId, PresenceId), hole: &Hole) -> Self {
        let mut shells = self.shells;
        shells[version as usize] = Some(shell);
        let parents = match version {
            Version::Old => (hole.body, self.parents.1),
            Version::New => (self.parents.0, hole.body),
        };
        Self { shells, is_open: true, ..Self::new(self.context, parents, &hole.steps) }
    }

    fn new(context: Context, parents: (NodeId, NodeId), steps: &[Step]) -> Self {
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

impl Walk<'_> {
    /// Two nodes that stand in one place.
    pub(in crate::delta) fn pair(&mut self, old: NodeId, new: NodeId, context: Context) {
        match self.plan.fate(old, new) {
            Fate::Keep => self.out.keep_all(old, new, context.presence),
            Fate::Inside(steps) => {
                let sides = self.out.sides;
                let family = Family {
                    is_body: Grammar::get().is_body(sides.old.node(old).kind),
                    is_bracketed: is_bracketed(sides.old, old) && is_bracketed(sides.new, new),
                    ..Family::new(context, (old, new), steps)
                };
                self.steps(steps, &family);
            }
            Fate::Shell(version, hole) => {
                let (shell, kept) = if *version == Version::Old { (old, new) } else { (new, old) };
                let hunk = self.out.one_sided_hunk(shell, *version, context.place);
                let presence = self.out.require(context.presence, hunk, *version);
                let held = Held { node: *hole, content: Content::Pair(kept, context) };
                let context = Context { presence, ..context };
                self.whole(shell, Whole { version: *version, hunk, context, held: Some(held) });
            }
            Fate::Replace => self.replace(old, new, context),
        }
    }

    /// One thing in the place of another.
    fn replace(&mut self, old: NodeId, new: NodeId, context: Context) {
        let hunk = self.out.hunk(HunkKind::Relabel, Some(old), Some(new), context.place);
        for (version, node) in [(Version::Old, old), (Version::New, new)] {
            let presence = self.out.require(context.presence, hunk, version);
            let context = Context { presence, ..context };
            self.whole(node, Whole { version, hunk, context, held: None });
        }
    }

    pub(in crate::delta) fn steps(&mut self, steps: &[Step], family: &Family) {
        let is_one = |step: &Step| matches!(step, Step::One(..));
        for run in steps.chunk_by(|a, b| is_one(a) && is_one(b)) {
            match run {
                [Step::Both(old, new)] => self.both(*old, *new, family),
                [Step::Shell(version, item, hole)] => self.shell(*version, *item, hole, family),
                run => self.run(run, family),
            }
        }
    }

    fn both(&mut self, old: Item, new: Item, family: &Family) {
        let mut context = family.context;
        if family.is_body && old.is_element() {
            context.place = self.inner_place(context.place, Version::Old, family.parents.0);
        }
        if let Some(list) = self.list(old.part, family) {
            self.out.separate(Some(old), Some(new), context.presence, list);
        }
        self.pair(old.node, new.node, context);
    }

    /// A statement around others that stay.
    fn shell(&mut self, version: Version, item: Item, hole: &Hole, family: &Family) {
        let (outer, presence) = family.outside(version);
        let place = self.inner_place(family.context.place, version, family.parent(version));
        let hunk = self.out.one_sided_hunk(item.node, version, place);
        if let Some(outer) = outer {
            self.out.couple(version, outer, hunk);
        }
        let presence = self.out.require(presence, hunk, version);
        let inner = family.inside(version, (hunk, presence), hole);
        let held = Held { node: hole.body, content: Content::Elements(hole, &inner) };
        let context = Context { presence, place };
        self.whole(item.node, Whole { version, hunk, context, held: Some(held) });
    }

    /// The list that a part belongs to, if it is one with separators.
    pub(in crate::delta) fn list(&mut self, part: Part, family: &Family) -> Option<ListId> {
        if !matches!(part, Part::Element(_)) || family.is_body {
            return None;
        }
        let known = family.lists.borrow().get(&part).copied();
        known.unwrap_or_else(|| {
            let (old, new) = family.parents;
            let list = self.out.list(&[(Version::Old, old), (Version::New, new)]);
            family.lists.borrow_mut().insert(part, list);
            list
        })
    }

    /// The one hunk for what the grammar does not let come or go alone in this pair of nodes.
    pub(in crate::delta) fn frame(&mut self, family: &Family) -> HunkId {
        family.frame.get().unwrap_or_else(|| {
            let (old, new) = family.parents;
            let place = family.context.place;
            let hunk = self.out.hunk(HunkKind::Relabel, Some(old), Some(new), place);
            family.frame.set(Some(hunk));
            hunk
        })
    }
}
