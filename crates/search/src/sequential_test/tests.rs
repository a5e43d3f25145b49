use super::*;
use crate::subset::Subset;
use crate::{Constraints, MinimisationGoal, Minimiser, Oracle, OracleAnswer, SearchLimits, Units};
use std::cell::RefCell;

/// Chance by a seed.
type Dice = RefCell<fastrand::Rng>;

fn dice(seed: u64) -> Dice {
    RefCell::new(fastrand::Rng::with_seed(seed))
}

fn happens(dice: &Dice, rate: f64) -> bool {
    dice.borrow_mut().f64() < rate
}

fn run(failed: bool) -> Verdict {
    if failed { Verdict::Fail } else { Verdict::Pass }
}

/// Runs that lie with a chance, judged as the command judges them.
struct Flaky<'a> {
    culprit: &'a Subset,
    sampling: &'a SequentialTest,
    error: f64,
    dice: &'a Dice,
}

impl Oracle for Flaky<'_> {
    fn judge(&self, sets: &[Subset]) -> Result<Vec<OracleAnswer>> {
        let judge = |on: &Subset| {
            let truth = self.culprit.is_subset(on);
            let mut run = || Ok(run(truth != happens(self.dice, self.error)));
            self.sampling.judge(&mut run).map(OracleAnswer::from)
        };
        sets.iter().map(judge).collect()
    }
}

fn ends(error: [f64; 2], dice: &Dice) -> RateComparison {
    let run = |is_bad| Ok(happens(dice, error[usize::from(is_bad)]));
    baseline(ConfidenceLevel::default(), run).unwrap()
}

fn plain_units(len: usize) -> Units {
    Units::new(vec![1; len], vec![], Constraints::new(len, &[], &[]).unwrap()).unwrap()
}

#[test]
fn a_flaky_oracle_with_error_rate_a_fifth_finds_the_true_culprit_in_99_of_100_runs() {
    let (mut found, mut runs) = (0, 0);
    for seed in 0..300 {
        let dice = dice(seed);
        let mut culprit = Subset::with_capacity(200);
        culprit.extend([usize::try_from(seed).unwrap() % 200, 57]);
        let Some(rates) = ends([0.2, 0.8], &dice).rates else { continue };
        let sampling = SequentialTest::new(rates, ConfidenceLevel::default()).unwrap();
        let flaky = Flaky { culprit: &culprit, sampling: &sampling, error: 0.2, dice: &dice };
        let mut minimiser = Minimiser::new(plain_units(200), SearchLimits::default());
        let minimal = minimiser.minimise(MinimisationGoal::Culprit, &flaky, &mut |_| ()).unwrap();
        found += usize::from(minimal.subset == culprit);
        runs += sampling.spent().runs;
    }
    assert!(found >= 297, "{found} of 300");
    assert!(runs / 300 < 600, "{runs} runs");
}

#[test]
fn ends_that_fail_equally_often_are_noise() {
    let noise = |rate: f64| {
        let runs = (0..300).map(|seed| ends([rate, rate], &dice(seed)));
        runs.filter(|baseline| baseline.rates.is_none()).count()
    };
    for rate in [0.0, 0.1, 0.5, 1.0] {
        assert!(noise(rate) >= 297, "{rate}: {} of 300", noise(rate));
    }
}

#[test]
fn a_steady_test_is_clear_after_a_few_runs() {
    let RateComparison { good, bad, rates } = ends([0.0, 1.0], &dice(1));
    assert_eq!(
        (good, bad),
        (RunCounts { runs: 20, failed: 0 }, RunCounts { runs: 20, failed: 20 })
    );
    let sampling = SequentialTest::new(rates.unwrap(), ConfidenceLevel::default()).unwrap();
    for verdict in [Verdict::Fail, Verdict::Pass] {
        assert_eq!(sampling.judge(&mut || Ok(verdict)).unwrap(), verdict);
    }
    assert!(sampling.spent().most <= 4, "{:?}", sampling.spent());
}

#[test]
fn all_verdicts_together_err_no_more_than_they_may() {
    let certainty = ConfidenceLevel { budget: usize::MAX, ..ConfidenceLevel::default() };
    let rates = FailureRates { good: 0.3, bad: 0.7 };
    let mut wrong = 0;
    for seed in 0..200 {
        let (dice, sampling) = (dice(seed), SequentialTest::new(rates, certainty).unwrap());
        let judge = |_| sampling.judge(&mut || Ok(run(happens(&dice, 0.3)))).unwrap();
        wrong += usize::from((0..300).map(judge).any(|verdict| verdict == Verdict::Fail));
    }
    assert!(wrong <= 2, "{wrong} of 200");
}

#[test]
fn the_cost_of_a_verdict_is_bounded_and_what_stays_open_is_flaky() {
    let sampling =
        SequentialTest::new(FailureRates { good: 0.49, bad: 0.51 }, ConfidenceLevel::default())
            .unwrap();
    let mut failed = false;
    let mut by_turns = || {
        failed = !failed;
        Ok(run(failed))
    };
    assert_eq!(sampling.judge(&mut by_turns).unwrap(), Verdict::Flaky);
    assert_eq!(sampling.spent(), SamplingCost { verdicts: 1, open: 1, runs: 200, most: 200 });
    let mut spent = 0;
    let count = |_| {
        spent += 1;
        Ok(true)
    };
    assert_eq!(baseline(ConfidenceLevel::default(), count).unwrap().rates, None);
    assert_eq!(spent, 200);
}

#[test]
fn the_cost_of_all_verdicts_is_bounded() {
    let certainty = ConfidenceLevel { budget: 250, ..ConfidenceLevel::default() };
    let sampling = SequentialTest::new(FailureRates { good: 0.49, bad: 0.51 }, certainty).unwrap();
    let mut runs = 0;
    let mut by_turns = || {
        runs += 1;
        Ok(run(runs % 2 == 0))
    };
    for _ in 0..2 {
        assert_eq!(sampling.judge(&mut by_turns).unwrap(), Verdict::Flaky);
    }
    let none = sampling.judge(&mut by_turns);
    assert!(matches!(none, Err(Problem::RunBudgetExhausted { runs: 250 })) && sampling.is_spent());
    assert_eq!(runs, 250);
}

#[test]
fn what_cannot_be_compiled_is_unresolved_at_once_and_another_failure_once_it_is_the_rule() {
    let sampling =
        SequentialTest::new(FailureRates { good: 0.2, bad: 0.8 }, ConfidenceLevel::default())
            .unwrap();
    let judge = |runs: &[Verdict]| {
        let mut runs = runs.iter().copied().cycle();
        let mut count = 0;
        let mut next = || {
            count += 1;
            Ok(runs.next().unwrap())
        };
        (sampling.judge(&mut next).unwrap(), count)
    };
    let [broken, other] = [Phase::NotCompiled, Phase::OtherFailure].map(Verdict::Unresolved);
    assert_eq!(judge(&[broken]), (broken, 1));
    assert_eq!(judge(&[other]), (other, 3));
    assert_eq!(judge(&[Verdict::Fail, other]).0, Verdict::Fail);
}

#[test]
fn a_failure_that_is_not_rare_is_not_overlooked() {
    let certainty = ConfidenceLevel::default();
    assert_eq!(certainty.runs_without_failure(0.1), 44);
    assert_eq!(certainty.runs_without_failure(0.0001), certainty.max_runs);
}

#[test]
fn a_version_that_fails_half_as_often_is_told_from_bad() {
    let mut bad = RunCounts::default();
    (0..SETTLED).for_each(|run| bad.add(run % 5 != 0));
    let sampling = SequentialTest::new(bad.half_as_often(), ConfidenceLevel::default()).unwrap();
    for (rate, verdict) in [(0.2, Verdict::Pass), (0.8, Verdict::Fail)] {
        let dice = dice(3);
        let judged = sampling.judge(&mut || Ok(run(happens(&dice, rate)))).unwrap();
        assert_eq!(judged, verdict);
    }
}

#[test]
fn ends_the_wrong_way_round_are_refused() {
    let certainty = ConfidenceLevel::default();
    assert!(SequentialTest::new(FailureRates { good: 0.5, bad: 0.5 }, certainty).is_err());
    assert!(SequentialTest::new(FailureRates { good: 0.9, bad: 0.1 }, certainty).is_err());
    let sure = ConfidenceLevel { error: 0.0, ..certainty };
    assert!(SequentialTest::new(FailureRates { good: 0.1, bad: 0.9 }, sure).is_err());
}
