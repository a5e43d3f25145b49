//! Edit script of two syntax trees: the action for each pair of nodes.

use super::moves::Moves;
use crate::matching::alignment::{
    Aligner, Alignment, AlignmentLink, ChildLists, MIN_STATEMENT_SIMILARITY,
};
use crate::matching::child_items::{ChildItem, child_items, is_bracketed};
use crate::matching::operator_chain::pair_regrouped;
use crate::matching::related_code::{CalledMember, Grouping, UnmatchedRegion, group_by_members};
use crate::matching::removable_parts::{ChildRangeRole, MAX_DIFF_DEPTH, divide_into_ranges};
use crate::matching::sequence_alignment::IndexPair;
use crate::matching::version_pair::{Version, VersionPair};
use mend_java::{Grammar, NodeId, NodeKindId, ParsedSource};
use std::collections::{BTreeSet, HashMap, HashSet};

/// Minimum similarity of two expressions that match (Dice coefficient of their tokens).
const MIN_EXPRESSION_SIMILARITY: f64 = 0.3;

/// Maximum number of search rounds for further moves.
const MAX_MOVE_ROUNDS: usize = 4;

/// One step through the children of two nodes.
#[derive(Debug)]
pub(crate) enum EditStep {
    /// A matched pair.
    Matched(ChildItem, ChildItem),
    /// A child that only one version has here.
    Unmatched(Version, ChildItem),
    /// A wrapper in one version, with its content in both versions.
    Wrapped(Version, ChildItem, WrapperBody),
}

/// Body of a wrapper, and the steps through its content.
#[derive(Debug)]
pub(crate) struct WrapperBody {
    pub(crate) body: NodeId,
    pub(crate) steps: Vec<EditStep>,
}

/// Action for two nodes at one position.
#[derive(Debug)]
pub(crate) enum NodeAction {
    /// Keeps equal nodes.
    Keep,
    /// Merges the children of nodes that differ inside.
    Descend(Vec<EditStep>),
    /// Adds or removes a wrapper: the version with the wrapper, and the inner node that equals the other node.
    Wrap(Version, NodeId),
    /// Replaces the old node by the new one.
    Replace,
}

/// Edit script for all nodes.
#[derive(Default)]
pub(crate) struct EditScript {
    /// Actions of the pairs that are not equal.
    actions: HashMap<IndexPair, NodeAction>,
    pub(crate) moves: Moves,
    /// Methods that refactorings extracted or inlined.
    pub(crate) called_members: Vec<CalledMember>,
}

impl EditScript {
    /// Compares two versions of a file, except code that moves to or from another file.
    pub(crate) fn compute(
        pair: VersionPair<'_>,
        moved_to_other_files: [HashSet<NodeId>; 2],
    ) -> Self {
        let mut builder = EditScriptBuilder {
            pair,
            aligner: Aligner::new(pair, moved_to_other_files),
            actions: HashMap::new(),
            moves: Moves::default(),
            regions: Default::default(),
            called_members: Vec::new(),
        };
        builder.pair_nodes(0, 0);
        builder.pair_related_code();
        builder.pair_moves_between_bodies();
        let EditScriptBuilder { actions, mut moves, called_members, .. } = builder;
        moves.drop_tangled_moves(pair);
        Self { actions, moves, called_members }
    }

    pub(crate) fn action(&self, old: NodeId, new: NodeId) -> &NodeAction {
        self.actions.get(&(old, new)).unwrap_or(&NodeAction::Keep)
    }
}

struct EditScriptBuilder<'a> {
    pair: VersionPair<'a>,
    aligner: Aligner<'a>,
    actions: HashMap<IndexPair, NodeAction>,
    moves: Moves,
    /// Code of one version only, by version.
    regions: [Vec<UnmatchedRegion>; 2],
    called_members: Vec<CalledMember>,
}

impl EditScriptBuilder<'_> {
    /// Pairs code that a refactoring moved within a member, or between a member and a method that it calls.
    fn pair_related_code(&mut self) {
        for _ in 0..MAX_MOVE_ROUNDS {
            let regions = std::mem::take(&mut self.regions);
            let paired_members = self.actions.keys().copied().filter(|(old, _)| {
                is_body(self.pair.old.node(self.pair.old.node(*old).parent).kind)
            });
            let Grouping { groups, called_members } =
                group_by_members(self.pair, &regions, paired_members);
            self.called_members.extend(called_members);
            let mut moved_pairs: Vec<IndexPair> = Vec::new();
            for group in &groups {
                moved_pairs.extend(self.aligner.pair_related(group, &self.moves));
            }
            moved_pairs.retain(|(old, new)| {
                self.pair.are_equal(*old, *new) || self.can_compare_children(*old, *new)
            });
            if moved_pairs.is_empty() {
                return;
            }
            self.moves.drop_unmatched_within(self.pair, &moved_pairs);
            for (old, new) in moved_pairs {
                self.moves.add_related(old, new);
                if !self.pair.are_equal(old, new) {
                    let action = self.descend(old, new);
                    self.actions.insert((old, new), action);
                }
            }
        }
    }

    fn add_region(&mut self, version: Version, root: NodeId, kept_part: Option<NodeId>) {
        self.regions[version as usize].push(UnmatchedRegion { root, kept_part });
    }
    /// Pairs nodes that left one body with nodes that appeared in another, until no more are found.
    fn pair_moves_between_bodies(&mut self) {
        for _ in 0..MAX_MOVE_ROUNDS {
            let aligner = &mut self.aligner;
            let moved_pairs = self.moves.pair_between_bodies(self.pair, |old, new| {
                aligner.similarity(old, new) >= MIN_STATEMENT_SIMILARITY
            });
            if moved_pairs.is_empty() {
                return;
            }
            for (old, new) in moved_pairs {
                self.pair_nodes(old, new);
            }
        }
    }

    fn pair_nodes(&mut self, old: NodeId, new: NodeId) {
        if self.pair.are_equal(old, new) {
            return;
        }
        let action = if let Some(steps) = self.regrouped_steps(old, new) {
            NodeAction::Descend(steps)
        } else if let Some((version, wrapped_node)) = self.find_wrapped_node(old, new) {
            let (wrapper, kept) = match version {
                Version::Old => (old, (wrapped_node, new)),
                Version::New => (new, (old, wrapped_node)),
            };
            self.record_unmatched(version, wrapper, Some(wrapped_node));
            self.add_region(version, wrapper, Some(wrapped_node));
            self.pair_nodes(kept.0, kept.1);
            NodeAction::Wrap(version, wrapped_node)
        } else if self.can_descend(old, new) {
            self.descend(old, new)
        } else {
            self.record_unmatched(Version::Old, old, None);
            self.record_unmatched(Version::New, new, None);
            self.add_region(Version::Old, old, None);
            self.add_region(Version::New, new, None);
            NodeAction::Replace
        };
        self.actions.insert((old, new), action);
    }

    /// Returns the steps through two chains of operands that operators group in different ways.
    fn regrouped_steps(&mut self, old: NodeId, new: NodeId) -> Option<Vec<EditStep>> {
        if !self.can_compare_children(old, new) {
            return None;
        }
        let items = pair_regrouped(self.pair, old, new)?;
        for (old, new) in &items {
            self.pair_nodes(old.node, new.node);
        }
        Some(items.into_iter().map(|(old, new)| EditStep::Matched(old, new)).collect())
    }

    /// Compares the children of two nodes.
    fn descend(&mut self, old: NodeId, new: NodeId) -> NodeAction {
        if let Some(steps) = self.regrouped_steps(old, new) {
            return NodeAction::Descend(steps);
        }
        let items = (child_items(self.pair.old, old), child_items(self.pair.new, new));
        let is_body = is_body(self.pair.old.node(old).kind);
        let is_uniform = is_body || is_bracketed(self.pair.old, old);
        let children = ChildLists { old: &items.0, new: &items.1, is_body, is_uniform };
        NodeAction::Descend(self.build_steps((old, new), children))
    }

    fn find_wrapped_node(&self, old: NodeId, new: NodeId) -> Option<(Version, NodeId)> {
        let is_shallow = |source: &ParsedSource, id: NodeId| source.node(id).depth < MAX_DIFF_DEPTH;
        if !(is_shallow(self.pair.old, old) && is_shallow(self.pair.new, new)) {
            return None;
        }
        let (version, wrapped_node) =
            self.aligner.subtree_index.find_in_pair(self.pair, old, new)?;
        is_shallow(self.pair.source(version), wrapped_node).then_some((version, wrapped_node))
    }

    fn can_descend(&mut self, old: NodeId, new: NodeId) -> bool {
        if !self.can_compare_children(old, new) {
            return false;
        }
        let grammar = Grammar::get();
        let old_node = self.pair.old.node(old);
        old_node.kind == grammar.kind_id("switch_block")
            || old_node.parent == old
            || (has_body(self.pair.old, old) && has_body(self.pair.new, new))
            || is_declaration(grammar.kind_name(old_node.kind))
            || self.has_equal_operand_or_operator(old, new)
            || self.aligner.similarity(old, new) >= MIN_EXPRESSION_SIMILARITY
    }

    /// Returns true if two binary expressions have the same operator, or the same operand at one side of it.
    fn has_equal_operand_or_operator(&self, old: NodeId, new: NodeId) -> bool {
        let pair = self.pair;
        pair.old.node(old).kind == Grammar::get().kind_id("binary_expression")
            && pair.old.children(old).zip(pair.new.children(new)).any(|(old, new)| {
                pair.old.node(old).field == pair.new.node(new).field && pair.are_equal(old, new)
            })
    }

    /// Returns true if the grammar allows a mixture of the children of two nodes.
    fn can_compare_children(&self, old: NodeId, new: NodeId) -> bool {
        let grammar = Grammar::get();
        let (old_node, new_node) = (self.pair.old.node(old), self.pair.new.node(new));
        let is_comparable = old_node.kind == new_node.kind
            && old_node.depth.max(new_node.depth) < MAX_DIFF_DEPTH
            && old_node.subtree_end - old > 1
            && new_node.subtree_end - new > 1
            && old_node.kind != grammar.kind_id("switch_label");
        if !is_comparable {
            return false;
        }
        if old_node.kind == grammar.kind_id("switch_block") {
            return branch_kinds(self.pair.old, old) == branch_kinds(self.pair.new, new);
        }
        has_array_length(self.pair.old, old) == has_array_length(self.pair.new, new)
    }

    /// Returns the steps through the children of two nodes.
    fn build_steps(
        &mut self,
        (old_parent, new_parent): (NodeId, NodeId),
        children: ChildLists<'_>,
    ) -> Vec<EditStep> {
        let ChildLists { old: old_items, new: new_items, is_body, .. } = children;
        let Alignment { links, moved } = self.aligner.align(children);
        for (i, j) in moved {
            self.moves.add(old_items[i].node, new_items[j].node);
            self.pair_nodes(old_items[i].node, new_items[j].node);
        }
        let mut steps = Vec::with_capacity(old_items.len() + new_items.len());
        let (mut i, mut j) = (0, 0);
        for link in links {
            self.add_unmatched_steps(
                &old_items[i..link.old.start],
                &new_items[j..link.new.start],
                is_body,
                &mut steps,
            );
            (i, j) = (link.old.end, link.new.end);
            let (old, new) = (&old_items[link.old.clone()], &new_items[link.new.clone()]);
            steps.push(self.build_link_step(old_parent, new_parent, old, new, &link));
        }
        self.add_unmatched_steps(&old_items[i..], &new_items[j..], is_body, &mut steps);
        steps
    }

    fn build_link_step(
        &mut self,
        old_parent: NodeId,
        new_parent: NodeId,
        old: &[ChildItem],
        new: &[ChildItem],
        link: &AlignmentLink,
    ) -> EditStep {
        let Some((version, body)) = link.wrapper_body else {
            self.pair_nodes(old[0].node, new[0].node);
            return EditStep::Matched(old[0], new[0]);
        };
        let body_items = child_items(self.pair.source(version), body);
        let wrapped_items = &body_items[1..body_items.len() - 1];
        let statements = |old, new| ChildLists { old, new, is_body: true, is_uniform: true };
        let (wrapper, steps) = match version {
            Version::Old => {
                (old[0], self.build_steps((body, new_parent), statements(wrapped_items, new)))
            }
            Version::New => {
                (new[0], self.build_steps((old_parent, body), statements(old, wrapped_items)))
            }
        };
        self.record_unmatched(version, wrapper.node, Some(body));
        self.add_region(version, wrapper.node, Some(body));
        EditStep::Wrapped(version, wrapper, WrapperBody { body, steps })
    }

    fn add_unmatched_steps(
        &mut self,
        old: &[ChildItem],
        new: &[ChildItem],
        is_body: bool,
        steps: &mut Vec<EditStep>,
    ) {
        for (version, items) in [(Version::Old, old), (Version::New, new)] {
            for item in items {
                steps.push(EditStep::Unmatched(version, *item));
                if self.aligner.is_moved_to_other_file(version, item.node) {
                    continue;
                }
                self.add_region(version, item.node, None);
                let source = self.pair.source(version);
                if is_body && item.is_element() {
                    self.moves.add_unmatched(source, version, item.node);
                }
                if self.moves.counterpart(version, item.node).is_none() {
                    self.record_unmatched(version, item.node, None);
                }
            }
        }
    }

    /// Records the elements below a node of one version only, except those in `wrapped_node`.
    fn record_unmatched(&mut self, version: Version, node: NodeId, wrapped_node: Option<NodeId>) {
        let source = self.pair.source(version);
        for range in divide_into_ranges(source, node, wrapped_node) {
            for child in &range.nodes {
                if self.aligner.is_moved_to_other_file(version, *child) {
                    continue;
                }
                if range.role == ChildRangeRole::Member {
                    self.moves.add_unmatched(source, version, *child);
                }
                if Some(*child) != wrapped_node {
                    self.record_unmatched(version, *child, wrapped_node);
                }
            }
        }
    }
}

/// Returns true for a declaration, whose parts may change for different reasons.
fn is_declaration(kind_name: &str) -> bool {
    ["_declaration", "_parameter", "variable_declarator"]
        .iter()
        .any(|suffix| kind_name.ends_with(suffix))
}

fn is_body(kind: NodeKindId) -> bool {
    Grammar::get().is_body(kind)
}

/// Returns the kinds of a `switch` body's branches: either with arrows or with colons.
fn branch_kinds(source: &ParsedSource, block: NodeId) -> BTreeSet<NodeKindId> {
    let nodes = source.children(block).map(|child| source.node(child));
    nodes.filter(|node| node.is_named).map(|node| node.kind).collect()
}

/// Returns true for an array creation with a given length, which cannot list elements.
fn has_array_length(source: &ParsedSource, id: NodeId) -> bool {
    let sized = Grammar::get().kind_id("dimensions_expr");
    source.children(id).any(|child| source.node(child).kind == sized)
}

fn has_body(source: &ParsedSource, id: NodeId) -> bool {
    let is_body = |id: NodeId| Grammar::get().is_body(source.node(id).kind);
    is_body(id) || source.children(id).any(is_body)
}
