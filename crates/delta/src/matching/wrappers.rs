//! Wrappers that are added around code that remains, or removed from around it.

use crate::matching::child_items::{ChildItem, items};
use crate::matching::version_pair::{Version, VersionPair};
use mend_java::{Grammar, NodeId, ParsedSource};
use std::collections::HashMap;
use std::ops::Range;

/// Work bound: in longer runs no shells are looked for.
const MOST_PAIRS: usize = 4_000;

/// Deeper holes are not looked into: such code is generated.
const DEEPEST_HOLE: usize = 40;

/// One thing of a version that holds several neighbours of the other version.
pub(crate) struct Wrapper {
    /// The version that has the shell.
    pub(crate) version: Version,
    /// Position among the items of its version.
    pub(crate) at: usize,
    /// The other version's items that it holds.
    pub(crate) held: Range<usize>,
    /// The body in it that holds them.
    pub(crate) hole: NodeId,
}

/// Positions of equal subtrees.
pub(crate) struct SubtreeIndex {
    old: HashMap<u64, Vec<NodeId>>,
    new: HashMap<u64, Vec<NodeId>>,
}

impl SubtreeIndex {
    pub(crate) fn new(sides: VersionPair<'_>) -> Self {
        let index = |source: &ParsedSource| {
            let mut places: HashMap<u64, Vec<NodeId>> = HashMap::new();
            for (id, node) in source.nodes().iter().enumerate().filter(|(_, node)| node.named) {
                places.entry(node.hash).or_default().push(id);
            }
            places
        };
        Self { old: index(sides.old), new: index(sides.new) }
    }

    /// Returns the version with the wrapper, and the inner node equal to the other node, if one of two nodes wraps the
    /// other.
    pub(crate) fn in_pair(
        &self,
        sides: VersionPair<'_>,
        old: NodeId,
        new: NodeId,
    ) -> Option<(Version, NodeId)> {
        let in_new = self.hole(sides, Version::New, new, old).map(|hole| (Version::New, hole));
        in_new.or_else(|| self.hole(sides, Version::Old, old, new).map(|hole| (Version::Old, hole)))
    }

    fn hole(
        &self,
        sides: VersionPair<'_>,
        version: Version,
        shell: NodeId,
        kept: NodeId,
    ) -> Option<NodeId> {
        let source = sides.source(version);
        let kept_node = sides.source(version.opposite()).node(kept);
        let hole = self.inside(version, source, shell, kept_node.hash)?;
        let node = source.node(hole);
        let parent = source.node(node.parent);
        let fits = Grammar::get().accepts(parent.kind, node.field, source.node(shell).kind)
            && node.kind == kept_node.kind
            && node.tokens.len() == kept_node.tokens.len()
            && node.depth - source.node(shell).depth <= DEEPEST_HOLE;
        fits.then_some(hole)
    }

    /// Returns the first node below `shell` with this hash.
    fn inside(
        &self,
        version: Version,
        source: &ParsedSource,
        shell: NodeId,
        hash: u64,
    ) -> Option<NodeId> {
        let places = match version {
            Version::Old => &self.old,
            Version::New => &self.new,
        };
        let places = places.get(&hash)?;
        let first = places.get(places.partition_point(|place| *place <= shell))?;
        (*first < source.node(shell).end).then_some(*first)
    }

    /// Shells in two runs of a body's items, in the order of both.
    pub(crate) fn shells(
        &self,
        sides: VersionPair<'_>,
        old: (&[ChildItem], &[usize]),
        new: (&[ChildItem], &[usize]),
    ) -> Vec<Wrapper> {
        if old.1.len() * new.1.len() > MOST_PAIRS {
            return Vec::new();
        }
        let in_new = self.in_runs(sides, Version::New, new, old);
        if in_new.is_empty() { self.in_runs(sides, Version::Old, old, new) } else { in_new }
    }

    fn in_runs(
        &self,
        sides: VersionPair<'_>,
        version: Version,
        (items, run): (&[ChildItem], &[usize]),
        (held_items, held_run): (&[ChildItem], &[usize]),
    ) -> Vec<Wrapper> {
        let mut found = Vec::new();
        let mut start = 0;
        for at in run {
            let shell = items[*at];
            if !shell.is_element() {
                continue;
            }
            let held = &held_run[start..];
            if let Some((hole, places)) =
                self.best_hole(sides, version, shell.node, held_items, held)
            {
                found.push(Wrapper {
                    version,
                    at: *at,
                    held: held[places.start]..held[places.end - 1] + 1,
                    hole,
                });
                start += places.end;
            }
        }
        found
    }

    /// Returns the body below `shell` that contains most of a run, and the contained range of the run.
    fn best_hole(
        &self,
        sides: VersionPair<'_>,
        version: Version,
        shell: NodeId,
        items: &[ChildItem],
        run: &[usize],
    ) -> Option<(NodeId, Range<usize>)> {
        let (source, other) = (sides.source(version), sides.source(version.opposite()));
        let mut bodies: HashMap<NodeId, (usize, Range<usize>)> = HashMap::new();
        for (place, at) in run.iter().enumerate().filter(|(_, at)| items[**at].is_element()) {
            let kept = other.node(items[*at].node);
            let Some(hole) = self.inside(version, source, shell, kept.hash) else { continue };
            let body = source.node(hole).parent;
            if can_hold(source, body)
                && kept.named
                && source.node(body).depth - source.node(shell).depth <= DEEPEST_HOLE
            {
                let (tokens, places) = bodies.entry(body).or_insert((0, place..place));
                *tokens += kept.tokens.len();
                places.end = place + 1;
            }
        }
        let best =
            |(body, (tokens, _)): &(NodeId, (usize, Range<usize>))| (*tokens, usize::MAX - *body);
        let (body, (_, places)) = bodies.into_iter().max_by_key(best)?;
        let stretch = &run[places.clone()];
        // Between the kept things there may be nothing but statements that can stand in the hole, too.
        let is_whole = stretch.windows(2).all(|pair| pair[0] + 1 == pair[1])
            && stretch.iter().all(|at| {
                items[*at].is_element()
                    && Grammar::get().accepts(
                        source.node(body).kind,
                        0,
                        other.node(items[*at].node).kind,
                    )
            });
        is_whole.then_some((body, places))
    }
}

/// Returns true if statements can be in a body with nothing but braces around them.
fn can_hold(source: &ParsedSource, body: NodeId) -> bool {
    let inner = items(source, body);
    source.node(body).kind == Grammar::get().kind("block")
        && inner.len() > 2
        && inner[1..inner.len() - 1].iter().all(ChildItem::is_element)
}
