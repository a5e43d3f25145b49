//! Combines fixes that each fix some of the failing tests.

use std::collections::{BTreeSet, HashSet};

/// Maximum number of combinations.
const MOST: usize = 6;

/// Returns groups of fixes, as indices, that leave fewer tests failing together than each alone.
/// Each group begins with another fix, adds the first one that fixes a remaining test, and drops
/// redundant ones. `left` has the tests that each leaves failing, the best fix first.
pub(super) fn groups(left: &[BTreeSet<String>]) -> Vec<Vec<usize>> {
    let mut known = HashSet::new();
    let all = (0..left.len()).map(|first| group(left, first)).filter(|group| group.len() > 1);
    all.filter(|group| known.insert(group.clone())).take(MOST).collect()
}

fn group(left: &[BTreeSet<String>], first: usize) -> Vec<usize> {
    let (mut chosen, mut open) = (vec![first], left[first].clone());
    while let Some(next) = left.iter().position(|other| !open.is_subset(other)) {
        open = open.intersection(&left[next]).cloned().collect();
        chosen.push(next);
    }
    chosen.sort_unstable();
    needed(left, chosen)
}

/// Removes fixes whose tests the others fix too; keeps the better one.
fn needed(left: &[BTreeSet<String>], mut chosen: Vec<usize>) -> Vec<usize> {
    for place in chosen.clone().into_iter().rev() {
        let others: Vec<usize> = chosen.iter().copied().filter(|other| *other != place).collect();
        if left_by(left, &others) == left_by(left, &chosen) {
            chosen = others;
        }
    }
    chosen
}

/// Returns the tests that some fixes leave failing together; `None` for no fixes.
fn left_by(left: &[BTreeSet<String>], places: &[usize]) -> Option<BTreeSet<String>> {
    let all = places.iter().map(|place| left[*place].clone());
    all.reduce(|one, other| one.intersection(&other).cloned().collect())
}

#[cfg(test)]
mod tests {
    use super::groups;
    use std::collections::BTreeSet;

    fn found(left: &[&str]) -> Vec<Vec<usize>> {
        let sets: Vec<BTreeSet<String>> =
            left.iter().map(|one| one.split_whitespace().map(str::to_owned).collect()).collect();
        groups(&sets)
    }

    #[test]
    fn what_mends_different_parts_is_put_together_the_best_first() {
        assert_eq!(found(&["a", "a", "b", "b"]), [[0, 2], [1, 2], [0, 3]]);
        assert_eq!(found(&["a b", "b c", "a c"]), [[0, 1, 2]]);
    }

    #[test]
    fn what_others_mend_as_well_is_not_put_to_them() {
        assert_eq!(found(&["b c", "c", "a b"]), [[1, 2]]);
        assert_eq!(found(&["c", "b c", "a b"]), [[0, 2]]);
    }

    #[test]
    fn what_nothing_mends_stays_left() {
        assert_eq!(found(&["a c", "b c"]), [[0, 1]]);
        assert_eq!(found(&["a", "a"]), Vec::<Vec<usize>>::new());
        assert_eq!(found(&[]), Vec::<Vec<usize>>::new());
    }
}
