//! Edit script for the nodes of both versions, computed before any piece is created.

use super::moves::Moves;
use crate::matching::alignment::{ALIKE, Aligner, Alignment, AlignmentLink, ChildLists};
use crate::matching::child_items::{ChildItem, is_bracketed, items};
use crate::matching::child_ranges::{ChildRangeRole, DEEPEST, portions};
use crate::matching::sequence_alignment::IndexPair;
use crate::matching::version_pair::{Version, VersionPair};
use mend_java::{Grammar, NodeId, NodeKindId, ParsedSource};
use std::collections::{BTreeSet, HashMap, HashSet};

/// Two expressions that share less than this are two expressions (Dice coefficient of their tokens).
const RELATED: f64 = 0.3;

/// Maximum number of search rounds for further moves.
const MOST_ROUNDS: usize = 4;

/// One step through the children of both nodes at once.
#[derive(Debug)]
pub(crate) enum EditStep {
    /// A matched pair.
    Matched(ChildItem, ChildItem),
    /// In this place in one version only.
    Unmatched(Version, ChildItem),
    /// A shell in one version, with what it holds in both.
    Wrapped(Version, ChildItem, WrapperBody),
}

/// The body in a shell, and the steps through what it holds.
#[derive(Debug)]
pub(crate) struct WrapperBody {
    pub(crate) body: NodeId,
    pub(crate) steps: Vec<EditStep>,
}

/// Action for two nodes at one position.
#[derive(Debug)]
pub(crate) enum NodeAction {
    /// They are equal.
    Keep,
    /// They are the same thing with changes inside.
    Descend(Vec<EditStep>),
    /// One of them holds the other: the version with the shell, and where in it the other one is.
    Wrap(Version, NodeId),
    /// The one takes the other's place.
    Replace,
}

/// Edit script for all nodes.
#[derive(Default)]
pub(crate) struct EditScript {
    /// Actions of the pairs that are not equal.
    fates: HashMap<IndexPair, NodeAction>,
    pub(crate) moves: Moves,
}

impl EditScript {
    /// Compares two versions of a file, apart from what goes to or comes from another file.
    pub(crate) fn compute(sides: VersionPair<'_>, away: [HashSet<NodeId>; 2]) -> Self {
        let mut planner = EditScriptBuilder {
            sides,
            aligner: Aligner::new(sides, away),
            fates: HashMap::new(),
            moves: Moves::default(),
        };
        planner.pair(0, 0);
        planner.between_bodies();
        let EditScriptBuilder { fates, mut moves, .. } = planner;
        moves.untangle(sides);
        Self { fates, moves }
    }

    pub(crate) fn fate(&self, old: NodeId, new: NodeId) -> &NodeAction {
        self.fates.get(&(old, new)).unwrap_or(&NodeAction::Keep)
    }
}

struct EditScriptBuilder<'a> {
    sides: VersionPair<'a>,
    aligner: Aligner<'a>,
    fates: HashMap<IndexPair, NodeAction>,
    moves: Moves,
}

impl EditScriptBuilder<'_> {
    /// Pairs nodes that left one body with nodes that appeared in another, until no more are found.
    fn between_bodies(&mut self) {
        for _ in 0..MOST_ROUNDS {
            let aligner = &mut self.aligner;
            let found = self
                .moves
                .between_bodies(self.sides, |old, new| aligner.similarity(old, new) >= ALIKE);
            if found.is_empty() {
                return;
            }
            for (old, new) in found {
                self.pair(old, new);
            }
        }
    }

    fn pair(&mut self, old: NodeId, new: NodeId) {
        if self.sides.are_equal(old, new) {
            return;
        }
        let fate = if let Some((version, hole)) = self.hole(old, new) {
            let (shell, kept) = match version {
                Version::Old => (old, (hole, new)),
                Version::New => (new, (old, hole)),
            };
            self.leave(version, shell, Some(hole));
            self.pair(kept.0, kept.1);
            NodeAction::Wrap(version, hole)
        } else if self.is_related(old, new) {
            let parents = (old, new);
            let items = (items(self.sides.old, old), items(self.sides.new, new));
            let is_body = Grammar::get().is_body(self.sides.old.node(old).kind);
            let is_uniform = is_body || is_bracketed(self.sides.old, old);
            let children = ChildLists { old: &items.0, new: &items.1, is_body, is_uniform };
            NodeAction::Descend(self.steps(parents, children))
        } else {
            self.leave(Version::Old, old, None);
            self.leave(Version::New, new, None);
            NodeAction::Replace
        };
        self.fates.insert((old, new), fate);
    }

    fn hole(&self, old: NodeId, new: NodeId) -> Option<(Version, NodeId)> {
        let is_shallow = |source: &ParsedSource, id: NodeId| source.node(id).depth < DEEPEST;
        if !(is_shallow(self.sides.old, old) && is_shallow(self.sides.new, new)) {
            return None;
        }
        let (version, hole) = self.aligner.holes.in_pair(self.sides, old, new)?;
        is_shallow(self.sides.source(version), hole).then_some((version, hole))
    }

    fn is_related(&mut self, old: NodeId, new: NodeId) -> bool {
        let grammar = Grammar::get();
        let (old_node, new_node) = (self.sides.old.node(old), self.sides.new.node(new));
        let can_be = old_node.kind == new_node.kind
            && old_node.depth.max(new_node.depth) < DEEPEST
            && old_node.end - old > 1
            && new_node.end - new > 1
            && old_node.kind != grammar.kind("switch_label");
        if !can_be {
            return false;
        }
        if old_node.kind == grammar.kind("switch_block") {
            return branch_kinds(self.sides.old, old) == branch_kinds(self.sides.new, new);
        }
        if is_sized(self.sides.old, old) != is_sized(self.sides.new, new) {
            return false;
        }
        old_node.parent == old
            || (holds_a_body(self.sides.old, old) && holds_a_body(self.sides.new, new))
            || grammar.name(old_node.kind).ends_with("_declaration")
            || old_node.kind == grammar.kind("variable_declarator")
            || self.aligner.similarity(old, new) >= RELATED
    }

    /// Returns the steps through the children of two nodes, one inside the position of the other.
    fn steps(
        &mut self,
        (old_parent, new_parent): (NodeId, NodeId),
        children: ChildLists<'_>,
    ) -> Vec<EditStep> {
        let ChildLists { old: olds, new: news, is_body, .. } = children;
        let Alignment { links, moved } = self.aligner.align(children);
        for (i, j) in moved {
            self.moves.add(olds[i].node, news[j].node);
            self.pair(olds[i].node, news[j].node);
        }
        let mut steps = Vec::with_capacity(olds.len() + news.len());
        let (mut i, mut j) = (0, 0);
        for link in links {
            self.gap(&olds[i..link.old.start], &news[j..link.new.start], is_body, &mut steps);
            (i, j) = (link.old.end, link.new.end);
            let (old, new) = (&olds[link.old.clone()], &news[link.new.clone()]);
            steps.push(self.link(old_parent, new_parent, old, new, &link));
        }
        self.gap(&olds[i..], &news[j..], is_body, &mut steps);
        steps
    }

    fn link(
        &mut self,
        old_parent: NodeId,
        new_parent: NodeId,
        old: &[ChildItem],
        new: &[ChildItem],
        link: &AlignmentLink,
    ) -> EditStep {
        let Some((version, body)) = link.hole else {
            self.pair(old[0].node, new[0].node);
            return EditStep::Matched(old[0], new[0]);
        };
        let inner = items(self.sides.source(version), body);
        let held = &inner[1..inner.len() - 1];
        let statements = |old, new| ChildLists { old, new, is_body: true, is_uniform: true };
        let (shell, steps) = match version {
            Version::Old => (old[0], self.steps((body, new_parent), statements(held, new))),
            Version::New => (new[0], self.steps((old_parent, body), statements(old, held))),
        };
        self.leave(version, shell.node, Some(body));
        EditStep::Wrapped(version, shell, WrapperBody { body, steps })
    }

    fn gap(
        &mut self,
        old: &[ChildItem],
        new: &[ChildItem],
        is_body: bool,
        steps: &mut Vec<EditStep>,
    ) {
        for (version, items) in [(Version::Old, old), (Version::New, new)] {
            for item in items {
                steps.push(EditStep::Unmatched(version, *item));
                if self.aligner.is_away(version, item.node) {
                    continue;
                }
                let source = self.sides.source(version);
                if is_body && item.is_element() {
                    self.moves.leave(source, version, item.node);
                }
                if self.moves.counterpart(version, item.node).is_none() {
                    self.leave(version, item.node, None);
                }
            }
        }
    }

    /// Notes what only one version has below a node, apart from what is in the hole.
    fn leave(&mut self, version: Version, node: NodeId, hole: Option<NodeId>) {
        let source = self.sides.source(version);
        for portion in portions(source, node, hole) {
            for child in &portion.nodes {
                if self.aligner.is_away(version, *child) {
                    continue;
                }
                if portion.role == ChildRangeRole::Member {
                    self.moves.leave(source, version, *child);
                }
                if Some(*child) != hole {
                    self.leave(version, *child, hole);
                }
            }
        }
    }
}

/// Returns the kinds of a switch's branches: with arrows or with colons, never both.
fn branch_kinds(source: &ParsedSource, block: NodeId) -> BTreeSet<NodeKindId> {
    let nodes = source.children(block).map(|child| source.node(child));
    nodes.filter(|node| node.named).map(|node| node.kind).collect()
}

/// Returns true for an array creation with a given length, which cannot list elements.
fn is_sized(source: &ParsedSource, id: NodeId) -> bool {
    let sized = Grammar::get().kind("dimensions_expr");
    source.children(id).any(|child| source.node(child).kind == sized)
}

fn holds_a_body(source: &ParsedSource, id: NodeId) -> bool {
    let is_body = |id: NodeId| Grammar::get().is_body(source.node(id).kind);
    is_body(id) || source.children(id).any(is_body)
}
