//! Order in which the commits of a range are sampled if nothing is known about them.

use std::collections::VecDeque;
use std::iter;
use std::ops::Range;

/// Returns at most `max` positions below `len`: the middle, then the middles of both halves, the later half first, and so
/// on. If there are no more positions than `max`, returns all of them, the last one first.
pub fn sample_positions(len: usize, max: usize) -> Vec<usize> {
    if len <= max {
        return (0..len).rev().collect();
    }
    let mut ranges: VecDeque<Range<usize>> = iter::once(0..len).collect();
    let mut positions = Vec::with_capacity(max);
    while let Some(range) = ranges.pop_front().filter(|_| positions.len() < max) {
        if range.is_empty() {
            continue;
        }
        let middle = range.start + range.len() / 2;
        positions.push(middle);
        ranges.extend([middle + 1..range.end, range.start..middle]);
    }
    positions
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    #[test]
    fn later_half_comes_first() {
        assert_eq!(sample_positions(3, 4), [2, 1, 0]);
        assert_eq!(sample_positions(100, 3), [50, 75, 25]);
        assert!(sample_positions(0, 3).is_empty());
    }

    proptest! {
        #[test]
        fn samples_are_distinct_and_leave_no_large_gap(len in 0_usize..500, level in 0_u32..6) {
            let max = 2_usize.pow(level) - 1;
            let positions = sample_positions(len, max);
            let distinct: BTreeSet<usize> = positions.iter().copied().collect();
            prop_assert_eq!(positions.len(), len.min(max));
            prop_assert_eq!(distinct.len(), positions.len());
            prop_assert!(distinct.iter().all(|position| *position < len));
            let ends = distinct.iter().copied().chain([len]);
            let starts = [0].into_iter().chain(distinct.iter().map(|position| position + 1));
            let largest_gap = starts.zip(ends).map(|(start, end)| end - start).max();
            prop_assert!(largest_gap.unwrap_or(0) <= len / (max + 1) + 1);
        }
    }
}
