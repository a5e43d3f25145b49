//! Which repairs of parts of what fails together may mend all of it.

use std::collections::{BTreeSet, HashSet};

/// So many are put together.
const MOST: usize = 6;

/// Groups of repairs that leave less together than each alone, by their places: each begins with another one, and goes
/// on with the first that mends something that is left, but for what the others mend as well. `left` has what each
/// leaves, the best repair first.
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

/// Without those that mend nothing that the others do not mend, the best kept before others.
fn needed(left: &[BTreeSet<String>], mut chosen: Vec<usize>) -> Vec<usize> {
    for place in chosen.clone().into_iter().rev() {
        let others: Vec<usize> = chosen.iter().copied().filter(|other| *other != place).collect();
        if left_by(left, &others) == left_by(left, &chosen) {
            chosen = others;
        }
    }
    chosen
}

/// What is left by some together; nothing mends none of it.
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
