//! Verdicts on tests that fail by chance: a sequential test with a bound on how often it errs.

use anyhow::ensure;

use crate::model::{Result, Verdict};

/// How often a failing and a passing version fail.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rates {
    /// Of the runs of a version that is good, so many fail.
    pub good: f64,
    /// Of the runs of a version that is bad, so many fail.
    pub bad: f64,
}

/// How sure to be, and at what cost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Certainty {
    /// The most that all verdicts of a search together may err with.
    pub error: f64,
    /// About how many verdicts the search takes; they share the error between them.
    pub verdicts: usize,
    /// The most runs for one verdict.
    pub max_runs: usize,
}

impl Default for Certainty {
    fn default() -> Self {
        Self { error: 0.01, verdicts: 100, max_runs: 200 }
    }
}

/// What several runs of both ends say.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Baseline {
    /// Bad fails more often than good, and this often.
    Differs(Rates),
    /// Nothing was found to tell them apart by: no culprit, it is noise.
    Noise,
}

/// What is known of one version after some runs: Wald's sequential probability ratio test.
#[derive(Clone, Copy, Debug)]
pub struct Posterior {
    /// What a failed and a passed run add to the logarithm of the odds that the version is bad.
    failed: f64,
    passed: f64,
    log_odds: f64,
    bound: f64,
    runs_left: usize,
}

/// Rates are never taken for 0 or 1, because then a single run would decide everything.
const LEAST_RATE: f64 = 0.01;

impl Posterior {
    /// Begins without knowing anything: bad is as likely as good.
    ///
    /// # Errors
    /// [`Problem::Internal`](crate::model::Problem::Internal) if bad does not fail more often than good,
    /// or nothing is allowed to err.
    pub fn new(rates: Rates, certainty: Certainty) -> Result<Self> {
        let good = rates.good.clamp(LEAST_RATE, 1.0 - LEAST_RATE);
        let bad = rates.bad.clamp(LEAST_RATE, 1.0 - LEAST_RATE);
        let error = certainty.error / to_f64(certainty.verdicts.max(1));
        let check = || {
            ensure!(bad > good, "bad fails in {bad} of its runs, good in {good}");
            ensure!(error > 0.0 && error < 0.5, "an error of {error} is no bound");
            Ok(())
        };
        check()?;
        Ok(Self {
            failed: (bad / good).ln(),
            passed: ((1.0 - bad) / (1.0 - good)).ln(),
            log_odds: 0.0,
            bound: ((1.0 - error) / error).ln(),
            runs_left: certainty.max_runs,
        })
    }

    /// Takes one more run into account.
    pub fn run(&mut self, failed: bool) {
        self.log_odds += if failed { self.failed } else { self.passed };
        self.runs_left = self.runs_left.saturating_sub(1);
    }

    /// The verdict, once it is clear enough; [`Verdict::Flaky`] when it did not become so in time.
    pub fn verdict(&self) -> Option<Verdict> {
        if self.log_odds >= self.bound {
            Some(Verdict::Fail)
        } else if self.log_odds <= -self.bound {
            Some(Verdict::Pass)
        } else {
            (self.runs_left == 0).then_some(Verdict::Flaky)
        }
    }

    /// How likely the version is bad.
    pub fn probability(&self) -> f64 {
        1.0 / (1.0 + (-self.log_odds).exp())
    }
}

/// Runs both ends by turns until they differ for certain or the runs are spent. `run` runs bad if it is
/// told so, else good, and says whether that failed.
///
/// That the ends are the same wins unless the evidence against it, over all that may still come, is
/// stronger than the error allows.
///
/// # Errors
/// What `run` returns.
pub fn baseline(
    certainty: Certainty,
    mut run: impl FnMut(bool) -> Result<bool>,
) -> Result<Baseline> {
    let (mut good, mut bad) = (Tally::default(), Tally::default());
    for _ in 0..certainty.max_runs / 2 {
        good.add(run(false)?);
        bad.add(run(true)?);
        // The rates are taken to be nearer to each other than they look, because a verdict by rates that
        // are too far apart errs more often than it says.
        let rates =
            Rates { good: good.rate() + good.deviation(), bad: bad.rate() - bad.deviation() };
        if good.runs >= SETTLED
            && rates.good < rates.bad
            && evidence(good, bad) > -certainty.error.ln()
        {
            return Ok(Baseline::Differs(rates));
        }
    }
    Ok(Baseline::Noise)
}

/// So many runs of each end say how often it fails, roughly.
const SETTLED: usize = 20;

#[derive(Clone, Copy, Default)]
struct Tally {
    runs: usize,
    failed: usize,
}

impl Tally {
    fn add(&mut self, failed: bool) {
        self.runs += 1;
        self.failed += usize::from(failed);
    }

    /// The expected rate, any rate having been as likely as another before the first run.
    fn rate(self) -> f64 {
        to_f64(self.failed + 1) / to_f64(self.runs + 2)
    }

    /// By how much the rate is likely to be off.
    fn deviation(self) -> f64 {
        (self.rate() * (1.0 - self.rate()) / to_f64(self.runs + 3)).sqrt()
    }

    fn and(self, other: Self) -> Self {
        Self { runs: self.runs + other.runs, failed: self.failed + other.failed }
    }

    /// The logarithm of the chance of exactly these runs, if any rate is as likely as another: a beta
    /// function.
    fn log_chance(self) -> f64 {
        let passed = self.runs - self.failed;
        log_factorial(self.failed) + log_factorial(passed) - log_factorial(self.runs + 1)
    }
}

/// By how much two rates explain the runs better than a single one: the logarithm of the Bayes factor. If
/// there is but one rate, it ever exceeds ln(1 / e) with a chance of at most e, however often it is looked
/// at (Ville's inequality).
fn evidence(good: Tally, bad: Tally) -> f64 {
    good.log_chance() + bad.log_chance() - good.and(bad).log_chance()
}

fn log_factorial(number: usize) -> f64 {
    (2..=number).map(|factor| to_f64(factor).ln()).sum()
}

fn to_f64(number: usize) -> f64 {
    u32::try_from(number).map_or(f64::MAX, f64::from)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::{Answer, Constraints, Goal, Limits, Minimiser, Oracle, Subset, Units};
    use std::cell::Cell;

    /// Chance by a seed.
    struct Dice(Cell<u64>);

    impl Dice {
        fn new(seed: u64) -> Self {
            Self(Cell::new(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0x0DDB_1A5E_5BAD_5EED))
        }

        fn happens(&self, rate: f64) -> bool {
            let mut state = self.0.get();
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            self.0.set(state);
            f64::from(u32::try_from(state >> 32).unwrap()) / f64::from(u32::MAX) < rate
        }
    }

    /// Runs that lie with a chance, repeated until the posterior is clear.
    struct Flaky<'a> {
        culprit: &'a Subset,
        rates: Rates,
        error: f64,
        dice: &'a Dice,
        runs: Cell<usize>,
    }

    impl Oracle for Flaky<'_> {
        fn judge(&self, sets: &[Subset]) -> Result<Vec<Answer>> {
            let judge = |on: &Subset| {
                let truth = self.culprit.is_subset(on);
                let mut posterior = Posterior::new(self.rates, Certainty::default())?;
                loop {
                    if let Some(verdict) = posterior.verdict() {
                        return Ok(verdict.into());
                    }
                    posterior.run(truth != self.dice.happens(self.error));
                    self.runs.set(self.runs.get() + 1);
                }
            };
            sets.iter().map(judge).collect()
        }
    }

    fn ends(error: [f64; 2], dice: &Dice) -> Baseline {
        let run = |is_bad| Ok(dice.happens(error[usize::from(is_bad)]));
        baseline(Certainty::default(), run).unwrap()
    }

    #[test]
    fn the_true_culprit_is_found_though_one_run_in_five_lies() {
        let mut found = 0;
        let mut runs = 0;
        for seed in 0..200 {
            let dice = Dice::new(seed);
            let mut culprit = Subset::with_capacity(200);
            culprit.extend([usize::try_from(seed).unwrap() % 200, 57]);
            let Baseline::Differs(rates) = ends([0.2, 0.8], &dice) else { continue };
            let units = Units::new(vec![1; 200], vec![], Constraints::new(200, &[], &[]).unwrap());
            let flaky =
                Flaky { culprit: &culprit, rates, error: 0.2, dice: &dice, runs: Cell::new(0) };
            let mut minimiser = Minimiser::new(units.unwrap(), Limits::default());
            let minimal = minimiser.minimise(Goal::Culprit, &flaky, &mut |_| ()).unwrap();
            found += usize::from(minimal.subset == culprit);
            runs += flaky.runs.get();
        }
        assert!(found >= 198, "{found} of 200");
        assert!(runs / 200 < 600, "{runs} runs");
    }

    #[test]
    fn ends_that_fail_equally_often_are_noise() {
        let noise = |rate: f64| {
            let runs = (0..300).map(|seed| ends([rate, rate], &Dice::new(seed)));
            runs.filter(|baseline| *baseline == Baseline::Noise).count()
        };
        for rate in [0.0, 0.1, 0.5, 1.0] {
            assert!(noise(rate) >= 297, "{rate}: {} of 300", noise(rate));
        }
    }

    #[test]
    fn a_steady_test_is_clear_after_a_few_runs() {
        assert!(matches!(ends([0.0, 1.0], &Dice::new(1)), Baseline::Differs(_)));
        let rates = Rates { good: 0.0, bad: 1.0 };
        for (failed, verdict) in [(true, Verdict::Fail), (false, Verdict::Pass)] {
            let mut posterior = Posterior::new(rates, Certainty::default()).unwrap();
            assert_eq!(posterior.verdict(), None);
            for _ in 0..3 {
                posterior.run(failed);
            }
            assert_eq!(posterior.verdict(), Some(verdict));
            assert!((posterior.probability() > 0.999) == failed);
        }
    }

    #[test]
    fn the_cost_is_bounded_and_what_stays_open_is_flaky() {
        let rates = Rates { good: 0.49, bad: 0.51 };
        let mut posterior = Posterior::new(rates, Certainty::default()).unwrap();
        for run in 0..200 {
            assert_eq!(posterior.verdict(), None);
            posterior.run(run % 2 == 0);
        }
        assert_eq!(posterior.verdict(), Some(Verdict::Flaky));
        let spent = Cell::new(0);
        let count = |_| {
            spent.set(spent.get() + 1);
            Ok(true)
        };
        assert_eq!(baseline(Certainty::default(), count).unwrap(), Baseline::Noise);
        assert_eq!(spent.get(), 200);
    }

    #[test]
    fn ends_the_wrong_way_round_are_refused() {
        let certainty = Certainty::default();
        assert!(Posterior::new(Rates { good: 0.5, bad: 0.5 }, certainty).is_err());
        assert!(Posterior::new(Rates { good: 0.9, bad: 0.1 }, certainty).is_err());
        let sure = Certainty { error: 0.0, ..certainty };
        assert!(Posterior::new(Rates { good: 0.1, bad: 0.9 }, sure).is_err());
    }
}
