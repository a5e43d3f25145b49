use super::*;
use crate::subset::Subset;
use crate::{Constraints, MinimisationGoal, Minimiser, Oracle, OracleAnswer, SearchLimits, Units};
use std::cell::RefCell;

/// Random number generator with a seed.
type Dice = RefCell<fastrand::Rng>;

fn seeded_dice(seed: u64) -> Dice {
    RefCell::new(fastrand::Rng::with_seed(seed))
}

fn occurs(dice: &Dice, rate: f64) -> bool {
    dice.borrow_mut().f64() < rate
}

fn run(failed: bool) -> Verdict {
    if failed { Verdict::Fail } else { Verdict::Pass }
}

/// Runs that are wrong with some probability, evaluated by the sequential test.
struct Flaky<'a> {
    culprit: &'a Subset,
    sampling: &'a SequentialTest,
    error_rate: f64,
    dice: &'a Dice,
}

impl Oracle for Flaky<'_> {
    fn judge(&self, sets: &[Subset]) -> Result<Vec<OracleAnswer>> {
        let judge = |on: &Subset| {
            let truth = self.culprit.is_subset(on);
            let mut run = || Ok(run(truth != occurs(self.dice, self.error_rate)));
            self.sampling.judge(&mut run).map(OracleAnswer::from)
        };
        sets.iter().map(judge).collect()
    }
}

fn compare_rates(failure_rates: [f64; 2], dice: &Dice) -> RateComparison {
    let run = |is_bad| Ok(occurs(dice, failure_rates[usize::from(is_bad)]));
    measure_baseline(ConfidenceLevel::default(), run).unwrap()
}

fn plain_units(len: usize) -> Units {
    Units::new(vec![1; len], vec![], Constraints::new(len, &[], &[]).unwrap()).unwrap()
}

#[test]
fn flaky_oracle_finds_culprit_in_99_percent() {
    let (mut found_culprits, mut runs) = (0, 0);
    for seed in 0..300 {
        let dice = seeded_dice(seed);
        let mut culprit = Subset::with_capacity(200);
        culprit.extend([usize::try_from(seed).unwrap() % 200, 57]);
        let Some(rates) = compare_rates([0.2, 0.8], &dice).rates else { continue };
        let sampling = SequentialTest::new(rates, ConfidenceLevel::default()).unwrap();
        let flaky = Flaky { culprit: &culprit, sampling: &sampling, error_rate: 0.2, dice: &dice };
        let mut minimiser = Minimiser::new(plain_units(200), SearchLimits::default());
        let minimal = minimiser.minimise(MinimisationGoal::Culprit, &flaky, &mut |_| ()).unwrap();
        found_culprits += usize::from(minimal.subset == culprit);
        runs += sampling.cost().runs;
    }
    assert!(found_culprits >= 297, "{found_culprits} of 300");
    assert!(runs / 300 < 600, "{runs} runs");
}

#[test]
fn equal_failure_rates_are_noise() {
    let noise = |rate: f64| {
        let runs = (0..300).map(|seed| compare_rates([rate, rate], &seeded_dice(seed)));
        runs.filter(|baseline| baseline.rates.is_none()).count()
    };
    for rate in [0.0, 0.1, 0.5, 1.0] {
        assert!(noise(rate) >= 297, "{rate}: {} of 300", noise(rate));
    }
}

#[test]
fn deterministic_test_needs_few_runs() {
    let RateComparison { good, bad, rates } = compare_rates([0.0, 1.0], &seeded_dice(1));
    assert_eq!(
        (good, bad),
        (RunCounts { runs: 20, failed: 0 }, RunCounts { runs: 20, failed: 20 })
    );
    let sampling = SequentialTest::new(rates.unwrap(), ConfidenceLevel::default()).unwrap();
    for verdict in [Verdict::Fail, Verdict::Pass] {
        assert_eq!(sampling.judge(&mut || Ok(verdict)).unwrap(), verdict);
    }
    assert!(sampling.cost().max_runs_per_verdict <= 4, "{:?}", sampling.cost());
}

#[test]
fn total_error_is_bounded() {
    let confidence = ConfidenceLevel { run_budget: usize::MAX, ..ConfidenceLevel::default() };
    let rates = FailureRates { good: 0.3, bad: 0.7 };
    let mut wrong = 0;
    for seed in 0..200 {
        let (dice, sampling) = (seeded_dice(seed), SequentialTest::new(rates, confidence).unwrap());
        let judge = |_| sampling.judge(&mut || Ok(run(occurs(&dice, 0.3)))).unwrap();
        wrong += usize::from((0..300).map(judge).any(|verdict| verdict == Verdict::Fail));
    }
    assert!(wrong <= 2, "{wrong} of 200");
}

#[test]
fn verdict_cost_is_bounded_and_undecided_is_flaky() {
    let sampling =
        SequentialTest::new(FailureRates { good: 0.49, bad: 0.51 }, ConfidenceLevel::default())
            .unwrap();
    let mut failed = false;
    let mut alternate = || {
        failed = !failed;
        Ok(run(failed))
    };
    assert_eq!(sampling.judge(&mut alternate).unwrap(), Verdict::Flaky);
    assert_eq!(
        sampling.cost(),
        SamplingCost { verdicts: 1, undecided_verdicts: 1, runs: 200, max_runs_per_verdict: 200 }
    );
    let mut run_count = 0;
    let count = |_| {
        run_count += 1;
        Ok(true)
    };
    assert_eq!(measure_baseline(ConfidenceLevel::default(), count).unwrap().rates, None);
    assert_eq!(run_count, 200);
}

#[test]
fn total_verdict_cost_is_bounded() {
    let confidence = ConfidenceLevel { run_budget: 250, ..ConfidenceLevel::default() };
    let sampling = SequentialTest::new(FailureRates { good: 0.49, bad: 0.51 }, confidence).unwrap();
    let mut runs = 0;
    let mut alternate = || {
        runs += 1;
        Ok(run(runs % 2 == 0))
    };
    for _ in 0..2 {
        assert_eq!(sampling.judge(&mut alternate).unwrap(), Verdict::Flaky);
    }
    let none = sampling.judge(&mut alternate);
    assert!(
        matches!(none, Err(Problem::RunBudgetExhausted { runs: 250 }))
            && sampling.is_budget_spent()
    );
    assert_eq!(runs, 250);
}

#[test]
fn compile_failure_is_unresolved_at_once() {
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
fn required_passing_runs_detect_frequent_failures() {
    let confidence = ConfidenceLevel::default();
    assert_eq!(confidence.required_passing_runs(0.1), 44);
    assert_eq!(confidence.required_passing_runs(0.0001), confidence.max_runs);
}

#[test]
fn half_failure_rate_is_distinguished_from_bad() {
    let mut bad = RunCounts::default();
    (0..MIN_RUNS_FOR_RATE).for_each(|run| bad.add(run % 5 != 0));
    let sampling =
        SequentialTest::new(bad.halved_failure_rates(), ConfidenceLevel::default()).unwrap();
    for (rate, verdict) in [(0.2, Verdict::Pass), (0.8, Verdict::Fail)] {
        let dice = seeded_dice(3);
        let judged = sampling.judge(&mut || Ok(run(occurs(&dice, rate)))).unwrap();
        assert_eq!(judged, verdict);
    }
}

#[test]
fn reversed_rates_are_rejected() {
    let confidence = ConfidenceLevel::default();
    assert!(SequentialTest::new(FailureRates { good: 0.5, bad: 0.5 }, confidence).is_err());
    assert!(SequentialTest::new(FailureRates { good: 0.9, bad: 0.1 }, confidence).is_err());
    let certain = ConfidenceLevel { max_error: 0.0, ..confidence };
    assert!(SequentialTest::new(FailureRates { good: 0.1, bad: 0.9 }, certain).is_err());
}
