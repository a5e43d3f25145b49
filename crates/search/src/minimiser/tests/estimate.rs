//! Estimated number of remaining tests, as the search reports it.

use super::*;

/// Returns the estimated remaining tests and the tested sets after each answer.
fn estimates(judge: &RuleOracle<'_>, goal: MinimisationGoal) -> Vec<[usize; 2]> {
    let mut reported = Vec::new();
    let mut minimiser = Minimiser::new(judge.units.clone(), SearchLimits::default());
    minimiser
        .minimise(goal, judge, &mut |step| reported.push([step.remaining_tests, step.tests]))
        .unwrap();
    reported
}

proptest! {
    #[test]
    fn after_the_last_answer_nothing_is_left(
        units in units(24),
        chance in chances(),
        goal in goals(),
    ) {
        let rule = |on: &Subset| chance.judge(on);
        let told = estimates(&RuleOracle::new(&units, 1, &rule), goal);
        prop_assert_eq!(told.last().map_or(0, |[left, _]| *left), 0);
        prop_assert!(told.iter().rev().skip(1).all(|[left, _]| *left > 0), "{:?}", told);
    }

    #[test]
    fn more_is_left_than_before_only_where_more_turns_out_to_be_needed(
        (units, culprit) in plain_units(200),
    ) {
        let parts = subset(units.len(), &culprit);
        let sought = units.constraints().closure(&parts);
        let rule = fails_with(&sought);
        let told = estimates(&RuleOracle::new(&units, 1, &rule), MinimisationGoal::Culprit);
        let rises = told.windows(2).filter(|pair| pair[1][0] > pair[0][0]).count();
        // For each part, the estimate rises once for its dependencies, and once because it is not sufficient.
        prop_assert!(rises <= 2 * parts.count_ones(..), "{:?}", told);
    }

    #[test]
    fn for_one_part_what_is_left_is_known_from_the_beginning(
        len in 2_usize..2000,
        culprit: prop::sample::Index,
    ) {
        let none = Constraints::new(len, &[], &[]).unwrap();
        let units = Units::new(vec![1; len], vec![], none).unwrap();
        let sought = subset(len, &[culprit.index(len)]);
        let rule = fails_with(&sought);
        let judge = RuleOracle::new(&units, 1, &rule);
        for [left, asked] in estimates(&judge, MinimisationGoal::Culprit) {
            let real = judge.test_count() - asked;
            prop_assert!(left.abs_diff(real) <= 2, "{left} for {real} of {}", judge.test_count());
        }
    }
}
