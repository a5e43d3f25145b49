//! Alignment of the children of two matching nodes.

use super::signature::{is_type_declaration, unique_signatures};
use crate::matching::child_items::ChildItem;
use crate::matching::child_items::ChildRole;
use crate::matching::moves::Moves;
use crate::matching::related_code::RelatedCode;
use crate::matching::sequence_alignment::{
    IndexPair, best_pairs, equal_pairs, gaps_between, heaviest_increasing_pairs,
};
use crate::matching::token_multisets::TokenMultisets;
use crate::matching::version_pair::{Version, VersionPair};
use crate::matching::wrappers::{SubtreeIndex, Wrapper};
use mend_java::{Grammar, NodeId};
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// Minimum similarity of two statements that match (Dice coefficient of their tokens).
pub(crate) const MIN_STATEMENT_SIMILARITY: f64 = 0.5;

/// Minimum similarity of two types that match.
pub(crate) const MIN_TYPE_SIMILARITY: f64 = 0.3;

/// Minimum number of tokens of a move within a body: smaller equal code is coincidence.
const MIN_MOVED_TOKENS_IN_BODY: usize = 6;

/// Matching children: one of each version, or one wrapper and several children of the other version.
#[derive(Clone, Debug)]
pub(crate) struct AlignmentLink {
    pub(crate) old: Range<usize>,
    pub(crate) new: Range<usize>,
    /// The version with the wrapper, and the wrapper's body that contains the others.
    pub(crate) wrapper_body: Option<(Version, NodeId)>,
}

impl AlignmentLink {
    fn from_pair((old, new): IndexPair) -> Self {
        Self { old: old..old + 1, new: new..new + 1, wrapper_body: None }
    }
}

/// Alignment of the children of two nodes.
#[derive(Default)]
pub(crate) struct Alignment {
    /// Links in the order of both versions.
    pub(crate) links: Vec<AlignmentLink>,
    /// Pairs of equal children at different positions of the same body.
    pub(crate) moved: Vec<IndexPair>,
}

/// Two versions of a file, to be aligned node by node.
pub(crate) struct Aligner<'a> {
    pub(crate) pair: VersionPair<'a>,
    pub(crate) subtree_index: SubtreeIndex,
    token_multisets: TokenMultisets,
    /// Children that move to another file, by version; they have no counterpart here.
    moved_to_other_files: [HashSet<NodeId>; 2],
}

/// Children of two nodes to be aligned.
#[derive(Clone, Copy)]
pub(crate) struct ChildLists<'a> {
    pub(crate) old: &'a [ChildItem],
    pub(crate) new: &'a [ChildItem],
    /// True for statements or members, which can be reordered.
    pub(crate) is_body: bool,
    /// True if all of them can be at any position.
    pub(crate) is_uniform: bool,
}

impl<'a> Aligner<'a> {
    pub(crate) fn new(pair: VersionPair<'a>, moved_to_other_files: [HashSet<NodeId>; 2]) -> Self {
        Self {
            pair,
            subtree_index: SubtreeIndex::new(pair, &moved_to_other_files),
            token_multisets: TokenMultisets::new(pair.old, pair.new)
                .with_renames(pair.old, pair.new),
            moved_to_other_files,
        }
    }

    pub(crate) fn is_moved_to_other_file(&self, version: Version, node: NodeId) -> bool {
        self.moved_to_other_files[version as usize].contains(&node)
    }

    fn indexes_moved_to_other_files(
        &self,
        version: Version,
        items: &[ChildItem],
    ) -> HashSet<usize> {
        let is_moved = |at: &usize| self.is_moved_to_other_file(version, items[*at].node);
        (0..items.len()).filter(is_moved).collect()
    }

    /// Aligns the children of two nodes.
    pub(crate) fn align(&mut self, children: ChildLists<'_>) -> Alignment {
        let ChildLists { old, new, is_body, .. } = children;
        let moved_indexes = [
            self.indexes_moved_to_other_files(Version::Old, old),
            self.indexes_moved_to_other_files(Version::New, new),
        ];
        let signature_pairs = self.pair_by_signature(children, &moved_indexes);
        let ordered = heaviest_increasing_pairs(&signature_pairs, |pair| {
            self.pair.old.node(old[pair.0].node).tokens.len()
        });
        let mut moved: Vec<IndexPair> = Vec::new();
        if is_body {
            let in_order: HashSet<IndexPair> = ordered.iter().copied().collect();
            moved.extend(signature_pairs.iter().filter(|pair| !in_order.contains(*pair)));
        }
        let [mut taken_old, mut taken_new] = moved_indexes;
        taken_old.extend(moved.iter().map(|pair| pair.0));
        taken_new.extend(moved.iter().map(|pair| pair.1));
        let mut links: Vec<AlignmentLink> =
            ordered.iter().copied().map(AlignmentLink::from_pair).collect();
        for (old_gap, new_gap) in gaps_between(&ordered, 0..old.len(), 0..new.len()) {
            let free_old: Vec<usize> = old_gap.filter(|i| !taken_old.contains(i)).collect();
            let free_new: Vec<usize> = new_gap.filter(|j| !taken_new.contains(j)).collect();
            links.extend(self.align_gap(children, &free_old, &free_new));
        }
        links.sort_by_key(|link| link.old.start);
        if is_body {
            self.find_moves(children, &links, taken_old, taken_new, &mut moved);
        }
        Alignment { links, moved }
    }

    /// Pairs declarations with the same name and parameters, at any position; then those with the same unique name.
    fn pair_by_signature(
        &self,
        children: ChildLists<'_>,
        moved_indexes: &[HashSet<usize>; 2],
    ) -> Vec<IndexPair> {
        let [mut taken_old, mut taken_new] = moved_indexes.clone();
        let mut pairs = Vec::new();
        for with_parameters in [true, false] {
            let (old, new) = (self.pair.old, self.pair.new);
            let old_keys = unique_signatures(old, children.old, with_parameters, &taken_old);
            let new_keys = unique_signatures(new, children.new, with_parameters, &taken_new);
            for (key, i) in old_keys {
                if let Some(j) = new_keys.get(&key) {
                    taken_old.insert(i);
                    taken_new.insert(*j);
                    pairs.push((i, *j));
                }
            }
        }
        pairs.sort_unstable();
        pairs
    }

    /// Aligns the children of a gap: equal children first, then wrappers around kept code, equal roles and similar
    /// children.
    fn align_gap(
        &mut self,
        children: ChildLists<'_>,
        old: &[usize],
        new: &[usize],
    ) -> Vec<AlignmentLink> {
        let key = |version: Version, item: &ChildItem| {
            (item.role, self.pair.source(version).node(item.node).hash)
        };
        let old_keys: Vec<_> = old.iter().map(|i| key(Version::Old, &children.old[*i])).collect();
        let new_keys: Vec<_> = new.iter().map(|j| key(Version::New, &children.new[*j])).collect();
        let equal = equal_pairs(&old_keys, &new_keys);
        let mut links: Vec<AlignmentLink> = Vec::new();
        for (old_gap, new_gap) in gaps_between(&equal, 0..old.len(), 0..new.len()) {
            links.extend(self.align_changed(children, &old[old_gap], &new[new_gap]));
        }
        links.extend(equal.iter().map(|(i, j)| AlignmentLink::from_pair((old[*i], new[*j]))));
        links
    }

    /// Aligns two runs without equal children.
    fn align_changed(
        &mut self,
        children: ChildLists<'_>,
        old: &[usize],
        new: &[usize],
    ) -> Vec<AlignmentLink> {
        if old.is_empty() || new.is_empty() {
            return Vec::new();
        }
        let wrappers =
            if children.is_body { self.find_wrappers(children, old, new) } else { Vec::new() };
        let mut links = Vec::new();
        let (mut i, mut j) = (0, 0);
        for wrapper in &wrappers {
            let old_end = i + old[i..].partition_point(|at| *at < wrapper.old.start);
            let new_end = j + new[j..].partition_point(|at| *at < wrapper.new.start);
            links.extend(self.align_similar(children, &old[i..old_end], &new[j..new_end]));
            i = old_end + old[old_end..].partition_point(|at| *at < wrapper.old.end);
            j = new_end + new[new_end..].partition_point(|at| *at < wrapper.new.end);
        }
        links.extend(self.align_similar(children, &old[i..], &new[j..]));
        links.extend(wrappers);
        links
    }

    fn align_similar(
        &mut self,
        children: ChildLists<'_>,
        old: &[usize],
        new: &[usize],
    ) -> Vec<AlignmentLink> {
        let mut score = |i: usize, j: usize| {
            self.item_similarity(&children.old[i], &children.new[j], children.is_uniform)
        };
        let mut pairs = best_pairs(old, new, &mut score);
        pairs.extend(self.pair_remaining_parameters(children, old, new, &pairs));
        pairs.into_iter().map(AlignmentLink::from_pair).collect()
    }

    /// Pairs parameters between similar ones by position, if both versions have as many there. Their types and names may
    /// change for different reasons.
    fn pair_remaining_parameters(
        &self,
        children: ChildLists<'_>,
        old: &[usize],
        new: &[usize],
        pairs: &[IndexPair],
    ) -> Vec<IndexPair> {
        let parameter = Grammar::get().kind_id("formal_parameter");
        let is_parameter =
            |version: Version, node| self.pair.source(version).node(node).kind == parameter;
        let is_changed_parameter = |(i, j): &IndexPair| {
            is_parameter(Version::Old, children.old[*i].node)
                && is_parameter(Version::New, children.new[*j].node)
        };
        let gaps = gaps_between(pairs, 0..children.old.len(), 0..children.new.len());
        let paired = gaps.into_iter().flat_map(|(old_gap, new_gap)| {
            let old: Vec<usize> = old.iter().copied().filter(|i| old_gap.contains(i)).collect();
            let new: Vec<usize> = new.iter().copied().filter(|j| new_gap.contains(j)).collect();
            let is_same_count = old.len() == new.len();
            old.into_iter().zip(new).filter(move |_| is_same_count)
        });
        paired.filter(is_changed_parameter).collect()
    }

    fn find_wrappers(
        &self,
        children: ChildLists<'_>,
        old: &[usize],
        new: &[usize],
    ) -> Vec<AlignmentLink> {
        let wrappers =
            self.subtree_index.find_wrappers(self.pair, (children.old, old), (children.new, new));
        let link = |shell: Wrapper| {
            let (at, wrapped) = (shell.index..shell.index + 1, shell.wrapped);
            let (old, new) = match shell.version {
                Version::Old => (at, wrapped),
                Version::New => (wrapped, at),
            };
            AlignmentLink { old, new, wrapper_body: Some((shell.version, shell.body)) }
        };
        wrappers.into_iter().map(link).collect()
    }

    /// Returns the similarity of two items; 0 if they cannot correspond.
    fn item_similarity(&mut self, old: &ChildItem, new: &ChildItem, is_uniform: bool) -> f64 {
        if old.role != new.role {
            return 0.0;
        }
        match old.role {
            ChildRole::Slot(_) | ChildRole::Single => 1.0,
            ChildRole::Punctuation => 0.0,
            ChildRole::Element(_) => self.element_similarity(old.node, new.node, is_uniform),
        }
    }

    fn element_similarity(&mut self, old: NodeId, new: NodeId, is_uniform: bool) -> f64 {
        let grammar = Grammar::get();
        let (old_node, new_node) = (self.pair.old.node(old), self.pair.new.node(new));
        if is_uniform && self.subtree_index.find_in_pair(self.pair, old, new).is_some() {
            return 1.0;
        }
        let is_import = old_node.kind == grammar.kind_id("import_declaration");
        if old_node.kind != new_node.kind || is_import {
            return 0.0;
        }
        if old_node.kind == grammar.kind_id("switch_label") {
            return 1.0;
        }
        let min_similarity = if is_type_declaration(old_node.kind) {
            MIN_TYPE_SIMILARITY
        } else {
            MIN_STATEMENT_SIMILARITY
        };
        let similarity = self.similarity(old, new);
        if old_node.kind == grammar.kind_id("return_statement") {
            // A body has only one, because the statements after it are unreachable.
            return similarity.max(min_similarity);
        }
        if similarity < min_similarity { 0.0 } else { similarity }
    }

    /// Returns the Dice coefficient of two nodes' tokens.
    pub(crate) fn similarity(&mut self, old: NodeId, new: NodeId) -> f64 {
        let old = self.pair.old.node(old).tokens.clone();
        self.token_multisets.similarity(old, self.pair.new.node(new).tokens.clone())
    }

    /// Pairs similar code of a group, except nodes with another counterpart.
    pub(crate) fn pair_related(&mut self, code: &RelatedCode, moves: &Moves) -> Vec<IndexPair> {
        let Self { pair, token_multisets, moved_to_other_files, .. } = self;
        let is_excluded = |version: Version, node: NodeId| {
            moves.counterpart(version, node).is_some()
                || moved_to_other_files[version as usize].contains(&node)
        };
        token_multisets.with_own_limit(|token_multisets| {
            code.pair_similar(*pair, &is_excluded, |old, new| {
                let old = pair.old.node(old).tokens.clone();
                token_multisets.similarity(old, pair.new.node(new).tokens.clone())
            })
        })
    }

    /// Finds unmatched children that occur with equal tokens elsewhere in the same body.
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
            by_hash.entry(self.pair.new.node(item.node).hash).or_default().push(j);
        }
        for (i, item) in children.old.iter().enumerate().filter(|(i, _)| !olds.contains(i)) {
            let node = self.pair.old.node(item.node);
            if let Some([j]) = by_hash.get(&node.hash).map(Vec::as_slice)
                && node.tokens.len() >= MIN_MOVED_TOKENS_IN_BODY
            {
                moved.push((i, *j));
                by_hash.remove(&node.hash);
            }
        }
        moved.sort_unstable();
    }
}
