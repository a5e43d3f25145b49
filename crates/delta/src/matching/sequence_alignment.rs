//! Pairing two sequences in order, in bounded time.

use similar::{Algorithm, capture_diff_slices};
use std::collections::{BTreeMap, HashMap};
use std::hash::Hash;
use std::ops::Range;

/// The places of two things that are the same, in either sequence.
pub(crate) type IndexPair = (usize, usize);

/// Work bound: sequences with more pairs of elements than this are not compared exhaustively.
const MOST_EQUAL_PAIRS: usize = 40_000;

/// Work limit: maximum number of pairs of elements scored together.
const MOST_SCORED_PAIRS: usize = 4_000;

/// Maximum number of rounds that search a gap for further elements that occur once.
const ANCHOR_ROUNDS: usize = 4;

/// Returns equal elements in an order common to both sequences.
pub(crate) fn equal_pairs<K: Hash + Ord>(old: &[K], new: &[K]) -> Vec<IndexPair> {
    let mut pairs = Vec::new();
    equal_between(old, new, 0..old.len(), 0..new.len(), ANCHOR_ROUNDS, &mut pairs);
    pairs.sort_unstable();
    pairs
}

fn equal_between<K: Hash + Ord>(
    old: &[K],
    new: &[K],
    mut olds: Range<usize>,
    mut news: Range<usize>,
    rounds: usize,
    pairs: &mut Vec<IndexPair>,
) {
    while !olds.is_empty() && !news.is_empty() && old[olds.start] == new[news.start] {
        pairs.push((olds.start, news.start));
        (olds.start, news.start) = (olds.start + 1, news.start + 1);
    }
    while !olds.is_empty() && !news.is_empty() && old[olds.end - 1] == new[news.end - 1] {
        (olds.end, news.end) = (olds.end - 1, news.end - 1);
        pairs.push((olds.end, news.end));
    }
    if olds.is_empty() || news.is_empty() {
        return;
    }
    if olds.len().saturating_mul(news.len()) <= MOST_EQUAL_PAIRS {
        let ops = capture_diff_slices(Algorithm::Patience, &old[olds.clone()], &new[news.clone()]);
        for op in ops.iter().filter(|op| op.tag() == similar::DiffTag::Equal) {
            let at = op.old_range().zip(op.new_range());
            pairs.extend(at.map(|(i, j)| (olds.start + i, news.start + j)));
        }
        return;
    }
    let anchors = anchors(old, new, &olds, &news, rounds > 0);
    for (old_gap, new_gap) in gaps(&anchors, olds, news) {
        if rounds > 0 && !anchors.is_empty() {
            equal_between(old, new, old_gap, new_gap, rounds - 1, pairs);
        }
    }
    pairs.extend(anchors);
}

/// Elements that occur once in either sequence; or, if `is_unique` is not asked for, the first with the
/// first, the second with the second and so on.
fn anchors<K: Hash + Ord>(
    old: &[K],
    new: &[K],
    olds: &Range<usize>,
    news: &Range<usize>,
    is_unique: bool,
) -> Vec<IndexPair> {
    let mut places: HashMap<&K, (Vec<usize>, Vec<usize>)> = HashMap::new();
    for at in olds.clone() {
        places.entry(&old[at]).or_default().0.push(at);
    }
    for at in news.clone() {
        places.entry(&new[at]).or_default().1.push(at);
    }
    let mut pairs: Vec<IndexPair> = places
        .into_values()
        .filter(|(olds, news)| !is_unique || (olds.len() == 1 && news.len() == 1))
        .flat_map(|(olds, news)| olds.into_iter().zip(news))
        .collect();
    pairs.sort_unstable();
    heaviest_increasing(&pairs, |_| 1)
}

/// Returns the order-preserving pairing with the best score; 0 means that two elements cannot be paired. Long sequences
/// are cut into proportional ranges that are paired separately.
pub(crate) fn best_pairs(
    old: &[usize],
    new: &[usize],
    score: &mut impl FnMut(usize, usize) -> f64,
) -> Vec<IndexPair> {
    let mut parts = 1;
    while old.len().div_ceil(parts) * new.len().div_ceil(parts) > MOST_SCORED_PAIRS
        && parts < old.len().max(new.len())
    {
        parts *= 2;
    }
    let part = |of: &[usize], at: usize| of.len() * at / parts..of.len() * (at + 1) / parts;
    (0..parts)
        .flat_map(|at| best_in_part(&old[part(old, at)], &new[part(new, at)], score))
        .collect()
}

fn best_in_part(
    old: &[usize],
    new: &[usize],
    score: &mut impl FnMut(usize, usize) -> f64,
) -> Vec<IndexPair> {
    let width = new.len() + 1;
    let mut best = vec![0.0; (old.len() + 1) * width];
    for i in (0..old.len()).rev() {
        for j in (0..new.len()).rev() {
            let paired = score(old[i], new[j]);
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

/// Returns the heaviest subset of pairs in which the second numbers increase too. The first numbers must be increasing.
pub(crate) fn heaviest_increasing(
    pairs: &[IndexPair],
    weight: impl Fn(&IndexPair) -> usize,
) -> Vec<IndexPair> {
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
        if ends.range(..=pair.1).next_back().is_none_or(|(_, end)| end.0 < total) {
            ends.insert(pair.1, (total, at));
        }
    }
    let last = ends.values().next_back().map(|(_, at)| *at);
    let mut chosen: Vec<_> =
        std::iter::successors(last, |at| before[*at]).map(|at| pairs[at]).collect();
    chosen.reverse();
    chosen
}

/// Returns the ranges between pairs, in both sequences.
pub(crate) fn gaps(
    pairs: &[IndexPair],
    olds: Range<usize>,
    news: Range<usize>,
) -> Vec<(Range<usize>, Range<usize>)> {
    let starts =
        std::iter::once((olds.start, news.start)).chain(pairs.iter().map(|(i, j)| (i + 1, j + 1)));
    let ends = pairs.iter().copied().chain(std::iter::once((olds.end, news.end)));
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

        #[test]
        fn equal_pairs_are_equal_and_in_order(old in proptest::collection::vec(0u8..40, 0..600), new in proptest::collection::vec(0u8..40, 0..600)) {
            let pairs = equal_pairs(&old, &new);
            prop_assert!(pairs.iter().all(|(i, j)| old[*i] == new[*j]));
            prop_assert!(pairs.windows(2).all(|w| w[0].0 < w[1].0 && w[0].1 < w[1].1));
        }
    }

    #[test]
    fn long_sequences_are_paired_where_they_are_equal() {
        let old: Vec<usize> = (0..50_000).collect();
        let new: Vec<usize> = (0..50_000).filter(|at| at % 1_000 != 0).collect();
        assert_eq!(equal_pairs(&old, &new).len(), new.len());
    }
}
