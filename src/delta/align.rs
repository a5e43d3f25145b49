//! Which children of two matching nodes are the same thing.

use super::bag::{Bags, similarity};
use crate::java::{Grammar, Kind, NodeId, Source};
use similar::{Algorithm, DiffOp, capture_diff_slices};
use std::collections::{BTreeMap, HashMap};

/// What part a child plays in its parent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Part {
    /// The only child of its field.
    Slot(u16),
    /// One of a field's children, or of the children without a field (0).
    Element(u16),
    /// The only child without a field.
    Single,
    /// A keyword or punctuation mark of the parent itself.
    Mark,
}

/// A child, with the separator before it if it is a later element of a list that has separators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Item {
    pub(super) node: NodeId,
    pub(super) separator: Option<NodeId>,
    pub(super) part: Part,
}

/// One step through the children of both nodes at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// The same thing in both.
    Both(Item, Item),
    /// In the old version only.
    Old(Item),
    /// In the new version only.
    New(Item),
    /// The old place of something that moved.
    From(Item, Item),
    /// Its new place.
    To(Item, Item),
}

/// Work bound: more pairs than this in one gap are not compared with each other.
const MOST_PAIRS: usize = 4_000;

/// Two statements that share less than this are two things (Dice coefficient of their tokens).
const ALIKE: f64 = 0.5;

/// Less than this many tokens in another place are no move, but coincidence.
const LEAST_MOVE: usize = 6;

/// Two versions of a file, to be aligned node by node.
pub(super) struct Aligner<'a> {
    pub(super) old: &'a Source,
    pub(super) new: &'a Source,
    pub(super) bags: Bags,
}

impl<'a> Aligner<'a> {
    pub(super) fn new(old: &'a Source, new: &'a Source) -> Self {
        Self { old, new, bags: Bags::of(old, new) }
    }

    /// Walks the children of two nodes of the same kind.
    pub(super) fn children(&self, old: NodeId, new: NodeId) -> Vec<Step> {
        let olds = items(self.old, old);
        let news = items(self.new, new);
        let is_body = Grammar::get().is_body(self.old.node(old).kind);
        let named = self.by_signature(&olds, &news);
        let mut ordered =
            heaviest_increasing(&named, |pair| self.old.node(olds[pair.0].node).tokens.len());
        let mut moved: Vec<(usize, usize)> = Vec::new();
        if is_body {
            moved.extend(named.iter().filter(|pair| !ordered.contains(pair)));
        }
        let taken = |pairs: &[(usize, usize)], i: usize| pairs.iter().any(|pair| pair.0 == i);
        let taken_new = |pairs: &[(usize, usize)], j: usize| pairs.iter().any(|pair| pair.1 == j);
        let mut found = Vec::new();
        for (old_gap, new_gap) in gaps(&ordered, olds.len(), news.len()) {
            let free_old: Vec<usize> = old_gap.filter(|i| !taken(&moved, *i)).collect();
            let free_new: Vec<usize> = new_gap.filter(|j| !taken_new(&moved, *j)).collect();
            found.extend(self.in_gap(&olds, &news, &free_old, &free_new));
        }
        ordered.extend(found);
        ordered.sort_unstable();
        if is_body {
            self.find_moves(&olds, &news, &ordered, &mut moved);
        }
        steps(&olds, &news, &ordered, &moved)
    }

    /// Declarations with the same name and parameters, wherever they stand; then those whose name alone
    /// is the same and unique.
    fn by_signature(&self, olds: &[Item], news: &[Item]) -> Vec<(usize, usize)> {
        let mut pairs = Vec::new();
        for with_parameters in [true, false] {
            let free = |pairs: &[(usize, usize)], is_old: bool, at: usize| {
                !pairs.iter().any(|pair| at == if is_old { pair.0 } else { pair.1 })
            };
            let old_keys =
                unique_keys(self.old, olds, with_parameters, |at| free(&pairs, true, at));
            let new_keys =
                unique_keys(self.new, news, with_parameters, |at| free(&pairs, false, at));
            let more: Vec<_> = old_keys
                .iter()
                .filter_map(|(key, old)| Some((*old, *new_keys.get(key)?)))
                .collect();
            pairs.extend(more);
        }
        pairs.sort_unstable();
        pairs
    }

    /// Pairs inside a gap: equal ones first, then, between those, the same slots and what is alike.
    fn in_gap(
        &self,
        olds: &[Item],
        news: &[Item],
        old: &[usize],
        new: &[usize],
    ) -> Vec<(usize, usize)> {
        let key = |source: &Source, item: &Item| (item.part, source.node(item.node).hash);
        let old_keys: Vec<_> = old.iter().map(|i| key(self.old, &olds[*i])).collect();
        let new_keys: Vec<_> = new.iter().map(|j| key(self.new, &news[*j])).collect();
        let mut pairs = Vec::new();
        for op in capture_diff_slices(Algorithm::Patience, &old_keys, &new_keys) {
            match op {
                DiffOp::Equal { old_index, new_index, len } => {
                    pairs.extend((0..len).map(|k| (old[old_index + k], new[new_index + k])));
                }
                DiffOp::Replace { .. } => {
                    let (old, new) = (&old[op.old_range()], &new[op.new_range()]);
                    pairs.extend(self.alike(olds, news, old, new));
                }
                DiffOp::Delete { .. } | DiffOp::Insert { .. } => {}
            }
        }
        pairs
    }

    /// The best order-keeping pairing of two short runs.
    fn alike(
        &self,
        olds: &[Item],
        news: &[Item],
        old: &[usize],
        new: &[usize],
    ) -> Vec<(usize, usize)> {
        if old.len() * new.len() > MOST_PAIRS {
            return Vec::new();
        }
        let width = new.len() + 1;
        let mut best = vec![0.0; (old.len() + 1) * width];
        let score: Vec<f64> = old
            .iter()
            .flat_map(|i| new.iter().map(move |j| (*i, *j)))
            .map(|(i, j)| self.score(&olds[i], &news[j]))
            .collect();
        for i in (0..old.len()).rev() {
            for j in (0..new.len()).rev() {
                let paired = score[i * new.len() + j];
                let taken = if paired > 0.0 { paired + best[(i + 1) * width + j + 1] } else { 0.0 };
                best[i * width + j] =
                    f64::max(taken, f64::max(best[(i + 1) * width + j], best[i * width + j + 1]));
            }
        }
        let (mut i, mut j, mut pairs) = (0, 0, Vec::new());
        while i < old.len() && j < new.len() {
            if best[i * width + j] <= best[(i + 1) * width + j] {
                i += 1;
            } else if best[i * width + j] <= best[i * width + j + 1] {
                j += 1;
            } else {
                pairs.push((old[i], new[j]));
                (i, j) = (i + 1, j + 1);
            }
        }
        pairs
    }

    /// How much two items are the same thing; 0 if they cannot be.
    fn score(&self, old: &Item, new: &Item) -> f64 {
        if old.part != new.part {
            return 0.0;
        }
        let (old_node, new_node) = (self.old.node(old.node), self.new.node(new.node));
        match old.part {
            Part::Slot(_) | Part::Single => 1.0,
            Part::Mark => 0.0,
            Part::Element(_) => {
                let grammar = Grammar::get();
                let is_import = old_node.kind == grammar.kind("import_declaration");
                if old_node.kind != new_node.kind || is_import {
                    return 0.0;
                }
                if old_node.kind == grammar.kind("switch_label") {
                    return 1.0;
                }
                let alike = self.similarity(old.node, new.node);
                if alike < ALIKE { 0.0 } else { alike }
            }
        }
    }

    /// The Dice coefficient of two nodes' tokens.
    pub(super) fn similarity(&self, old: NodeId, new: NodeId) -> f64 {
        let old = self.old.node(old).tokens.clone();
        let new = self.new.node(new).tokens.clone();
        similarity(&self.bags.old[old], &self.bags.new[new])
    }

    /// What is left and stands word for word somewhere else in the same body.
    fn find_moves(
        &self,
        olds: &[Item],
        news: &[Item],
        ordered: &[(usize, usize)],
        moved: &mut Vec<(usize, usize)>,
    ) {
        let mut by_hash: HashMap<u64, Vec<usize>> = HashMap::new();
        for (j, item) in news.iter().enumerate() {
            if !ordered.iter().chain(&*moved).any(|pair| pair.1 == j) {
                by_hash.entry(self.new.node(item.node).hash).or_default().push(j);
            }
        }
        for (i, item) in olds.iter().enumerate() {
            let node = self.old.node(item.node);
            let is_free = !ordered.iter().chain(&*moved).any(|pair| pair.0 == i);
            if let (true, Some([j])) = (is_free, by_hash.get(&node.hash).map(Vec::as_slice))
                && node.tokens.len() >= LEAST_MOVE
            {
                moved.push((i, *j));
                by_hash.remove(&node.hash);
            }
        }
        moved.sort_unstable();
    }
}

/// The children of a node as items.
pub(super) fn items(source: &Source, parent: NodeId) -> Vec<Item> {
    let kind = source.node(parent).kind;
    let mut items: Vec<Item> = Vec::new();
    let mut children = source.children(parent).peekable();
    while let Some(child) = children.next() {
        let part = part(source, kind, child);
        let next = children.peek().map(|next| self::part(source, kind, *next));
        let separates = part == Part::Mark
            && matches!(next, Some(Part::Element(_)))
            && items.last().is_some_and(|last| Some(last.part) == next)
            && is_separator(source, child);
        if let (true, Some(element)) = (separates, next) {
            items.extend(children.next().map(|node| Item {
                node,
                separator: Some(child),
                part: element,
            }));
        } else {
            items.push(Item { node: child, separator: None, part });
        }
    }
    items
}

fn part(source: &Source, parent: Kind, child: NodeId) -> Part {
    let node = source.node(child);
    let grammar = Grammar::get();
    let arity = grammar.arity(parent, node.field);
    let multiple = arity.is_some_and(|arity| arity.multiple);
    match (node.field, node.named) {
        (0, false) => Part::Mark,
        (0, true) if !multiple => Part::Single,
        (field, _) if !multiple => Part::Slot(field),
        (_, false) => Part::Mark,
        // A body that closes a list (the members after an enum's constants) is none of its elements.
        (0, true) if grammar.is_body(node.kind) && !grammar.is_body(parent) => Part::Single,
        (field, true) => Part::Element(field),
    }
}

/// Whether a mark only keeps the elements of a list apart.
pub(super) fn is_separator(source: &Source, node: NodeId) -> bool {
    matches!(source.text_of(node), b"," | b"|" | b"&")
}

fn unique_keys(
    source: &Source,
    items: &[Item],
    with_parameters: bool,
    is_free: impl Fn(usize) -> bool,
) -> BTreeMap<Vec<u8>, usize> {
    let mut keys: BTreeMap<Vec<u8>, Option<usize>> = BTreeMap::new();
    for (at, item) in items.iter().enumerate().filter(|(at, _)| is_free(*at)) {
        if let Some(key) = signature(source, item.node, with_parameters) {
            keys.entry(key).and_modify(|place| *place = None).or_insert(Some(at));
        }
    }
    keys.into_iter().filter_map(|(key, at)| Some((key, at?))).collect()
}

/// What a declaration is called: its kind, its name and, where asked, its parameters' types.
pub(super) fn signature(source: &Source, node: NodeId, with_parameters: bool) -> Option<Vec<u8>> {
    let grammar = Grammar::get();
    let kind = source.node(node).kind;
    let name = grammar.field("name");
    let is_local = kind == grammar.kind("local_variable_declaration");
    let declares = !is_local && grammar.name(kind).ends_with("_declaration");
    let is_constant = kind == grammar.kind("enum_constant");
    if !(declares || is_constant) {
        return None;
    }
    let declarator = source.child(node, grammar.field("declarator"));
    let name = source.child(declarator.unwrap_or(node), name)?;
    let mut key = kind.to_le_bytes().to_vec();
    key.extend_from_slice(source.text_of(name));
    let parameters = source.child(node, grammar.field("parameters")).filter(|_| with_parameters);
    for parameter in parameters.iter().flat_map(|list| source.children(*list)) {
        if let Some(r#type) = source.child(parameter, grammar.field("type")) {
            key.push(b',');
            key.extend_from_slice(source.text_of(r#type));
        }
    }
    Some(key)
}

/// Of pairs with increasing first numbers, the heaviest subset in which the second ones increase too.
fn heaviest_increasing(
    pairs: &[(usize, usize)],
    weight: impl Fn(&(usize, usize)) -> usize,
) -> Vec<(usize, usize)> {
    // For each last second number that is not beaten: the weight so far, and the pair that ends there.
    let mut ends: BTreeMap<usize, (usize, usize)> = BTreeMap::new();
    let mut before = vec![None; pairs.len()];
    for (at, pair) in pairs.iter().enumerate() {
        let previous = ends.range(..pair.1).next_back().map(|(_, end)| *end);
        before[at] = previous.map(|(_, at)| at);
        let total = previous.map_or(0, |(total, _)| total) + weight(pair).max(1);
        let beaten: Vec<usize> = ends
            .range(pair.1..)
            .take_while(|(_, end)| end.0 <= total)
            .map(|(key, _)| *key)
            .collect();
        for key in beaten {
            ends.remove(&key);
        }
        ends.insert(pair.1, (total, at));
    }
    let last = ends.values().next_back().map(|(_, at)| *at);
    let mut chosen: Vec<_> =
        std::iter::successors(last, |at| before[*at]).map(|at| pairs[at]).collect();
    chosen.reverse();
    chosen
}

/// The stretches between pairs, in both sequences.
fn gaps(
    pairs: &[(usize, usize)],
    old_len: usize,
    new_len: usize,
) -> Vec<(std::ops::Range<usize>, std::ops::Range<usize>)> {
    let starts = std::iter::once((0, 0)).chain(pairs.iter().map(|(i, j)| (i + 1, j + 1)));
    let ends = pairs.iter().copied().chain(std::iter::once((old_len, new_len)));
    starts.zip(ends).map(|(start, end)| (start.0..end.0, start.1..end.1)).collect()
}

fn steps(
    olds: &[Item],
    news: &[Item],
    ordered: &[(usize, usize)],
    moved: &[(usize, usize)],
) -> Vec<Step> {
    let from: HashMap<usize, usize> = moved.iter().copied().collect();
    let to: HashMap<usize, usize> = moved.iter().map(|(i, j)| (*j, *i)).collect();
    let mut steps = Vec::with_capacity(olds.len() + news.len());
    for (at, (old_gap, new_gap)) in gaps(ordered, olds.len(), news.len()).into_iter().enumerate() {
        steps.extend(old_gap.map(|i| match from.get(&i) {
            Some(j) => Step::From(olds[i], news[*j]),
            None => Step::Old(olds[i]),
        }));
        steps.extend(new_gap.map(|j| match to.get(&j) {
            Some(i) => Step::To(olds[*i], news[j]),
            None => Step::New(news[j]),
        }));
        steps.extend(ordered.get(at).map(|(i, j)| Step::Both(olds[*i], news[*j])));
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_increasing_pairs_increase_and_weigh_as_much_as_any(seconds in proptest::sample::subsequence((0usize..12).collect::<Vec<_>>(), 0..9).prop_shuffle()) {
            let pairs: Vec<_> = seconds.iter().copied().enumerate().collect();
            let weight = |pair: &(usize, usize)| pair.1 * 7 % 5 + 1;
            let total = |chosen: &[(usize, usize)]| chosen.iter().map(weight).sum::<usize>();
            let chosen = heaviest_increasing(&pairs, weight);
            prop_assert!(chosen.windows(2).all(|w| w[0].1 < w[1].1));
            let best = (0..1usize << pairs.len())
                .map(|mask| pairs.iter().enumerate().filter(|(k, _)| mask >> k & 1 == 1).map(|(_, p)| *p).collect::<Vec<_>>())
                .filter(|subset| subset.windows(2).all(|w| w[0].1 < w[1].1))
                .map(|subset| total(&subset))
                .max()
                .unwrap_or(0);
            prop_assert_eq!(total(&chosen), best);
        }
    }
}
