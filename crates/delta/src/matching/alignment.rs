//! Alignment of the children of two matching nodes.

use super::signature::{is_type, unique_signatures};
use crate::matching::child_items::ChildItem;
use crate::matching::child_items::ChildRole;
use crate::matching::sequence_alignment::{
    IndexPair, best_pairs, equal_pairs, gaps, heaviest_increasing,
};
use crate::matching::token_multisets::TokenMultisets;
use crate::matching::version_pair::{Version, VersionPair};
use crate::matching::wrappers::{SubtreeIndex, Wrapper};
use mend_java::{Grammar, NodeId};
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// Two statements that share less than this are two things (Dice coefficient of their tokens).
pub(crate) const ALIKE: f64 = 0.5;

/// Two types that share less than this are two things.
pub(crate) const ALIKE_TYPES: f64 = 0.3;

/// Less than this many tokens in another place are no move, but coincidence.
const LEAST_MOVE: usize = 6;

/// Things that are the same in both versions: one and one, or several and a shell that holds them.
#[derive(Clone, Debug)]
pub(crate) struct AlignmentLink {
    pub(crate) old: Range<usize>,
    pub(crate) new: Range<usize>,
    /// The version in which one thing holds those of the other, and the body in it that does.
    pub(crate) hole: Option<(Version, NodeId)>,
}

impl AlignmentLink {
    fn pair((old, new): IndexPair) -> Self {
        Self { old: old..old + 1, new: new..new + 1, hole: None }
    }
}

/// Correspondence of the children of two nodes.
#[derive(Default)]
pub(crate) struct Alignment {
    /// In the order of both versions.
    pub(crate) links: Vec<AlignmentLink>,
    /// Pairs of equal children at different positions of the same body.
    pub(crate) moved: Vec<IndexPair>,
}

/// Two versions of a file, to be aligned node by node.
pub(crate) struct Aligner<'a> {
    pub(crate) sides: VersionPair<'a>,
    pub(crate) holes: SubtreeIndex,
    bags: TokenMultisets,
    /// Children that move to or from another file and have no counterpart here.
    away: [HashSet<NodeId>; 2],
}

/// The children to align.
#[derive(Clone, Copy)]
pub(crate) struct ChildLists<'a> {
    pub(crate) old: &'a [ChildItem],
    pub(crate) new: &'a [ChildItem],
    /// True for statements or members, which can be reordered.
    pub(crate) is_body: bool,
    /// True if any of them can be at any position.
    pub(crate) is_uniform: bool,
}

impl<'a> Aligner<'a> {
    pub(crate) fn new(sides: VersionPair<'a>, away: [HashSet<NodeId>; 2]) -> Self {
        Self {
            sides,
            holes: SubtreeIndex::new(sides),
            bags: TokenMultisets::new(sides.old, sides.new),
            away,
        }
    }

    pub(crate) fn is_away(&self, version: Version, node: NodeId) -> bool {
        self.away[version as usize].contains(&node)
    }

    fn away_among(&self, version: Version, items: &[ChildItem]) -> HashSet<usize> {
        let is_away = |at: &usize| self.is_away(version, items[*at].node);
        (0..items.len()).filter(is_away).collect()
    }

    /// Aligns the children of two nodes.
    pub(crate) fn align(&mut self, children: ChildLists<'_>) -> Alignment {
        let ChildLists { old, new, is_body, .. } = children;
        let away = [self.away_among(Version::Old, old), self.away_among(Version::New, new)];
        let named = self.by_signature(children, &away);
        let ordered =
            heaviest_increasing(&named, |pair| self.sides.old.node(old[pair.0].node).tokens.len());
        let mut moved: Vec<IndexPair> = Vec::new();
        if is_body {
            let in_order: HashSet<IndexPair> = ordered.iter().copied().collect();
            moved.extend(named.iter().filter(|pair| !in_order.contains(*pair)));
        }
        let [mut taken, mut taken_new] = away;
        taken.extend(moved.iter().map(|pair| pair.0));
        taken_new.extend(moved.iter().map(|pair| pair.1));
        let mut links: Vec<AlignmentLink> =
            ordered.iter().copied().map(AlignmentLink::pair).collect();
        for (old_gap, new_gap) in gaps(&ordered, 0..old.len(), 0..new.len()) {
            let free_old: Vec<usize> = old_gap.filter(|i| !taken.contains(i)).collect();
            let free_new: Vec<usize> = new_gap.filter(|j| !taken_new.contains(j)).collect();
            links.extend(self.in_gap(children, &free_old, &free_new));
        }
        links.sort_by_key(|link| link.old.start);
        if is_body {
            self.find_moves(children, &links, taken, taken_new, &mut moved);
        }
        Alignment { links, moved }
    }

    /// Declarations with the same name and parameters, wherever they stand; then those whose name alone
    /// is the same and unique.
    fn by_signature(&self, children: ChildLists<'_>, away: &[HashSet<usize>; 2]) -> Vec<IndexPair> {
        let [mut olds, mut news] = away.clone();
        let mut pairs = Vec::new();
        for with_parameters in [true, false] {
            let (old, new) = (self.sides.old, self.sides.new);
            let old_keys = unique_signatures(old, children.old, with_parameters, &olds);
            let new_keys = unique_signatures(new, children.new, with_parameters, &news);
            for (key, i) in old_keys {
                if let Some(j) = new_keys.get(&key) {
                    olds.insert(i);
                    news.insert(*j);
                    pairs.push((i, *j));
                }
            }
        }
        pairs.sort_unstable();
        pairs
    }

    /// Aligns the children of a gap: equal children first, then wrappers around kept code, equal slots and similar
    /// children.
    fn in_gap(
        &mut self,
        children: ChildLists<'_>,
        old: &[usize],
        new: &[usize],
    ) -> Vec<AlignmentLink> {
        let key = |version: Version, item: &ChildItem| {
            (item.part, self.sides.source(version).node(item.node).hash)
        };
        let old_keys: Vec<_> = old.iter().map(|i| key(Version::Old, &children.old[*i])).collect();
        let new_keys: Vec<_> = new.iter().map(|j| key(Version::New, &children.new[*j])).collect();
        let equal = equal_pairs(&old_keys, &new_keys);
        let mut links: Vec<AlignmentLink> = Vec::new();
        for (old_gap, new_gap) in gaps(&equal, 0..old.len(), 0..new.len()) {
            links.extend(self.changed(children, &old[old_gap], &new[new_gap]));
        }
        links.extend(equal.iter().map(|(i, j)| AlignmentLink::pair((old[*i], new[*j]))));
        links
    }

    /// Aligns two runs without equal children.
    fn changed(
        &mut self,
        children: ChildLists<'_>,
        old: &[usize],
        new: &[usize],
    ) -> Vec<AlignmentLink> {
        if old.is_empty() || new.is_empty() {
            return Vec::new();
        }
        let shells = if children.is_body { self.shells(children, old, new) } else { Vec::new() };
        let mut links = Vec::new();
        let (mut i, mut j) = (0, 0);
        for shell in &shells {
            let old_end = i + old[i..].partition_point(|at| *at < shell.old.start);
            let new_end = j + new[j..].partition_point(|at| *at < shell.new.start);
            links.extend(self.alike(children, &old[i..old_end], &new[j..new_end]));
            i = old_end + old[old_end..].partition_point(|at| *at < shell.old.end);
            j = new_end + new[new_end..].partition_point(|at| *at < shell.new.end);
        }
        links.extend(self.alike(children, &old[i..], &new[j..]));
        links.extend(shells);
        links
    }

    fn alike(
        &mut self,
        children: ChildLists<'_>,
        old: &[usize],
        new: &[usize],
    ) -> Vec<AlignmentLink> {
        let mut score = |i: usize, j: usize| {
            self.score(&children.old[i], &children.new[j], children.is_uniform)
        };
        best_pairs(old, new, &mut score).into_iter().map(AlignmentLink::pair).collect()
    }

    fn shells(&self, children: ChildLists<'_>, old: &[usize], new: &[usize]) -> Vec<AlignmentLink> {
        let shells = self.holes.shells(self.sides, (children.old, old), (children.new, new));
        let link = |shell: Wrapper| {
            let (at, held) = (shell.at..shell.at + 1, shell.held);
            let (old, new) = match shell.version {
                Version::Old => (at, held),
                Version::New => (held, at),
            };
            AlignmentLink { old, new, hole: Some((shell.version, shell.hole)) }
        };
        shells.into_iter().map(link).collect()
    }

    /// Returns the similarity of two items; 0 if they cannot correspond.
    fn score(&mut self, old: &ChildItem, new: &ChildItem, is_uniform: bool) -> f64 {
        if old.part != new.part {
            return 0.0;
        }
        match old.part {
            ChildRole::Slot(_) | ChildRole::Single => 1.0,
            ChildRole::Punctuation => 0.0,
            ChildRole::Element(_) => self.score_elements(old.node, new.node, is_uniform),
        }
    }

    fn score_elements(&mut self, old: NodeId, new: NodeId, is_uniform: bool) -> f64 {
        let grammar = Grammar::get();
        let (old_node, new_node) = (self.sides.old.node(old), self.sides.new.node(new));
        if is_uniform && self.holes.in_pair(self.sides, old, new).is_some() {
            return 1.0;
        }
        let is_import = old_node.kind == grammar.kind("import_declaration");
        if old_node.kind != new_node.kind || is_import {
            return 0.0;
        }
        if old_node.kind == grammar.kind("switch_label") {
            return 1.0;
        }
        let least = if is_type(old_node.kind) { ALIKE_TYPES } else { ALIKE };
        let alike = self.similarity(old, new);
        if alike < least { 0.0 } else { alike }
    }

    /// Returns the Dice coefficient of two nodes' tokens.
    pub(crate) fn similarity(&mut self, old: NodeId, new: NodeId) -> f64 {
        let old = self.sides.old.node(old).tokens.clone();
        self.bags.similarity(old, self.sides.new.node(new).tokens.clone())
    }

    /// Finds unmatched children that occur word for word elsewhere in the same body.
    fn find_moves(
        &self,
        children: ChildLists<'_>,
        links: &[AlignmentLink],
        mut olds: HashSet<usize>,
        mut news: HashSet<usize>,
        moved: &mut Vec<IndexPair>,
    ) {
        olds.extend(links.iter().flat_map(|link| link.old.clone()));
        news.extend(links.iter().flat_map(|link| link.new.clone()));
        let mut by_hash: HashMap<u64, Vec<usize>> = HashMap::new();
        for (j, item) in children.new.iter().enumerate().filter(|(j, _)| !news.contains(j)) {
            by_hash.entry(self.sides.new.node(item.node).hash).or_default().push(j);
        }
        for (i, item) in children.old.iter().enumerate().filter(|(i, _)| !olds.contains(i)) {
            let node = self.sides.old.node(item.node);
            if let Some([j]) = by_hash.get(&node.hash).map(Vec::as_slice)
                && node.tokens.len() >= LEAST_MOVE
            {
                moved.push((i, *j));
                by_hash.remove(&node.hash);
            }
        }
        moved.sort_unstable();
    }
}
