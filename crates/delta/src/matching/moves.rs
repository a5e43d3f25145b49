//! Moves: statements and members that left one body and appear in another.

use super::signature::signature;
use crate::matching::child_items::is_statement_body;
use crate::matching::sequence_alignment::IndexPair;
use crate::matching::version_pair::{Version, VersionPair};
use mend_java::{Grammar, NodeId, ParsedSource};
use petgraph::algo::tarjan_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use std::collections::{BTreeMap, HashMap};

/// Less than this many tokens in another body or file are no move, but coincidence.
pub(super) const LEAST_MOVE: usize = 12;

/// Moves inside moves double what is put down; deeper ones are none.
const DEEPEST_MOVE: usize = 3;

/// Sources and destinations of all moves.
#[derive(Default)]
pub(crate) struct Moves {
    to_new: HashMap<NodeId, NodeId>,
    to_old: HashMap<NodeId, NodeId>,
    /// Unmatched nodes of the old version.
    left_old: Vec<NodeId>,
    /// Unmatched nodes of the new version.
    left_new: Vec<NodeId>,
}

impl Moves {
    pub(crate) fn add(&mut self, old: NodeId, new: NodeId) {
        self.to_new.insert(old, new);
        self.to_old.insert(new, old);
    }

    /// Returns the other position of a moved node.
    pub(crate) fn counterpart(&self, version: Version, node: NodeId) -> Option<NodeId> {
        match version {
            Version::Old => self.to_new.get(&node),
            Version::New => self.to_old.get(&node),
        }
        .copied()
    }

    /// Notes an element of a body that only one version has there.
    pub(crate) fn leave(&mut self, source: &ParsedSource, version: Version, id: NodeId) {
        let grammar = Grammar::get();
        let node = source.node(id);
        let is_branch = source.node(node.parent).kind == grammar.kind("switch_block");
        if node.tokens.len() < LEAST_MOVE || is_branch || self.counterpart(version, id).is_some() {
            return;
        }
        match version {
            Version::Old => self.left_old.push(id),
            Version::New => self.left_new.push(id),
        }
    }

    /// Pairs nodes that left a body with nodes that appeared in another one: equal nodes, and similar declarations with
    /// the same signature or body.
    pub(crate) fn between_bodies(
        &mut self,
        sides: VersionPair<'_>,
        mut are_alike: impl FnMut(NodeId, NodeId) -> bool,
    ) -> Vec<IndexPair> {
        let olds = std::mem::take(&mut self.left_old);
        let news = std::mem::take(&mut self.left_new);
        let (mut old_taken, mut new_taken) =
            (MatchedSubtrees::default(), MatchedSubtrees::default());
        let mut found = Vec::new();
        for key in [equal_key, signature_key, body_key] {
            for (old, new) in unique_pairs(sides, &olds, &news, key) {
                let (old_end, new_end) = (sides.old.node(old).end, sides.new.node(new).end);
                if old_taken.overlaps(old, old_end)
                    || new_taken.overlaps(new, new_end)
                    || !have_like_places(sides, old, new)
                    || !(sides.are_equal(old, new) || are_alike(old, new))
                {
                    continue;
                }
                old_taken.add(old, old_end);
                new_taken.add(new, new_end);
                self.add(old, new);
                found.push((old, new));
            }
        }
        let is_left = |source: &ParsedSource, taken: &MatchedSubtrees, id: NodeId| {
            !taken.overlaps(id, source.node(id).end)
        };
        self.left_old.extend(olds.into_iter().filter(|id| is_left(sides.old, &old_taken, *id)));
        self.left_new.extend(news.into_iter().filter(|id| is_left(sides.new, &new_taken, *id)));
        found
    }

    /// Gives up moves that hold each other crosswise, and those too deep in others.
    pub(crate) fn untangle(&mut self, sides: VersionPair<'_>) {
        let mut moves: Vec<IndexPair> = self.to_new.iter().map(|(old, new)| (*old, *new)).collect();
        moves.sort_unstable();
        let mut graph = DiGraph::<(), ()>::new();
        let nodes: Vec<NodeIndex> = moves.iter().map(|_| graph.add_node(())).collect();
        let mut holders: Vec<Vec<usize>> = vec![Vec::new(); moves.len()];
        for (holder, held) in nested(sides.old, moves.iter().map(|pair| pair.0))
            .into_iter()
            .chain(nested(sides.new, moves.iter().map(|pair| pair.1)))
        {
            graph.add_edge(nodes[holder], nodes[held], ());
            holders[held].push(holder);
        }
        let mut levels = vec![0; moves.len()];
        // Strongly connected components come with the innermost first.
        for component in tarjan_scc(&graph).into_iter().rev() {
            for node in &component {
                let at = node.index();
                let level = holders[at].iter().map(|holder| levels[*holder]).max().unwrap_or(0);
                levels[at] = level + 1;
                if component.len() > 1 || level >= DEEPEST_MOVE {
                    levels[at] = level;
                    self.to_new.remove(&moves[at].0);
                    self.to_old.remove(&moves[at].1);
                }
            }
        }
    }
}

/// Subtrees that have a counterpart: where each begins and ends.
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

/// Key by which two subtrees can be recognised as the same.
pub(super) type SubtreeKey = Vec<u8>;

pub(super) fn equal_key(source: &ParsedSource, id: NodeId) -> Option<SubtreeKey> {
    let node = source.node(id);
    (node.tokens.len() >= LEAST_MOVE).then(|| node.hash.to_le_bytes().to_vec())
}

pub(super) fn signature_key(source: &ParsedSource, id: NodeId) -> Option<SubtreeKey> {
    signature(source, id, true)
}

pub(super) fn body_key(source: &ParsedSource, id: NodeId) -> Option<SubtreeKey> {
    let node = source.node(id);
    let body = source.node(source.child(id, Grammar::get().field("body"))?);
    let key = [node.kind.to_le_bytes().to_vec(), body.hash.to_le_bytes().to_vec()].concat();
    (body.tokens.len() >= LEAST_MOVE).then_some(key)
}

/// Returns the pairs whose key occurs once in each version, the largest first.
fn unique_pairs(
    sides: VersionPair<'_>,
    olds: &[NodeId],
    news: &[NodeId],
    key: fn(&ParsedSource, NodeId) -> Option<SubtreeKey>,
) -> Vec<IndexPair> {
    let mut places: HashMap<SubtreeKey, (Vec<NodeId>, Vec<NodeId>)> = HashMap::new();
    for id in olds {
        if let Some(key) = key(sides.old, *id) {
            places.entry(key).or_default().0.push(*id);
        }
    }
    for id in news {
        if let Some(key) = key(sides.new, *id) {
            places.entry(key).or_default().1.push(*id);
        }
    }
    let mut pairs: Vec<IndexPair> = places
        .into_values()
        .filter_map(|(olds, news)| match (&olds[..], &news[..]) {
            ([old], [new]) => Some((*old, *new)),
            _ => None,
        })
        .collect();
    pairs.sort_by_key(|(old, new)| (usize::MAX - sides.old.node(*old).tokens.len(), *old, *new));
    pairs
}

/// Returns true if both positions take statements, or the same kind of member.
fn have_like_places(sides: VersionPair<'_>, old: NodeId, new: NodeId) -> bool {
    let old_parent = sides.old.node(old).parent;
    let new_parent = sides.new.node(new).parent;
    let are_statements =
        is_statement_body(sides.old, old_parent) && is_statement_body(sides.new, new_parent);
    are_statements || sides.old.node(old_parent).kind == sides.new.node(new_parent).kind
}

/// Returns the innermost containing node for each of some nodes that has one, by their indexes in the list.
fn nested(source: &ParsedSource, nodes: impl Iterator<Item = NodeId>) -> Vec<(usize, usize)> {
    let mut nodes: Vec<(NodeId, usize)> = nodes.enumerate().map(|(at, id)| (id, at)).collect();
    nodes.sort_unstable();
    let mut open: Vec<(NodeId, usize)> = Vec::new();
    let mut pairs = Vec::new();
    for (id, at) in nodes {
        while open.last().is_some_and(|(holder, _)| source.node(*holder).end <= id) {
            open.pop();
        }
        pairs.extend(open.last().map(|(_, holder)| (*holder, at)));
        open.push((id, at));
    }
    pairs
}
