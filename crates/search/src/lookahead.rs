//! Commits that a bisection may test next, for machines that test commits before it starts.

use crate::bisection::{Bisection, CommitState};
use mend_model::Result;
use std::collections::VecDeque;

/// Returns up to `count` commits of unknown state that a bisection with `jobs` tests at the same time may ask for,
/// those of its first rounds first. `known_state` returns the state of a commit if it is known.
///
/// Without skipped commits, a bisection that knows the states of `count` commits needs about the logarithm of `count`
/// fewer rounds.
///
/// # Errors
/// Errors of `known_state`.
pub fn upcoming_commits(
    start: Bisection<'_>,
    jobs: usize,
    count: usize,
    known_state: &mut dyn FnMut(usize) -> Result<Option<CommitState>>,
) -> Result<Vec<usize>> {
    let mut upcoming = Vec::new();
    let mut branches = VecDeque::from([start]);
    while let Some(branch) = branches.pop_front() {
        let commits = branch.next_commits(jobs);
        let states =
            commits.iter().map(|commit| known_state(*commit)).collect::<Result<Vec<_>>>()?;
        let unknown = || states.iter().filter(|state| state.is_none()).count();
        for (commit, state) in commits.iter().zip(&states) {
            if state.is_none() && !upcoming.contains(commit) {
                upcoming.push(*commit);
            }
            if upcoming.len() >= count {
                return Ok(upcoming);
            }
        }
        if commits.is_empty() {
            continue;
        }
        // On linear history, the commits before the culprit pass, and the others fail.
        for passing in 0..=unknown() {
            let mut next = branch.clone();
            let guesses = std::iter::repeat_n(CommitState::Good, passing);
            let mut guesses = guesses.chain(std::iter::repeat(CommitState::Bad));
            for (commit, state) in commits.iter().zip(&states) {
                let state = state.or_else(|| guesses.next()).unwrap_or(CommitState::Bad);
                next.record(*commit, state);
            }
            branches.push_back(next);
        }
    }
    Ok(upcoming)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bisection::{CommitNode, bisect};
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    fn linear_history(len: usize) -> Vec<CommitNode> {
        (0..len)
            .map(|commit| CommitNode { parents: commit.checked_sub(1).into_iter().collect() })
            .collect()
    }

    fn upcoming(
        nodes: &[CommitNode],
        jobs: usize,
        count: usize,
        known: &BTreeMap<usize, CommitState>,
    ) -> Vec<usize> {
        let start = Bisection::new(nodes, &[]).unwrap();
        upcoming_commits(start, jobs, count, &mut |commit| Ok(known.get(&commit).copied())).unwrap()
    }

    fn state(commit: usize, culprit: usize) -> CommitState {
        if commit < culprit { CommitState::Good } else { CommitState::Bad }
    }

    #[test]
    fn first_commits_are_the_middles_of_the_halves() {
        let nodes = linear_history(8);
        assert_eq!(upcoming(&nodes, 1, 3, &BTreeMap::new()), [3, 1, 5]);
        assert_eq!(upcoming(&nodes, 1, 100, &BTreeMap::new()).len(), 7);
    }

    #[test]
    fn known_states_end_the_other_branches() {
        let known = BTreeMap::from([(3, CommitState::Good)]);
        assert_eq!(upcoming(&linear_history(8), 1, 100, &known), [5, 4, 6]);
    }

    proptest! {
        #[test]
        fn upcoming_commits_are_the_first_that_a_bisection_tests(
            (len, culprit) in (2_usize..400).prop_flat_map(|len| (Just(len), 0..len)),
            count in 1_usize..40,
        ) {
            let nodes = linear_history(len);
            let first = upcoming(&nodes, 1, count, &BTreeMap::new());
            let mut is_known = Vec::new();
            let result = bisect(&nodes, &[], &mut |commit| {
                is_known.push(first.contains(&commit));
                Ok(state(commit, culprit))
            }).unwrap();
            prop_assert_eq!(result.first_bad, culprit);
            let rounds = (count + 1).ilog2() as usize;
            prop_assert!(is_known.iter().take(rounds).all(|known| *known), "{:?}", is_known);
        }

        #[test]
        fn repeated_rounds_find_the_culprit_without_further_tests(
            (len, culprit) in (2_usize..200).prop_flat_map(|len| (Just(len), 0..len)),
            (count, jobs) in (1_usize..20, 1_usize..5),
        ) {
            let nodes = linear_history(len);
            let mut known = BTreeMap::new();
            loop {
                let round = upcoming(&nodes, jobs, count, &known);
                prop_assert!(round.len() <= count);
                if round.is_empty() {
                    break;
                }
                for commit in round {
                    prop_assert!(known.insert(commit, state(commit, culprit)).is_none());
                }
            }
            let result = bisect(&nodes, &known.into_iter().collect::<Vec<_>>(), &mut |commit| {
                Err(anyhow::anyhow!("{commit} is unknown").into())
            }).unwrap();
            prop_assert_eq!(result.suspects, [culprit]);
        }
    }
}
