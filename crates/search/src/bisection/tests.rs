use super::*;
use proptest::prelude::*;
use std::collections::BTreeSet;

fn linear_history(len: usize) -> Vec<CommitNode> {
    (0..len)
        .map(|commit| CommitNode { parents: commit.checked_sub(1).into_iter().collect() })
        .collect()
}

fn history_graph(parents: &[&[usize]]) -> Vec<CommitNode> {
    parents.iter().map(|parents| CommitNode { parents: parents.to_vec() }).collect()
}

/// A history in which one commit breaks all its descendants.
#[derive(Clone, Debug)]
struct Story {
    nodes: Vec<CommitNode>,
    culprit: usize,
    skipped: BTreeSet<usize>,
}

impl Story {
    fn true_state(&self, commit: usize) -> CommitState {
        if self.skipped.contains(&commit) {
            return CommitState::Skip;
        }
        if descendants_or_self(&self.nodes, self.culprit).contains(&commit) {
            CommitState::Bad
        } else {
            CommitState::Good
        }
    }

    fn bisect(&self, known_commits: &[usize]) -> (BisectResult, Vec<usize>) {
        let known_commits: Vec<_> =
            known_commits.iter().map(|commit| (*commit, self.true_state(*commit))).collect();
        let mut tested = Vec::new();
        let result = bisect(&self.nodes, &known_commits, &mut |commit| {
            tested.push(commit);
            Ok(self.true_state(commit))
        });
        (result.unwrap(), tested)
    }

    /// Finds the culprit with several tests at the same time. Returns the number of rounds too.
    fn bisect_in_parallel(&self, jobs: usize) -> (BisectResult, usize) {
        let mut bisection = Bisection::new(&self.nodes, &[]).unwrap();
        let mut rounds = 0;
        loop {
            let commits = bisection.next_commits(jobs);
            if commits.is_empty() {
                return (bisection.result(), rounds);
            }
            rounds += 1;
            assert!(commits.len() <= jobs);
            for commit in commits {
                bisection.record(commit, self.true_state(commit));
            }
        }
    }
}

fn descendants_or_self(nodes: &[CommitNode], ancestor: usize) -> BTreeSet<usize> {
    let mut reached = BTreeSet::from([ancestor]);
    for (commit, node) in nodes.iter().enumerate() {
        if node.parents.iter().any(|parent| reached.contains(parent)) {
            reached.insert(commit);
        }
    }
    reached
}

fn dags() -> impl Strategy<Value = Vec<CommitNode>> {
    let links = prop::collection::vec(prop::collection::vec(1_usize..6, 1..4), 0..40);
    links.prop_map(|links| {
        let mut nodes = vec![CommitNode::default()];
        for steps_back in links {
            let next = nodes.len();
            let parents: BTreeSet<usize> =
                steps_back.iter().filter_map(|back| next.checked_sub(*back)).collect();
            nodes.push(CommitNode { parents: parents.into_iter().collect() });
        }
        nodes
    })
}

fn histories_on(
    dags: impl Strategy<Value = Vec<CommitNode>>,
    skip_share: f64,
) -> impl Strategy<Value = Story> {
    dags.prop_flat_map(move |nodes| {
        let last = nodes.len() - 1;
        let culprits: Vec<usize> = (0..=last)
            .filter(|commit| descendants_or_self(&nodes, *commit).contains(&last))
            .collect();
        let skips = prop::collection::vec(prop::bool::weighted(skip_share), last);
        (prop::sample::select(culprits), skips).prop_map(move |(culprit, skips)| {
            let skipped = skips.iter().enumerate().filter(|(_, skip)| **skip);
            let skipped = skipped.map(|(commit, _)| commit).collect();
            Story { nodes: nodes.clone(), culprit, skipped }
        })
    })
}

proptest! {
    #[test]
    fn the_culprit_of_any_history_is_found_alone(story in histories_on(dags(), 0.0)) {
        let (located, asked) = story.bisect(&[]);
        prop_assert_eq!(located.first_bad, story.culprit);
        prop_assert_eq!(&located.suspects, &vec![story.culprit]);
        prop_assert_eq!(&located.good_boundary, &story.nodes[story.culprit].parents);
        prop_assert_eq!(located.tested_commits, asked.len());
    }

    #[test]
    fn nothing_is_asked_twice_and_nothing_known_at_all(
        story in histories_on(dags(), 0.3),
        picks in prop::collection::vec(any::<prop::sample::Index>(), 0..5),
    ) {
        let last = story.nodes.len() - 1;
        let mut known: BTreeSet<usize> =
            picks.iter().map(|pick| pick.index(story.nodes.len())).collect();
        let (_, asked) = story.bisect(&known.iter().copied().collect::<Vec<_>>());
        known.insert(last);
        for commit in asked {
            prop_assert!(known.insert(commit), "{} was known", commit);
        }
    }

    #[test]
    fn with_skips_the_culprit_is_a_suspect_and_the_others_are_skipped(
        story in histories_on(dags(), 0.4),
    ) {
        let (located, asked) = story.bisect(&[]);
        prop_assert!(located.suspects.contains(&story.culprit));
        prop_assert!(located.suspects.contains(&located.first_bad));
        for suspect in located.suspects.iter().filter(|suspect| **suspect != located.first_bad) {
            prop_assert!(story.skipped.contains(suspect));
        }
        prop_assert!(asked.len() < story.nodes.len());
    }

    #[test]
    fn known_marks_never_change_the_answer_without_skips(
        story in histories_on(dags(), 0.0),
        picks in prop::collection::vec(any::<prop::sample::Index>(), 0..5),
    ) {
        let known: Vec<usize> = picks.iter().map(|pick| pick.index(story.nodes.len())).collect();
        prop_assert_eq!(story.bisect(&known).0.suspects, vec![story.culprit]);
    }

    #[test]
    fn parallel_tests_find_the_same_culprit(
        story in histories_on(dags(), 0.0),
        jobs in 1_usize..9,
    ) {
        let (located, _) = story.bisect_in_parallel(jobs);
        prop_assert_eq!(&located.suspects, &vec![story.culprit]);
        prop_assert_eq!(&located.good_boundary, &story.nodes[story.culprit].parents);
        prop_assert!(located.tested_commits < story.nodes.len());
    }

    #[test]
    fn parallel_tests_keep_the_culprit_a_suspect(
        story in histories_on(dags(), 0.4),
        jobs in 1_usize..9,
    ) {
        let (located, _) = story.bisect_in_parallel(jobs);
        prop_assert!(located.suspects.contains(&story.culprit));
        for suspect in located.suspects.iter().filter(|suspect| **suspect != located.first_bad) {
            prop_assert!(story.skipped.contains(suspect));
        }
    }

    #[test]
    fn parallel_tests_divide_linear_history_into_equal_parts(
        story in histories_on((1_usize..300).prop_map(linear_history), 0.0),
        jobs in 1_usize..17,
    ) {
        let (_, rounds) = story.bisect_in_parallel(jobs);
        let bound = estimate_parallel_tests(story.nodes.len(), jobs) / jobs;
        prop_assert!(rounds <= bound, "{} rounds, {} expected", rounds, bound);
    }

    #[test]
    fn linear_history_takes_a_logarithm_of_questions(
        story in histories_on((1_usize..300).prop_map(linear_history), 0.0),
    ) {
        let (located, _) = story.bisect(&[]);
        prop_assert!(located.tested_commits <= estimate_remaining_tests(story.nodes.len()) as usize);
    }

    #[test]
    fn on_linear_history_the_suspects_are_what_no_question_can_tell_apart(
        story in histories_on((1_usize..120).prop_map(linear_history), 0.5),
    ) {
        let judged = |commit: &usize| !story.skipped.contains(commit);
        let first_bad = (story.culprit..story.nodes.len()).find(judged).unwrap();
        let after_last_good =
            (0..story.culprit).rev().find(judged).map_or(0, |last_good| last_good + 1);
        let (located, _) = story.bisect(&[]);
        prop_assert_eq!(located.first_bad, first_bad);
        prop_assert_eq!(located.suspects, (after_last_good..=first_bad).collect::<Vec<_>>());
    }
}

#[test]
fn merge_of_good_parents_is_culprit() {
    let story = Story {
        nodes: history_graph(&[&[], &[0], &[0], &[1, 2], &[3]]),
        culprit: 3,
        skipped: BTreeSet::new(),
    };
    let (located, _) = story.bisect(&[]);
    assert_eq!(located.suspects, [3]);
    assert_eq!(located.good_boundary, [1, 2]);
}

#[test]
fn halving_commit_is_tested_first() {
    let nodes = history_graph(&[&[], &[0], &[1], &[0], &[3], &[4, 2], &[5]]);
    let bisection = Bisection::new(&nodes, &[]).unwrap();
    assert_eq!(bisection.candidate_count(), 7);
    assert_eq!(bisection.next_commit(), Some(2));
}

#[test]
fn bad_mark_with_fewest_candidates_is_used() {
    let nodes = linear_history(10);
    let known_states = [(8, CommitState::Bad), (5, CommitState::Bad), (2, CommitState::Good)];
    let bisection = Bisection::new(&nodes, &known_states).unwrap();
    assert_eq!(bisection.candidate_count(), 3);
}

/// Returns the maximum number of tests over all culprits that `skipped` does not hide.
fn worst_case_tests(len: usize, skipped: impl Fn(usize) -> bool) -> usize {
    let skipped: BTreeSet<usize> = (0..len - 1).filter(|commit| skipped(*commit)).collect();
    let is_judged = |commit: &usize| !skipped.contains(commit);
    let visible_culprits = (0..len).filter(|culprit| {
        is_judged(culprit) && culprit.checked_sub(1).as_ref().is_none_or(is_judged)
    });
    let asked = visible_culprits.map(|culprit| {
        let story = Story { nodes: linear_history(len), culprit, skipped: skipped.clone() };
        story.bisect(&[]).0.tested_commits
    });
    asked.max().unwrap()
}

#[test]
fn long_skipped_run_costs_few_tests() {
    for run in [240..260, 100..900, 0..500, 2..998, 400..999] {
        let worst = worst_case_tests(1000, |commit| run.contains(&commit));
        assert!(worst <= 40, "{worst} questions for {run:?}");
    }
}

#[test]
fn scattered_skips_cost_few_tests() {
    for every in [2, 3, 10] {
        let worst = worst_case_tests(1000, |commit| commit * 7919 % 1009 % every == 0);
        assert!(worst <= 40, "{worst} questions for one in {every}");
    }
    let two_runs = |commit| (100..400).contains(&commit) || (450..800).contains(&commit);
    assert!(worst_case_tests(1000, two_runs) <= 40);
}

#[test]
fn skips_hiding_culprit_are_suspects() {
    let story = Story { nodes: linear_history(8), culprit: 4, skipped: BTreeSet::from([3, 4, 5]) };
    let (located, _) = story.bisect(&[]);
    assert_eq!(located.first_bad, 6);
    assert_eq!(located.suspects, [3, 4, 5, 6]);
    assert_eq!(located.good_boundary, [2]);
}

#[test]
fn single_commit_needs_no_test() {
    let located = bisect(&linear_history(1), &[], &mut |_| unreachable!()).unwrap();
    assert_eq!(
        located,
        BisectResult { first_bad: 0, suspects: vec![0], good_boundary: vec![], tested_commits: 0 }
    );
}

#[test]
fn test_error_ends_bisection() {
    let result = bisect(&linear_history(4), &[], &mut |_| Err(Problem::Interrupted));
    assert!(matches!(result, Err(Problem::Interrupted)));
}

#[test]
fn contradictory_or_malformed_input_is_rejected() {
    let start = |nodes: &[CommitNode], known| Bisection::new(nodes, known).map(|_| ());
    assert!(matches!(
        start(&linear_history(3), &[(2, CommitState::Good)]),
        Err(Problem::Usage { .. })
    ));
    assert!(matches!(
        start(&linear_history(3), &[(3, CommitState::Good)]),
        Err(Problem::Internal(_))
    ));
    assert!(matches!(start(&[], &[]), Err(Problem::Internal(_))));
    assert!(matches!(start(&history_graph(&[&[1], &[]]), &[]), Err(Problem::Internal(_))));
}

#[test]
fn remaining_tests_are_rounded_up_logarithm() {
    let steps: Vec<u32> = [0, 1, 2, 3, 4, 5, 1024, 1025].map(estimate_remaining_tests).to_vec();
    assert_eq!(steps, [0, 0, 1, 2, 2, 3, 10, 11]);
    let tests = [0, 1, 2, 9, 10].map(|candidates| estimate_parallel_tests(candidates, 2));
    assert_eq!(tests, [0, 0, 2, 4, 6]);
    assert_eq!(estimate_parallel_tests(1025, 1), 11);
}
