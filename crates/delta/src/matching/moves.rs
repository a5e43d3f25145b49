//! Moves: statements and members that are in another body of the same file.

use super::signature::signature;
use crate::matching::child_items::is_statement_body;
use crate::matching::sequence_alignment::IndexPair;
use crate::matching::version_pair::{Version, VersionPair};
use mend_java::{Grammar, NodeId, ParsedSource};
use petgraph::algo::tarjan_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use std::collections::{BTreeMap, HashMap, HashSet};

/// Minimum number of tokens of a move to another body or file: smaller equal code is coincidence.
pub(super) const MIN_MOVED_TOKENS: usize = 12;

/// Maximum nesting of moves, because each level doubles the number of fragments.
const MAX_MOVE_NESTING: usize = 3;

/// Old and new positions of all moves.
#[derive(Default)]
pub(crate) struct Moves {
    new_by_old: HashMap<NodeId, NodeId>,
    old_by_new: HashMap<NodeId, NodeId>,
    /// Nodes of the old version whose moves belong to a refactoring.
    related: HashSet<NodeId>,
    /// Unmatched nodes of the old version.
    unmatched_old: Vec<NodeId>,
    /// Unmatched nodes of the new version.
    unmatched_new: Vec<NodeId>,
}

impl Moves {
    pub(crate) fn add(&mut self, old: NodeId, new: NodeId) {
        self.new_by_old.insert(old, new);
        self.old_by_new.insert(new, old);
    }

    /// Adds the move of code that a refactoring moved together with its surroundings.
    pub(crate) fn add_related(&mut self, old: NodeId, new: NodeId) {
        self.add(old, new);
        self.related.insert(old);
    }

    /// Returns true if a node moved together with its surroundings.
    pub(crate) fn is_related(&self, version: Version, node: NodeId) -> bool {
        let Some(other) = self.counterpart(version, node) else { return false };
        self.related.contains(if version == Version::Old { &node } else { &other })
    }

    /// Forgets unmatched nodes that are inside moved ones now.
    pub(crate) fn drop_unmatched_within(&mut self, pair: VersionPair<'_>, moved: &[IndexPair]) {
        let [mut old, mut new] = [MatchedSubtrees::default(), MatchedSubtrees::default()];
        for (old_node, new_node) in moved {
            old.add(*old_node, pair.old.node(*old_node).subtree_end);
            new.add(*new_node, pair.new.node(*new_node).subtree_end);
        }
        self.unmatched_old.retain(|id| !old.overlaps(*id, id + 1));
        self.unmatched_new.retain(|id| !new.overlaps(*id, id + 1));
    }

    /// Returns the other position of a moved node.
    pub(crate) fn counterpart(&self, version: Version, node: NodeId) -> Option<NodeId> {
        match version {
            Version::Old => self.new_by_old.get(&node),
            Version::New => self.old_by_new.get(&node),
        }
        .copied()
    }

    /// Records an element of a body that only one version has there.
    pub(crate) fn add_unmatched(&mut self, source: &ParsedSource, version: Version, id: NodeId) {
        let grammar = Grammar::get();
        let node = source.node(id);
        let is_branch = source.node(node.parent).kind == grammar.kind_id("switch_block");
        if node.tokens.len() < MIN_MOVED_TOKENS
            || is_branch
            || self.counterpart(version, id).is_some()
        {
            return;
        }
        match version {
            Version::Old => self.unmatched_old.push(id),
            Version::New => self.unmatched_new.push(id),
        }
    }

    /// Pairs nodes that left a body with nodes that appeared in another one: equal nodes, and similar declarations with
    /// the same signature or body.
    pub(crate) fn pair_between_bodies(
        &mut self,
        pair: VersionPair<'_>,
        mut are_similar: impl FnMut(NodeId, NodeId) -> bool,
    ) -> Vec<IndexPair> {
        let old_nodes = std::mem::take(&mut self.unmatched_old);
        let new_nodes = std::mem::take(&mut self.unmatched_new);
        let (mut old_matched, mut new_matched) =
            (MatchedSubtrees::default(), MatchedSubtrees::default());
        let mut pairs = Vec::new();
        for key in [equal_key, signature_key, body_key] {
            for (old, new) in unique_pairs(pair, &old_nodes, &new_nodes, key) {
                let (old_end, new_end) =
                    (pair.old.node(old).subtree_end, pair.new.node(new).subtree_end);
                if old_matched.overlaps(old, old_end)
                    || new_matched.overlaps(new, new_end)
                    || !have_similar_parents(pair, old, new)
                    || !(pair.are_equal(old, new) || are_similar(old, new))
                {
                    continue;
                }
                old_matched.add(old, old_end);
                new_matched.add(new, new_end);
                self.add(old, new);
                pairs.push((old, new));
            }
        }
        let is_unmatched = |source: &ParsedSource, taken: &MatchedSubtrees, id: NodeId| {
            !taken.overlaps(id, source.node(id).subtree_end)
        };
        self.unmatched_old
            .extend(old_nodes.into_iter().filter(|id| is_unmatched(pair.old, &old_matched, *id)));
        self.unmatched_new
            .extend(new_nodes.into_iter().filter(|id| is_unmatched(pair.new, &new_matched, *id)));
        pairs
    }

    /// Removes moves that contain each other's positions, and those that are nested too deeply.
    pub(crate) fn drop_tangled_moves(&mut self, version_pair: VersionPair<'_>) {
        let mut moves: Vec<IndexPair> =
            self.new_by_old.iter().map(|(old, new)| (*old, *new)).collect();
        moves.sort_unstable();
        let mut graph = DiGraph::<(), ()>::new();
        let nodes: Vec<NodeIndex> = moves.iter().map(|_| graph.add_node(())).collect();
        let mut containers: Vec<Vec<usize>> = vec![Vec::new(); moves.len()];
        for (container, contained) in
            find_innermost_containers(version_pair.old, moves.iter().map(|pair| pair.0))
                .into_iter()
                .chain(find_innermost_containers(version_pair.new, moves.iter().map(|pair| pair.1)))
        {
            graph.add_edge(nodes[container], nodes[contained], ());
            containers[contained].push(container);
        }
        let mut levels = vec![0; moves.len()];
        // In reverse order, containing moves come before contained ones.
        for component in tarjan_scc(&graph).into_iter().rev() {
            for node in &component {
                let index = node.index();
                let level =
                    containers[index].iter().map(|container| levels[*container]).max().unwrap_or(0);
                levels[index] = level + 1;
                if component.len() > 1 || level >= MAX_MOVE_NESTING {
                    levels[index] = level;
                    self.new_by_old.remove(&moves[index].0);
                    self.old_by_new.remove(&moves[index].1);
                }
            }
        }
    }
}

/// Ranges of nodes of matched subtrees, by start.
#[derive(Default)]
pub(super) struct MatchedSubtrees(BTreeMap<NodeId, NodeId>);

impl MatchedSubtrees {
    pub(super) fn add(&mut self, start: NodeId, end: NodeId) {
        self.0.insert(start, end);
    }

    pub(super) fn overlaps(&self, start: NodeId, end: NodeId) -> bool {
        self.0.range(..end).next_back().is_some_and(|(_, taken_end)| *taken_end > start)
    }
}

/// Key that is equal for matching subtrees.
pub(super) type SubtreeKey = Vec<u8>;

pub(super) fn equal_key(source: &ParsedSource, id: NodeId) -> Option<SubtreeKey> {
    let node = source.node(id);
    (node.tokens.len() >= MIN_MOVED_TOKENS).then(|| node.hash.to_le_bytes().to_vec())
}

pub(super) fn signature_key(source: &ParsedSource, id: NodeId) -> Option<SubtreeKey> {
    signature(source, id, true)
}

pub(super) fn body_key(source: &ParsedSource, id: NodeId) -> Option<SubtreeKey> {
    let node = source.node(id);
    let body = source.node(source.child(id, Grammar::get().field_id("body"))?);
    let key = [node.kind.to_le_bytes().to_vec(), body.hash.to_le_bytes().to_vec()].concat();
    (body.tokens.len() >= MIN_MOVED_TOKENS).then_some(key)
}

/// Returns the pairs whose key occurs once in each version, the largest first.
fn unique_pairs(
    pair: VersionPair<'_>,
    old_nodes: &[NodeId],
    new_nodes: &[NodeId],
    key: fn(&ParsedSource, NodeId) -> Option<SubtreeKey>,
) -> Vec<IndexPair> {
    let mut nodes_by_key: HashMap<SubtreeKey, (Vec<NodeId>, Vec<NodeId>)> = HashMap::new();
    for id in old_nodes {
        if let Some(key) = key(pair.old, *id) {
            nodes_by_key.entry(key).or_default().0.push(*id);
        }
    }
    for id in new_nodes {
        if let Some(key) = key(pair.new, *id) {
            nodes_by_key.entry(key).or_default().1.push(*id);
        }
    }
    let mut pairs: Vec<IndexPair> = nodes_by_key
        .into_values()
        .filter_map(|(old_nodes, new_nodes)| match (&old_nodes[..], &new_nodes[..]) {
            ([old], [new]) => Some((*old, *new)),
            _ => None,
        })
        .collect();
    pairs.sort_by_key(|(old, new)| (usize::MAX - pair.old.node(*old).tokens.len(), *old, *new));
    pairs
}

/// Returns true if both positions allow statements, or the same kind of member.
fn have_similar_parents(pair: VersionPair<'_>, old: NodeId, new: NodeId) -> bool {
    let old_parent = pair.old.node(old).parent;
    let new_parent = pair.new.node(new).parent;
    let are_statements =
        is_statement_body(pair.old, old_parent) && is_statement_body(pair.new, new_parent);
    are_statements || pair.old.node(old_parent).kind == pair.new.node(new_parent).kind
}

/// Returns the innermost container of each node that has one among the given nodes, as indexes into the list.
fn find_innermost_containers(
    source: &ParsedSource,
    nodes: impl Iterator<Item = NodeId>,
) -> Vec<(usize, usize)> {
    let mut nodes: Vec<(NodeId, usize)> = nodes.enumerate().map(|(at, id)| (id, at)).collect();
    nodes.sort_unstable();
    let mut open_nodes: Vec<(NodeId, usize)> = Vec::new();
    let mut pairs = Vec::new();
    for (id, at) in nodes {
        while open_nodes.last().is_some_and(|(holder, _)| source.node(*holder).subtree_end <= id) {
            open_nodes.pop();
        }
        pairs.extend(open_nodes.last().map(|(_, holder)| (*holder, at)));
        open_nodes.push((id, at));
    }
    pairs
}
