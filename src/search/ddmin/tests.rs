use super::*;
use crate::model::{Interrupt, Phase, Problem};
use crate::search::constraints::tests::{constraints, subset};
use crate::search::{Constraints, Goal};
use proptest::prelude::*;
use std::cell::RefCell;
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Judges by a rule, and sees to it that no more is asked than may be.
struct Judge<'a> {
    units: &'a Units,
    rule: &'a dyn Fn(&Subset) -> Verdict,
    parallelism: usize,
    asked: RefCell<HashSet<Subset>>,
}

impl<'a> Judge<'a> {
    fn new(units: &'a Units, parallelism: usize, rule: &'a dyn Fn(&Subset) -> Verdict) -> Self {
        let asked = [subset(units.len(), &[]), full(units.len())];
        Self { units, rule, parallelism, asked: RefCell::new(asked.into()) }
    }

    fn minimise(&self) -> Minimal {
        self.minimise_within(&Limits::default())
    }

    fn minimise_within(&self, limits: &Limits) -> Minimal {
        minimise(self.units, Verdict::Fail, self, limits, &mut |_| ()).unwrap()
    }

    fn tests(&self) -> usize {
        self.asked.borrow().len() - 2
    }
}

impl Oracle for Judge<'_> {
    fn judge(&self, subsets: &[Subset]) -> Result<Vec<Verdict>> {
        assert!(subsets.len() <= self.parallelism);
        for subset in subsets {
            assert!(self.asked.borrow_mut().insert(subset.clone()), "asked twice or given");
            assert!(self.units.constraints().is_closed(subset), "not closed");
        }
        Ok(subsets.iter().map(self.rule).collect())
    }

    fn parallelism(&self) -> usize {
        self.parallelism
    }
}

/// What no test could tell before it runs: one verdict or another, by the seed.
#[derive(Clone, Copy, Debug)]
struct Chance {
    seed: u64,
    fail: u64,
    unresolved: u64,
}

impl Chance {
    fn judge(self, subset: &Subset) -> Verdict {
        let mut hasher = DefaultHasher::new();
        (self.seed, subset).hash(&mut hasher);
        match hasher.finish() % 100 {
            roll if roll < self.fail => Verdict::Fail,
            roll if roll < self.fail + self.unresolved => Verdict::Unresolved(Phase::NotCompiled),
            roll if roll % 7 == 0 => Verdict::Flaky,
            _ => Verdict::Pass,
        }
    }
}

fn chances() -> impl Strategy<Value = Chance> {
    (any::<u64>(), 0_u64..60, 0_u64..40).prop_map(|(seed, fail, unresolved)| Chance {
        seed,
        fail,
        unresolved,
    })
}

/// Units in two coarse stages and one where each stands alone, under any constraints.
fn units(max: usize) -> impl Strategy<Value = Units> {
    (constraints(max), any::<bool>()).prop_flat_map(|(constraints, is_fix)| {
        let len = constraints.len();
        let goal = if is_fix { Goal::Fix } else { Goal::Culprit };
        let weights = prop::collection::vec(0_u64..9, len);
        let members = prop::collection::vec(0..len, len);
        (weights, members).prop_map(move |(weights, members)| {
            let files = members.iter().map(|member| member / 3).collect();
            let stages = vec![files, members, (0..len).collect()];
            goal.units(&Units::new(weights, stages, constraints.clone()).unwrap())
        })
    })
}

/// Whether `unit` can be left out of `found` with what needs it.
fn can_be_left_out(units: &Units, judge: &Judge<'_>, found: &Subset, unit: usize) -> bool {
    let mut rest = found.clone();
    rest.remove(unit);
    let rest = units.constraints().interior(&rest);
    !rest.is_clear() && (judge.rule)(&rest) == Verdict::Fail
}

/// Units in members of eight and files of forty, two in three of which need one before them.
fn chain(len: usize) -> Units {
    let needs: Vec<_> =
        (1..len).filter(|unit| unit % 3 != 0).map(|unit| (unit, unit / 2)).collect();
    let stages =
        vec![(0..len).map(|unit| unit / 40).collect(), (0..len).map(|unit| unit / 8).collect()];
    Units::new(vec![3; len], stages, Constraints::new(len, &needs, &[]).unwrap()).unwrap()
}

fn fails_with(culprit: &Subset) -> impl Fn(&Subset) -> Verdict {
    |subset| if culprit.is_subset(subset) { Verdict::Fail } else { Verdict::Pass }
}

proptest! {
    #[test]
    fn the_result_is_interesting_closed_and_minimal(units in units(24), chance in chances()) {
        let rule = |subset: &Subset| chance.judge(subset);
        let judge = Judge::new(&units, 1, &rule);
        let found = judge.minimise();
        let all = full(units.len());
        prop_assert!(found.minimal && !found.interrupted);
        prop_assert!(units.constraints().is_closed(&found.subset));
        prop_assert!(found.subset == all || rule(&found.subset) == Verdict::Fail);
        for unit in found.subset.ones() {
            prop_assert!(!can_be_left_out(&units, &judge, &found.subset, unit), "{unit}");
        }
    }

    #[test]
    fn the_result_is_the_same_for_any_parallelism(units in units(24), chance in chances()) {
        let rule = |subset: &Subset| chance.judge(subset);
        let alone = Judge::new(&units, 1, &rule).minimise();
        for parallelism in [2, 4] {
            let together = Judge::new(&units, parallelism, &rule).minimise();
            prop_assert_eq!(&together.subset, &alone.subset);
            prop_assert!(together.tests >= alone.tests);
        }
    }

    #[test]
    fn of_a_monotone_oracle_the_culprits_closure_is_found(
        len in 1_usize..40,
        needs in prop::collection::vec((0_usize..40, 0_usize..40), 0..50),
        culprit in prop::collection::vec(0_usize..40, 1..4),
        hides in any::<u64>(),
    ) {
        let needs: Vec<_> = needs.iter().map(|(one, other)| (one % len, other % len)).collect();
        let constraints = Constraints::new(len, &needs, &[]).unwrap();
        let culprit: Vec<_> = culprit.iter().map(|unit| unit % len).collect();
        let culprit = constraints.closure(&subset(len, &culprit));
        let units = Units::new(vec![1; len], vec![], constraints).unwrap();
        let hidden = Chance { seed: hides, fail: 0, unresolved: 30 };
        let rule = |subset: &Subset| match fails_with(&culprit)(subset) {
            Verdict::Pass => hidden.judge(subset),
            other => other,
        };
        prop_assert_eq!(Judge::new(&units, 1, &rule).minimise().subset, culprit);
    }

    #[test]
    fn a_budget_is_kept_and_what_was_found_by_then_is_told(
        units in units(24),
        chance in chances(),
        max_tests in 0_usize..20,
    ) {
        let rule = |subset: &Subset| chance.judge(subset);
        let judge = Judge::new(&units, 3, &rule);
        let limits = Limits { max_tests: Some(max_tests), ..Limits::default() };
        let found = judge.minimise_within(&limits);
        prop_assert!(found.tests <= max_tests);
        prop_assert_eq!(found.tests, judge.tests());
        prop_assert!(found.subset == full(units.len()) || rule(&found.subset) == Verdict::Fail);
        let unlimited = Judge::new(&units, 3, &rule).minimise();
        prop_assert!(found.minimal || unlimited.tests > max_tests);
        prop_assert!(!found.minimal || found.subset == unlimited.subset);
    }

    #[test]
    fn what_a_fix_switches_off_is_minimal_too(pick: prop::sample::Index) {
        let units = chain(60);
        let broken = pick.index(60);
        let off = Goal::Fix.units(&units);
        let rule = |subset: &Subset| {
            let on = Goal::Fix.switched_on(subset);
            assert!(units.constraints().is_closed(&on));
            if on[broken] { Verdict::Pass } else { Verdict::Fail }
        };
        let found = Judge::new(&off, 1, &rule).minimise();
        prop_assert_eq!(found.subset, off.constraints().closure(&subset(60, &[broken])));
    }
}

#[test]
fn one_culprit_among_many_takes_few_tests() {
    let units = chain(1000);
    let worst = (0..1000).step_by(37).map(|unit| {
        let culprit = units.constraints().closure(&subset(1000, &[unit]));
        let rule = fails_with(&culprit);
        let judge = Judge::new(&units, 1, &rule);
        assert_eq!(judge.minimise().subset, culprit);
        judge.tests()
    });
    assert!(worst.max().unwrap() <= 60);
}

#[test]
fn an_unresolved_set_says_nothing_of_its_subsets() {
    let units = Units::new(vec![1; 8], vec![], Constraints::new(8, &[], &[]).unwrap()).unwrap();
    let culprit = subset(8, &[0, 1]);
    let rule = |subset: &Subset| {
        let unresolved = Verdict::Unresolved(Phase::NotCompiled);
        if *subset == culprit { Verdict::Fail } else { unresolved }
    };
    let found = Judge::new(&units, 1, &rule).minimise();
    assert_eq!(found.subset, culprit);
    assert_eq!(found.unresolved, found.tests - 1);
}

#[test]
fn a_wish_to_stop_yields_the_smallest_set_so_far() {
    let units = chain(100);
    let culprit = units.constraints().closure(&subset(100, &[70]));
    let interrupt = Interrupt::default();
    let rule = |subset: &Subset| {
        let verdict = fails_with(&culprit)(subset);
        if verdict == Verdict::Fail {
            interrupt.request();
        }
        verdict
    };
    let limits = Limits { interrupt: interrupt.clone(), max_tests: None };
    let found = Judge::new(&units, 1, &rule).minimise_within(&limits);
    assert!(found.interrupted && !found.minimal);
    assert!(culprit.is_subset(&found.subset) && found.subset != full(100));
}

/// An oracle that cannot go on.
struct Broken(fn() -> Problem);

impl Oracle for Broken {
    fn judge(&self, _: &[Subset]) -> Result<Vec<Verdict>> {
        Err(self.0())
    }
}

/// An oracle that forgets to answer.
struct Silent;

impl Oracle for Silent {
    fn judge(&self, _: &[Subset]) -> Result<Vec<Verdict>> {
        Ok(Vec::new())
    }
}

#[test]
fn an_oracle_that_was_interrupted_is_no_error_and_a_broken_one_is() {
    let ask = |oracle: &dyn Oracle| {
        minimise(&chain(9), Verdict::Fail, oracle, &Limits::default(), &mut |_| ())
    };
    assert!(ask(&Broken(|| Problem::Interrupted)).unwrap().interrupted);
    assert!(matches!(ask(&Broken(|| Problem::Swapped)), Err(Problem::Swapped)));
    assert!(matches!(ask(&Silent), Err(Problem::Internal(_))));
}

#[test]
fn the_observer_sees_every_gain() {
    let units = chain(50);
    let culprit = units.constraints().closure(&subset(50, &[33]));
    let rule = fails_with(&culprit);
    let judge = Judge::new(&units, 1, &rule);
    let mut steps = Vec::new();
    let limits = Limits::default();
    minimise(&units, Verdict::Fail, &judge, &limits, &mut |step| steps.push(step)).unwrap();
    assert_eq!(steps.len(), judge.tests());
    assert!(steps.is_sorted_by_key(|step| std::cmp::Reverse(step.kept_weight)));
    let last = steps.last().unwrap();
    assert_eq!(last.kept_units, culprit.count_ones(..));
    assert_eq!(last.kept_weight, units.weight(&culprit));
}

#[test]
fn nothing_is_asked_about_no_units_or_a_single_one() {
    for len in [0, 1] {
        let units = chain(len);
        let found = Judge::new(&units, 1, &|_| unreachable!()).minimise();
        assert_eq!((found.subset, found.tests, found.minimal), (full(len), 0, true));
    }
}
