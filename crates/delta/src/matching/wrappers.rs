//! Finds wrappers: code that is added around kept code, or removed from around it.

use crate::matching::child_items::{ChildItem, child_items};
use crate::matching::version_pair::{Version, VersionPair};
use mend_java::{Grammar, NodeId, ParsedSource};
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// Work limit: longer runs are not searched for wrappers.
const MAX_COMPARED_PAIRS: usize = 4_000;

/// Maximum depth of wrapped code below a wrapper: deeper code is generated.
const MAX_WRAPPER_DEPTH: usize = 40;

/// An item of one version that wraps several neighbouring items of the other version.
pub(crate) struct Wrapper {
    /// The version with the wrapper.
    pub(crate) version: Version,
    /// Index among the items of its version.
    pub(crate) index: usize,
    /// The wrapped items of the other version.
    pub(crate) wrapped: Range<usize>,
    /// The body of the wrapper that contains them.
    pub(crate) body: NodeId,
}

/// Positions of equal subtrees, except in code that moves to another file.
pub(crate) struct SubtreeIndex {
    old: HashMap<u64, Vec<NodeId>>,
    new: HashMap<u64, Vec<NodeId>>,
}

fn index_subtrees(source: &ParsedSource, excluded: &HashSet<NodeId>) -> HashMap<u64, Vec<NodeId>> {
    let mut nodes_by_hash: HashMap<u64, Vec<NodeId>> = HashMap::new();
    let mut next = 0;
    while let Some(node) = source.nodes().get(next) {
        if excluded.contains(&next) {
            next = node.subtree_end;
            continue;
        }
        if node.is_named {
            nodes_by_hash.entry(node.hash).or_default().push(next);
        }
        next += 1;
    }
    nodes_by_hash
}

impl SubtreeIndex {
    /// Indexes the nodes of both versions. `moved_to_other_files` are the outermost nodes to leave out, by version.
    pub(crate) fn new(pair: VersionPair<'_>, moved_to_other_files: &[HashSet<NodeId>; 2]) -> Self {
        let [old, new] = [Version::Old, Version::New].map(|version| {
            index_subtrees(pair.source(version), &moved_to_other_files[version as usize])
        });
        Self { old, new }
    }

    /// Returns the version with the wrapper, and the inner node equal to the other node, if one of two nodes wraps the
    /// other.
    pub(crate) fn find_in_pair(
        &self,
        pair: VersionPair<'_>,
        old: NodeId,
        new: NodeId,
    ) -> Option<(Version, NodeId)> {
        let in_new =
            self.find_wrapped_node(pair, Version::New, new, old).map(|hole| (Version::New, hole));
        in_new.or_else(|| {
            self.find_wrapped_node(pair, Version::Old, old, new).map(|hole| (Version::Old, hole))
        })
    }

    fn find_wrapped_node(
        &self,
        pair: VersionPair<'_>,
        version: Version,
        wrapper: NodeId,
        kept: NodeId,
    ) -> Option<NodeId> {
        let source = pair.source(version);
        let kept_node = pair.source(version.opposite()).node(kept);
        let wrapped_node = self.find_equal_descendant(version, source, wrapper, kept_node.hash)?;
        let node = source.node(wrapped_node);
        let parent = source.node(node.parent);
        let can_replace =
            Grammar::get().accepts(parent.kind, node.field, source.node(wrapper).kind)
                && node.kind == kept_node.kind
                && node.tokens.len() == kept_node.tokens.len()
                && node.depth - source.node(wrapper).depth <= MAX_WRAPPER_DEPTH;
        can_replace.then_some(wrapped_node)
    }

    /// Returns the first node below `wrapper` with this hash.
    fn find_equal_descendant(
        &self,
        version: Version,
        source: &ParsedSource,
        wrapper: NodeId,
        hash: u64,
    ) -> Option<NodeId> {
        let nodes_by_hash = match version {
            Version::Old => &self.old,
            Version::New => &self.new,
        };
        let nodes_by_hash = nodes_by_hash.get(&hash)?;
        let first = nodes_by_hash.get(nodes_by_hash.partition_point(|place| *place <= wrapper))?;
        (*first < source.node(wrapper).subtree_end).then_some(*first)
    }

    /// Returns the wrappers in two runs of a body's items, in the order of both.
    pub(crate) fn find_wrappers(
        &self,
        pair: VersionPair<'_>,
        old: (&[ChildItem], &[usize]),
        new: (&[ChildItem], &[usize]),
    ) -> Vec<Wrapper> {
        if old.1.len() * new.1.len() > MAX_COMPARED_PAIRS {
            return Vec::new();
        }
        let in_new = self.find_in_runs(pair, Version::New, new, old);
        if in_new.is_empty() { self.find_in_runs(pair, Version::Old, old, new) } else { in_new }
    }

    fn find_in_runs(
        &self,
        pair: VersionPair<'_>,
        version: Version,
        (items, run): (&[ChildItem], &[usize]),
        (wrapped_items, wrapped_run): (&[ChildItem], &[usize]),
    ) -> Vec<Wrapper> {
        let mut wrappers = Vec::new();
        let mut start = 0;
        for at in run {
            let wrapper = items[*at];
            if !wrapper.is_element() {
                continue;
            }
            let remaining_run = &wrapped_run[start..];
            if let Some((body, range)) =
                self.best_body(pair, version, wrapper.node, wrapped_items, remaining_run)
            {
                wrappers.push(Wrapper {
                    version,
                    index: *at,
                    wrapped: remaining_run[range.start]..remaining_run[range.end - 1] + 1,
                    body,
                });
                start += range.end;
            }
        }
        wrappers
    }

    /// Returns the body below `wrapper` that contains most of a run, and the contained range of the run.
    fn best_body(
        &self,
        version_pair: VersionPair<'_>,
        version: Version,
        wrapper: NodeId,
        items: &[ChildItem],
        run: &[usize],
    ) -> Option<(NodeId, Range<usize>)> {
        let (source, other) =
            (version_pair.source(version), version_pair.source(version.opposite()));
        let mut ranges_by_body: HashMap<NodeId, (usize, Range<usize>)> = HashMap::new();
        for (position, at) in run.iter().enumerate().filter(|(_, at)| items[**at].is_element()) {
            let kept = other.node(items[*at].node);
            let Some(descendant) = self.find_equal_descendant(version, source, wrapper, kept.hash)
            else {
                continue;
            };
            let body = source.node(descendant).parent;
            if can_wrap_statements(source, body)
                && kept.is_named
                && source.node(body).depth - source.node(wrapper).depth <= MAX_WRAPPER_DEPTH
            {
                let (tokens, range) = ranges_by_body.entry(body).or_insert((0, position..position));
                *tokens += kept.tokens.len();
                range.end = position + 1;
            }
        }
        let best =
            |(body, (tokens, _)): &(NodeId, (usize, Range<usize>))| (*tokens, usize::MAX - *body);
        let (body, (_, range)) = ranges_by_body.into_iter().max_by_key(best)?;
        let wrapped_run = &run[range.clone()];
        // The wrapped items must be neighbours, and the grammar must allow each of them in the body.
        let is_contiguous = wrapped_run.windows(2).all(|pair| pair[0] + 1 == pair[1])
            && wrapped_run.iter().all(|at| {
                items[*at].is_element()
                    && Grammar::get().accepts(
                        source.node(body).kind,
                        0,
                        other.node(items[*at].node).kind,
                    )
            });
        is_contiguous.then_some((body, range))
    }
}

/// Returns true for a block with only statements between its braces, and at least one.
fn can_wrap_statements(source: &ParsedSource, body: NodeId) -> bool {
    let inner = child_items(source, body);
    source.node(body).kind == Grammar::get().kind_id("block")
        && inner.len() > 2
        && inner[1..inner.len() - 1].iter().all(ChildItem::is_element)
}
