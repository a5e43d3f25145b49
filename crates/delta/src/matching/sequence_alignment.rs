//! Alignment of two sequences in bounded time.

use similar::{Algorithm, capture_diff_slices};
use std::collections::{BTreeMap, HashMap};
use std::hash::Hash;
use std::ops::Range;

/// Indexes of matching elements in both sequences.
pub(crate) type IndexPair = (usize, usize);

/// Work bound: sequences with more pairs of elements than this are not compared exhaustively.
const MAX_COMPARED_PAIRS: usize = 40_000;

/// Work limit: maximum number of pairs of elements scored together.
const MAX_SCORED_PAIRS: usize = 4_000;

/// Maximum number of rounds that search a gap for further elements that occur once.
const MAX_ANCHOR_ROUNDS: usize = 4;

/// Returns equal elements in an order common to both sequences.
pub(crate) fn equal_pairs<K: Hash + Ord>(old: &[K], new: &[K]) -> Vec<IndexPair> {
    let mut pairs = Vec::new();
    collect_equal_pairs(old, new, 0..old.len(), 0..new.len(), MAX_ANCHOR_ROUNDS, &mut pairs);
    pairs.sort_unstable();
    pairs
}

fn collect_equal_pairs<K: Hash + Ord>(
    old: &[K],
    new: &[K],
    mut old_range: Range<usize>,
    mut new_range: Range<usize>,
    rounds: usize,
    pairs: &mut Vec<IndexPair>,
) {
    while !old_range.is_empty()
        && !new_range.is_empty()
        && old[old_range.start] == new[new_range.start]
    {
        pairs.push((old_range.start, new_range.start));
        (old_range.start, new_range.start) = (old_range.start + 1, new_range.start + 1);
    }
    while !old_range.is_empty()
        && !new_range.is_empty()
        && old[old_range.end - 1] == new[new_range.end - 1]
    {
        (old_range.end, new_range.end) = (old_range.end - 1, new_range.end - 1);
        pairs.push((old_range.end, new_range.end));
    }
    if old_range.is_empty() || new_range.is_empty() {
        return;
    }
    if old_range.len().saturating_mul(new_range.len()) <= MAX_COMPARED_PAIRS {
        let ops = capture_diff_slices(
            Algorithm::Patience,
            &old[old_range.clone()],
            &new[new_range.clone()],
        );
        for op in ops.iter().filter(|op| op.tag() == similar::DiffTag::Equal) {
            let at = op.old_range().zip(op.new_range());
            pairs.extend(at.map(|(i, j)| (old_range.start + i, new_range.start + j)));
        }
        return;
    }
    let anchors = find_anchors(old, new, &old_range, &new_range, rounds > 0);
    for (old_gap, new_gap) in gaps_between(&anchors, old_range, new_range) {
        if rounds > 0 && !anchors.is_empty() {
            collect_equal_pairs(old, new, old_gap, new_gap, rounds - 1, pairs);
        }
    }
    pairs.extend(anchors);
}

/// Returns common elements in order: those that occur once in each sequence if `is_unique` is true, otherwise equal
/// elements paired by occurrence.
fn find_anchors<K: Hash + Ord>(
    old: &[K],
    new: &[K],
    old_range: &Range<usize>,
    new_range: &Range<usize>,
    is_unique: bool,
) -> Vec<IndexPair> {
    let mut indexes_by_key: HashMap<&K, (Vec<usize>, Vec<usize>)> = HashMap::new();
    for at in old_range.clone() {
        indexes_by_key.entry(&old[at]).or_default().0.push(at);
    }
    for at in new_range.clone() {
        indexes_by_key.entry(&new[at]).or_default().1.push(at);
    }
    let mut pairs: Vec<IndexPair> = indexes_by_key
        .into_values()
        .filter(|(old_indexes, new_indexes)| {
            !is_unique || (old_indexes.len() == 1 && new_indexes.len() == 1)
        })
        .flat_map(|(old_indexes, new_indexes)| old_indexes.into_iter().zip(new_indexes))
        .collect();
    pairs.sort_unstable();
    heaviest_increasing_pairs(&pairs, |_| 1)
}

/// Returns the order-preserving pairing with the best score; 0 means that two elements cannot be paired. Long sequences
/// are cut into proportional ranges that are paired separately.
pub(crate) fn best_pairs(
    old: &[usize],
    new: &[usize],
    score: &mut impl FnMut(usize, usize) -> f64,
) -> Vec<IndexPair> {
    let mut part_count = 1;
    while old.len().div_ceil(part_count) * new.len().div_ceil(part_count) > MAX_SCORED_PAIRS
        && part_count < old.len().max(new.len())
    {
        part_count *= 2;
    }
    let part_range =
        |of: &[usize], at: usize| of.len() * at / part_count..of.len() * (at + 1) / part_count;
    (0..part_count)
        .flat_map(|at| {
            best_pairs_in_part(&old[part_range(old, at)], &new[part_range(new, at)], score)
        })
        .collect()
}

fn best_pairs_in_part(
    old: &[usize],
    new: &[usize],
    score: &mut impl FnMut(usize, usize) -> f64,
) -> Vec<IndexPair> {
    let width = new.len() + 1;
    let mut best = vec![0.0; (old.len() + 1) * width];
    for i in (0..old.len()).rev() {
        for j in (0..new.len()).rev() {
            let pair_score = score(old[i], new[j]);
            let score_if_paired =
                if pair_score > 0.0 { pair_score + best[(i + 1) * width + j + 1] } else { 0.0 };
            best[i * width + j] = f64::max(
                score_if_paired,
                f64::max(best[(i + 1) * width + j], best[i * width + j + 1]),
            );
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

/// Returns the heaviest subset of pairs in which the second numbers increase too. The first numbers must be increasing.
pub(crate) fn heaviest_increasing_pairs(
    pairs: &[IndexPair],
    weight: impl Fn(&IndexPair) -> usize,
) -> Vec<IndexPair> {
    // For each undominated last second index: the weight so far, and the pair that ends there.
    let mut ends: BTreeMap<usize, (usize, usize)> = BTreeMap::new();
    let mut predecessors = vec![None; pairs.len()];
    for (at, pair) in pairs.iter().enumerate() {
        let previous = ends.range(..pair.1).next_back().map(|(_, end)| *end);
        predecessors[at] = previous.map(|(_, at)| at);
        let total = previous.map_or(0, |(total, _)| total) + weight(pair).max(1);
        let dominated: Vec<usize> = ends
            .range(pair.1..)
            .take_while(|(_, end)| end.0 <= total)
            .map(|(key, _)| *key)
            .collect();
        for key in dominated {
            ends.remove(&key);
        }
        if ends.range(..=pair.1).next_back().is_none_or(|(_, end)| end.0 < total) {
            ends.insert(pair.1, (total, at));
        }
    }
    let last = ends.values().next_back().map(|(_, at)| *at);
    let mut chosen: Vec<_> =
        std::iter::successors(last, |at| predecessors[*at]).map(|at| pairs[at]).collect();
    chosen.reverse();
    chosen
}

/// Returns the ranges between pairs, in both sequences.
pub(crate) fn gaps_between(
    pairs: &[IndexPair],
    old_range: Range<usize>,
    new_range: Range<usize>,
) -> Vec<(Range<usize>, Range<usize>)> {
    let starts = std::iter::once((old_range.start, new_range.start))
        .chain(pairs.iter().map(|(i, j)| (i + 1, j + 1)));
    let ends = pairs.iter().copied().chain(std::iter::once((old_range.end, new_range.end)));
    starts.zip(ends).map(|(start, end)| (start.0..end.0, start.1..end.1)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_increasing_pairs_increase_and_weigh_as_much_as_any(seconds in proptest::sample::subsequence((0usize..12).collect::<Vec<_>>(), 0..9).prop_shuffle()) {
            let pairs: Vec<_> = seconds.iter().copied().enumerate().collect();
            let weight = |pair: &IndexPair| pair.1 * 7 % 5 + 1;
            let total = |chosen: &[IndexPair]| chosen.iter().map(weight).sum::<usize>();
            let chosen = heaviest_increasing_pairs(&pairs, weight);
            prop_assert!(chosen.windows(2).all(|w| w[0].1 < w[1].1));
            let best = (0..1usize << pairs.len())
                .map(|mask| pairs.iter().enumerate().filter(|(k, _)| mask >> k & 1 == 1).map(|(_, p)| *p).collect::<Vec<_>>())
                .filter(|subset| subset.windows(2).all(|w| w[0].1 < w[1].1))
                .map(|subset| total(&subset))
                .max()
                .unwrap_or(0);
            prop_assert_eq!(total(&chosen), best);
        }

        #[test]
        fn equal_pairs_are_equal_and_in_order(old in proptest::collection::vec(0u8..40, 0..600), new in proptest::collection::vec(0u8..40, 0..600)) {
            let pairs = equal_pairs(&old, &new);
            prop_assert!(pairs.iter().all(|(i, j)| old[*i] == new[*j]));
            prop_assert!(pairs.windows(2).all(|w| w[0].0 < w[1].0 && w[0].1 < w[1].1));
        }
    }

    #[test]
    fn long_sequences_are_paired_at_equal_elements() {
        let old: Vec<usize> = (0..50_000).collect();
        let new: Vec<usize> = (0..50_000).filter(|at| at % 1_000 != 0).collect();
        assert_eq!(equal_pairs(&old, &new).len(), new.len());
    }
}
