mod endings;
mod estimate;
mod parallel;

use super::*;
use crate::constraints::tests::{constraints, subset};
use crate::{Constraints, LearnedImplication};
use mend_model::{Interrupt, Phase, Problem};
use proptest::prelude::*;
use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Oracle with a rule. It asserts that all tested sets are closed and new.
struct RuleOracle<'a> {
    units: &'a Units,
    rule: &'a dyn Fn(&Subset) -> OracleAnswer,
    parallelism: usize,
    rounds: Cell<usize>,
    tested: RefCell<HashSet<Subset>>,
    tested_sets: RefCell<Vec<Subset>>,
}

impl<'a> RuleOracle<'a> {
    fn new(
        units: &'a Units,
        parallelism: usize,
        rule: &'a dyn Fn(&Subset) -> OracleAnswer,
    ) -> Self {
        let asked = RefCell::new([subset(units.len(), &[]), full_set(units.len())].into());
        Self {
            units,
            rule,
            parallelism,
            rounds: Cell::new(0),
            tested: asked,
            tested_sets: RefCell::default(),
        }
    }

    fn minimise(&self, goal: MinimisationGoal) -> MinimisedSet {
        self.minimise_within(goal, SearchLimits::default())
    }

    fn minimise_within(&self, goal: MinimisationGoal, limits: SearchLimits) -> MinimisedSet {
        Minimiser::new(self.units.clone(), limits).minimise(goal, self, &mut |_| ()).unwrap()
    }

    fn test_count(&self) -> usize {
        self.tested_sets.borrow().len()
    }
}

impl Oracle for RuleOracle<'_> {
    fn judge(&self, sets: &[Subset]) -> Result<Vec<OracleAnswer>> {
        assert!(sets.len() <= self.parallelism);
        self.rounds.set(self.rounds.get() + 1);
        for set in sets {
            assert!(self.tested.borrow_mut().insert(set.clone()), "asked twice or given");
            assert!(self.units.constraints().is_closed(set), "not closed");
            self.tested_sets.borrow_mut().push(set.clone());
        }
        Ok(sets.iter().map(self.rule).collect())
    }

    fn parallelism(&self) -> usize {
        self.parallelism
    }
}

/// Pseudo-random verdicts of a seed.
#[derive(Clone, Copy, Debug)]
struct Chance {
    seed: u64,
    fail: u64,
    unresolved: u64,
}

impl Chance {
    fn judge(self, enabled: &Subset) -> OracleAnswer {
        let mut hasher = DefaultHasher::new();
        (self.seed, enabled).hash(&mut hasher);
        let verdict = match hasher.finish() % 100 {
            roll if roll < self.fail => Verdict::Fail,
            roll if roll < self.fail + self.unresolved => Verdict::Unresolved(Phase::NotCompiled),
            roll if roll % 7 == 0 => Verdict::Flaky,
            _ => Verdict::Pass,
        };
        verdict.into()
    }
}

fn chances() -> impl Strategy<Value = Chance> {
    (any::<u64>(), 0_u64..60, 0_u64..40).prop_map(|(seed, fail, unresolved)| Chance {
        seed,
        fail,
        unresolved,
    })
}

fn goals() -> impl Strategy<Value = MinimisationGoal> {
    prop_oneof![Just(MinimisationGoal::Culprit), Just(MinimisationGoal::Fix)]
}

/// Generates units in two coarse stages and a stage of single units, under any constraints.
fn units(max: usize) -> impl Strategy<Value = Units> {
    constraints(max).prop_flat_map(|constraints| {
        let len = constraints.len();
        let weights = prop::collection::vec(0_u64..9, len);
        let members = prop::collection::vec(0..len, len);
        (weights, members).prop_map(move |(weights, members)| {
            let files = members.iter().map(|member| member / 3).collect();
            let stages = vec![files, members, (0..len).collect()];
            Units::new(weights, stages, constraints.clone()).unwrap()
        })
    })
}

/// Generates units of one weight in one stage, and some of them as culprit.
fn plain_units(max: usize) -> impl Strategy<Value = (Units, Vec<usize>)> {
    (1..max).prop_flat_map(|len| {
        let needs = prop::collection::vec((0..len, 0..len), 0..len);
        let culprit = prop::collection::vec(0..len, 1..5);
        (needs, culprit).prop_map(move |(needs, culprit)| {
            let constraints = Constraints::new(len, &needs, &[]).unwrap();
            (Units::new(vec![1; len], vec![], constraints).unwrap(), culprit)
        })
    })
}

/// Returns true if `unit`, with its dependents, can be removed from the result.
fn can_be_removed(
    judge: &RuleOracle<'_>,
    goal: MinimisationGoal,
    result: &Subset,
    unit: usize,
) -> bool {
    let mut remaining = result.clone();
    remaining.remove(unit);
    let remaining = goal.orient_units(judge.units).constraints().largest_closed_subset(&remaining);
    !remaining.is_clear()
        && (judge.rule)(&goal.enabled_units(&remaining)).verdict == goal.interesting_verdict()
}

/// Creates units in members of eight and files of forty; two of three units need an earlier one.
fn tree(len: usize) -> Units {
    let needs: Vec<_> =
        (1..len).filter(|unit| unit % 3 != 0).map(|unit| (unit, unit / 2)).collect();
    let stages =
        vec![(0..len).map(|unit| unit / 40).collect(), (0..len).map(|unit| unit / 8).collect()];
    Units::new(vec![3; len], stages, Constraints::new(len, &needs, &[]).unwrap()).unwrap()
}

fn fails_with(culprit: &Subset) -> impl Fn(&Subset) -> OracleAnswer {
    |on| if culprit.is_subset(on) { Verdict::Fail.into() } else { Verdict::Pass.into() }
}

/// Returns the base-2 logarithm, rounded up.
fn log2(number: usize) -> usize {
    number.next_power_of_two().ilog2() as usize
}

proptest! {
    #[test]
    fn the_result_of_a_search_for_a_culprit_fails_and_of_one_for_a_fix_passes(
        units in units(24),
        chance in chances(),
        goal in goals(),
    ) {
        let rule = |on: &Subset| chance.judge(on);
        let found = RuleOracle::new(&units, 1, &rule).minimise(goal);
        let is_all = found.subset == full_set(units.len());
        prop_assert!(
            is_all || rule(&goal.enabled_units(&found.subset)).verdict == goal.interesting_verdict()
        );
    }

    #[test]
    fn no_unit_of_the_result_can_be_removed(
        units in units(24),
        chance in chances(),
        goal in goals(),
    ) {
        let rule = |on: &Subset| chance.judge(on);
        let judge = RuleOracle::new(&units, 1, &rule);
        let found = judge.minimise(goal);
        prop_assert!(found.is_minimal && !found.is_interrupted);
        for unit in found.subset.ones() {
            prop_assert!(!can_be_removed(&judge, goal, &found.subset, unit), "{unit}");
        }
    }

    #[test]
    fn the_result_is_closed(units in units(24), chance in chances(), goal in goals()) {
        let found = RuleOracle::new(&units, 1, &|on| chance.judge(on)).minimise(goal);
        prop_assert!(units.constraints().is_closed(&goal.enabled_units(&found.subset)));
    }

    #[test]
    fn a_cached_verdict_is_never_asked_again(
        units in units(24),
        chance in chances(),
        goals in prop::collection::vec(goals(), 1..4),
        parallelism in 1_usize..4,
    ) {
        let rule = |on: &Subset| chance.judge(on);
        // The oracle rejects sets that were tested before, in any search.
        let judge = RuleOracle::new(&units, parallelism, &rule);
        let mut minimiser = Minimiser::new(units.clone(), SearchLimits::default());
        for goal in goals {
            minimiser.minimise(goal, &judge, &mut |_| ()).unwrap();
            while minimiser.find_next_culprit(&judge, &mut |_| ()).unwrap().is_some() {}
        }
    }

    #[test]
    fn the_result_is_the_same_for_any_parallelism(
        units in units(24),
        chance in chances(),
        goal in goals(),
    ) {
        let rule = |on: &Subset| chance.judge(on);
        let alone = RuleOracle::new(&units, 1, &rule);
        let found = alone.minimise(goal);
        for parallelism in [2, 4, 9] {
            let together = RuleOracle::new(&units, parallelism, &rule);
            let same = together.minimise(goal);
            prop_assert_eq!(&same.subset, &found.subset);
            prop_assert!(same.tests >= found.tests);
            prop_assert!(together.rounds.get() <= alone.rounds.get());
        }
    }

    #[test]
    fn the_same_seed_gives_the_same_run(units in units(24), chance in chances(), goal in goals()) {
        let rule = |on: &Subset| chance.judge(on);
        let [one, other] = [(); 2].map(|()| {
            let judge = RuleOracle::new(&units, 1, &rule);
            judge.minimise(goal);
            judge.tested_sets.into_inner()
        });
        prop_assert_eq!(one, other);
    }

    #[test]
    fn a_monotone_oracle_needs_a_logarithm_for_each_unit(
        (units, culprit) in plain_units(200),
        is_fix: bool,
    ) {
        let goal = if is_fix { MinimisationGoal::Fix } else { MinimisationGoal::Culprit };
        let len = units.len();
        let seen = goal.orient_units(&units);
        let needed = subset(len, &culprit);
        let sought = seen.constraints().closure(&needed);
        let rule = |on: &Subset| {
            let is_found = sought.is_subset(&goal.enabled_units(on));
            if is_found == is_fix { Verdict::Pass.into() } else { Verdict::Fail.into() }
        };
        let judge = RuleOracle::new(&units, 1, &rule);
        let found = judge.minimise(goal);
        prop_assert_eq!(&found.subset, &sought);
        let most = needed.count_ones(..) * (log2(len) + 1) + 2 + sought.count_ones(..);
        prop_assert!(judge.test_count() <= most, "{} of {most}", judge.test_count());
    }

    #[test]
    fn unresolved_sets_hide_no_culprit_of_a_monotone_oracle(
        (units, culprit) in plain_units(40),
        hides: u64,
    ) {
        let culprit = units.constraints().closure(&subset(units.len(), &culprit));
        let hidden = Chance { seed: hides, fail: 0, unresolved: 30 };
        let rule = |on: &Subset| match fails_with(&culprit)(on).verdict {
            Verdict::Pass => hidden.judge(on),
            other => other.into(),
        };
        prop_assert_eq!(RuleOracle::new(&units, 1, &rule).minimise(MinimisationGoal::Culprit).subset, culprit);
    }

    #[test]
    fn a_budget_is_kept_and_what_was_found_by_then_is_told(
        units in units(24),
        chance in chances(),
        max_tests in 0_usize..20,
    ) {
        let rule = |on: &Subset| chance.judge(on);
        let judge = RuleOracle::new(&units, 3, &rule);
        let limits = SearchLimits { max_tests: Some(max_tests), ..SearchLimits::default() };
        let found = judge.minimise_within(MinimisationGoal::Culprit, limits);
        prop_assert!(found.tests <= max_tests);
        prop_assert_eq!(found.tests, judge.test_count());
        let is_all = found.subset == full_set(units.len());
        prop_assert!(is_all || rule(&found.subset).verdict == Verdict::Fail);
        let unlimited = RuleOracle::new(&units, 3, &rule).minimise(MinimisationGoal::Culprit);
        prop_assert!(found.is_minimal || unlimited.tests > max_tests);
        prop_assert!(!found.is_minimal || found.subset == unlimited.subset);
    }

    #[test]
    fn a_fix_is_found_inside_the_culprit((units, culprit) in plain_units(200)) {
        let culprit = units.constraints().closure(&subset(units.len(), &culprit));
        let rule = fails_with(&culprit);
        let judge = RuleOracle::new(&units, 1, &rule);
        let mut minimiser = Minimiser::new(units.clone(), SearchLimits::default());
        let found = minimiser.minimise(MinimisationGoal::Culprit, &judge, &mut |_| ()).unwrap();
        prop_assert_eq!(&found.subset, &culprit);
        let fix = minimiser.minimise(MinimisationGoal::Fix, &judge, &mut |_| ()).unwrap();
        prop_assert!(!fix.subset.is_disjoint(&culprit));
        let guess = MinimisationGoal::Fix.orient_units(&units).constraints().closure(&culprit);
        prop_assert!(fix.tests <= log2(guess.count_ones(..)) + 3 + fix.subset.count_ones(..));
        prop_assert!(fix.is_monotone);
    }

    #[test]
    fn every_further_culprit_is_found(
        len in 2_usize..60,
        picks in prop::collection::hash_set(0_usize..60, 1..6),
    ) {
        let units = Units::new(vec![1; len], vec![], Constraints::new(len, &[], &[]).unwrap()).unwrap();
        let culprits: HashSet<usize> = picks.iter().map(|pick| pick % len).collect();
        let rule = |on: &Subset| {
            let is_in = culprits.iter().any(|culprit| on[*culprit]);
            if is_in { Verdict::Fail.into() } else { Verdict::Pass.into() }
        };
        let judge = RuleOracle::new(&units, 1, &rule);
        let mut minimiser = Minimiser::new(units.clone(), SearchLimits::default());
        let mut next = Some(minimiser.minimise(MinimisationGoal::Culprit, &judge, &mut |_| ()).unwrap());
        let mut found = HashSet::new();
        while let Some(minimal) = next {
            prop_assert_eq!(minimal.subset.count_ones(..), 1);
            found.extend(minimal.subset.ones());
            next = minimiser.find_next_culprit(&judge, &mut |_| ()).unwrap();
        }
        prop_assert_eq!(found, culprits);
    }

    #[test]
    fn what_a_compiler_teaches_is_not_tried_again(
        (known, culprit) in plain_units(40),
        hidden in prop::collection::vec((0_usize..40, 0_usize..40), 0..40),
        goal in goals(),
    ) {
        let len = known.len();
        let implications: Vec<LearnedImplication> = hidden
            .iter()
            .map(|(unit, needed)| LearnedImplication { premises: vec![unit % len], alternatives: vec![needed % len] })
            .collect();
        let culprit = subset(len, &culprit);
        let taught = RefCell::new(HashSet::new());
        let rule = |on: &Subset| {
            let broken = implications.iter().find(|implication| !implication.is_satisfied_by(on));
            if let Some(implication) = broken {
                assert!(taught.borrow_mut().insert(implication.clone()), "taught twice");
                let verdict = Verdict::Unresolved(Phase::NotCompiled);
                return OracleAnswer { verdict, learned_implications: vec![implication.clone()] };
            }
            fails_with(&culprit)(on)
        };
        let judge = RuleOracle::new(&known, 1, &rule);
        let mut minimiser = Minimiser::new(known.clone(), SearchLimits::default());
        let found = minimiser.minimise(goal, &judge, &mut |_| ()).unwrap();
        prop_assert_eq!(found.unresolved_tests, taught.borrow().len());
        let closed = |set: &Subset| minimiser.units().constraints().is_closed(set);
        prop_assert!(closed(&goal.enabled_units(&found.subset)));
        if goal == MinimisationGoal::Culprit {
            let all = hidden.iter().map(|(unit, needed)| (unit % len, needed % len));
            let real = Constraints::new(len, &all.collect::<Vec<_>>(), &[]).unwrap();
            let both = |set: &Subset| known.constraints().closure(&real.closure(set));
            let mut sought = both(&culprit);
            while both(&sought) != sought {
                sought = both(&sought);
            }
            prop_assert_eq!(found.subset, sought);
        }
    }
}

#[test]
fn contradicted_implication_is_ignored() {
    let units = Units::new(vec![1; 4], vec![], Constraints::new(4, &[], &[]).unwrap()).unwrap();
    let rule = |on: &Subset| {
        if on.count_ones(..) == 1 {
            let learned_implications = vec![
                LearnedImplication { premises: vec![0], alternatives: vec![3] },
                LearnedImplication { premises: vec![], alternatives: vec![] },
            ];
            return OracleAnswer {
                verdict: Verdict::Unresolved(Phase::NotCompiled),
                learned_implications,
            };
        }
        fails_with(&subset(4, &[0, 1]))(on)
    };
    let result = RuleOracle::new(&units, 1, &rule).minimise(MinimisationGoal::Culprit);
    assert_eq!(result.subset, subset(4, &[0, 1]));
}

#[test]
fn right_suspect_saves_tests_and_wrong_one_costs_one() {
    let units = tree(1000);
    let culprit = units.constraints().closure(&subset(1000, &[444]));
    let rule = fails_with(&culprit);
    let tests = |suspects: &[usize]| {
        let judge = RuleOracle::new(&units, 1, &rule);
        let suspects = vec![subset(1000, suspects)];
        let mut minimiser =
            Minimiser::new(units.clone(), SearchLimits::default()).with_suspected_sets(suspects);
        let result = minimiser.minimise(MinimisationGoal::Culprit, &judge, &mut |_| ()).unwrap();
        assert_eq!(result.subset, culprit);
        result.tests
    };
    let without = tests(&[]);
    assert!(tests(&[444, 447, 450]) + 5 < without);
    assert_eq!(tests(&[1, 2, 3]), without + 1);
}

#[test]
fn single_culprit_takes_few_tests() {
    let units = tree(1000);
    let worst = (0..1000).step_by(37).map(|unit| {
        let culprit = units.constraints().closure(&subset(1000, &[unit]));
        let rule = fails_with(&culprit);
        let judge = RuleOracle::new(&units, 1, &rule);
        assert_eq!(judge.minimise(MinimisationGoal::Culprit).subset, culprit);
        judge.test_count()
    });
    assert!(worst.max().unwrap() <= 22);
}

#[test]
fn unresolved_set_implies_nothing_for_subsets() {
    let units = Units::new(vec![1; 8], vec![], Constraints::new(8, &[], &[]).unwrap()).unwrap();
    let culprit = subset(8, &[0, 1]);
    let rule = |on: &Subset| {
        let unresolved = Verdict::Unresolved(Phase::NotCompiled);
        if *on == culprit { Verdict::Fail.into() } else { unresolved.into() }
    };
    let result = RuleOracle::new(&units, 1, &rule).minimise(MinimisationGoal::Culprit);
    assert_eq!(result.subset, culprit);
    assert_eq!(result.unresolved_tests, result.tests - 1);
}

/// A thousand units in a hundred files. Only sets within a few neighbouring files can be tested.
#[test]
fn self_contained_subset_is_found_among_unresolved() {
    let len = 1000;
    let files = (0..len).map(|unit| unit / 10).collect();
    let constraints = Constraints::new(len, &[], &[]).unwrap();
    let units = Units::new(vec![1; len], vec![files], constraints).unwrap();
    let culprit = subset(len, &[777]);
    let rule = |on: &Subset| {
        let is_whole = match (on.minimum(), on.maximum()) {
            (Some(first), Some(last)) => last - first < 100,
            _ => true,
        };
        if is_whole {
            fails_with(&culprit)(on)
        } else {
            Verdict::Unresolved(Phase::NotCompiled).into()
        }
    };
    let judge = RuleOracle::new(&units, 1, &rule);
    assert_eq!(judge.minimise(MinimisationGoal::Culprit).subset, culprit);
    assert!(judge.test_count() < 80, "{} tests", judge.test_count());
}

#[test]
fn mutually_dependent_units_are_removed_together() {
    let units = Units::new(vec![1; 3], vec![], Constraints::new(3, &[], &[]).unwrap()).unwrap();
    let rule = |on: &Subset| match (on[0] == on[2], on[1]) {
        (false, _) => Verdict::Unresolved(Phase::NotCompiled).into(),
        (true, fails) => OracleAnswer::from(if fails { Verdict::Fail } else { Verdict::Pass }),
    };
    let result = RuleOracle::new(&units, 1, &rule).minimise(MinimisationGoal::Culprit);
    assert_eq!(result.subset, subset(3, &[1]));
}

#[test]
fn joint_causes_and_non_monotony_are_reported() {
    let units = tree(60);
    let culprit = units.constraints().closure(&subset(60, &[31, 58]));
    let rule = fails_with(&culprit);
    let result = RuleOracle::new(&units, 1, &rule).minimise(MinimisationGoal::Culprit);
    assert_eq!((&result.root_units, result.is_monotone), (&vec![31, 58], true));
    assert_eq!(result.decisive_units, result.root_units);
    let odd = |on: &Subset| match on.count_ones(..) {
        30 => Verdict::Pass.into(),
        _ => OracleAnswer::from(if on[0] { Verdict::Fail } else { Verdict::Pass }),
    };
    let plain = Units::new(vec![1; 60], vec![], Constraints::new(60, &[], &[]).unwrap()).unwrap();
    let result = RuleOracle::new(&plain, 1, &odd).minimise(MinimisationGoal::Culprit);
    assert!(!result.is_monotone);
    assert_eq!(result.subset.count_ones(..), 1);
}

#[test]
fn observer_receives_every_reduction() {
    let units = tree(50);
    let culprit = units.constraints().closure(&subset(50, &[33]));
    let rule = fails_with(&culprit);
    let judge = RuleOracle::new(&units, 1, &rule);
    let mut steps = Vec::new();
    let mut minimiser = Minimiser::new(units.clone(), SearchLimits::default());
    minimiser.minimise(MinimisationGoal::Culprit, &judge, &mut |step| steps.push(step)).unwrap();
    assert_eq!(steps.last().unwrap().tests, judge.test_count());
    assert!(steps.is_sorted_by_key(|step| std::cmp::Reverse(step.suspected_weight)));
    let last = steps.last().unwrap();
    assert_eq!(last.suspected_units, culprit.count_ones(..));
    assert_eq!(last.suspected_weight, units.weight(&culprit));
}

#[test]
fn zero_or_one_unit_needs_no_test() {
    for len in [0, 1] {
        let units = tree(len);
        let result =
            RuleOracle::new(&units, 1, &|_| unreachable!()).minimise(MinimisationGoal::Culprit);
        assert_eq!((result.subset, result.tests, result.is_minimal), (full_set(len), 0, true));
    }
}
