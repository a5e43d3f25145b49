//! Combines partial fixes, each of which fixes some of the failing tests.

use std::collections::{BTreeSet, HashSet};

/// Maximum number of combinations.
const MAX_COMBINATIONS: usize = 6;

/// Returns combinations of fixes, as indices, that leave fewer tests failing than each fix alone. Each combination
/// starts with another fix, adds the first fix for each remaining test, and drops redundant fixes. `still_failing`
/// contains the tests that each fix leaves failing, the best fix first.
pub(super) fn combine_fixes(still_failing: &[BTreeSet<String>]) -> Vec<Vec<usize>> {
    let mut known_groups = HashSet::new();
    let all = (0..still_failing.len())
        .map(|first| combine_from(still_failing, first))
        .filter(|group| group.len() > 1);
    all.filter(|group| known_groups.insert(group.clone())).take(MAX_COMBINATIONS).collect()
}

fn combine_from(still_failing: &[BTreeSet<String>], first: usize) -> Vec<usize> {
    let (mut chosen, mut unfixed) = (vec![first], still_failing[first].clone());
    while let Some(next) = still_failing.iter().position(|other| !unfixed.is_subset(other)) {
        unfixed = unfixed.intersection(&still_failing[next]).cloned().collect();
        chosen.push(next);
    }
    chosen.sort_unstable();
    drop_redundant_fixes(still_failing, chosen)
}

/// Removes fixes whose tests the others fix too. Of two redundant fixes, keeps the better one.
fn drop_redundant_fixes(still_failing: &[BTreeSet<String>], mut chosen: Vec<usize>) -> Vec<usize> {
    for index in chosen.clone().into_iter().rev() {
        let others: Vec<usize> = chosen.iter().copied().filter(|other| *other != index).collect();
        if still_failing_with(still_failing, &others) == still_failing_with(still_failing, &chosen)
        {
            chosen = others;
        }
    }
    chosen
}

/// Returns the tests that some fixes leave failing together. Returns `None` for no fixes.
fn still_failing_with(
    still_failing: &[BTreeSet<String>],
    places: &[usize],
) -> Option<BTreeSet<String>> {
    let all = places.iter().map(|place| still_failing[*place].clone());
    all.reduce(|one, other| one.intersection(&other).cloned().collect())
}

#[cfg(test)]
mod tests {
    use super::combine_fixes;
    use std::collections::BTreeSet;

    fn combinations(left: &[&str]) -> Vec<Vec<usize>> {
        let sets: Vec<BTreeSet<String>> =
            left.iter().map(|one| one.split_whitespace().map(str::to_owned).collect()).collect();
        combine_fixes(&sets)
    }

    #[test]
    fn complementary_fixes_are_combined_best_first() {
        assert_eq!(combinations(&["a", "a", "b", "b"]), [[0, 2], [1, 2], [0, 3]]);
        assert_eq!(combinations(&["a b", "b c", "a c"]), [[0, 1, 2]]);
    }

    #[test]
    fn redundant_fixes_are_not_combined() {
        assert_eq!(combinations(&["b c", "c", "a b"]), [[1, 2]]);
        assert_eq!(combinations(&["c", "b c", "a b"]), [[0, 2]]);
    }

    #[test]
    fn unfixed_tests_do_not_prevent_combination() {
        assert_eq!(combinations(&["a c", "b c"]), [[0, 1]]);
        assert_eq!(combinations(&["a", "a"]), Vec::<Vec<usize>>::new());
        assert_eq!(combinations(&[]), Vec::<Vec<usize>>::new());
    }
}
