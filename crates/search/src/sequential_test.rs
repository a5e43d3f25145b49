//! Verdicts on tests that fail by chance: a sequential test with a bound on how often it errs.

use anyhow::ensure;
use mend_model::{Phase, Problem, Result, Verdict};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// How often a failing and a passing version fail.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rates {
    /// Failure rate of a good version.
    pub good: f64,
    /// Failure rate of a bad version.
    pub bad: f64,
}

/// How sure to be, and at what cost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Certainty {
    /// The most that everything a search says, the baseline included, may err with.
    pub error: f64,
    /// The most runs for one verdict, and for the baseline.
    pub max_runs: usize,
    /// The most runs for all verdicts of a search.
    pub budget: usize,
}

impl Default for Certainty {
    fn default() -> Self {
        Self { error: 0.01, max_runs: 200, budget: 10_000 }
    }
}

impl Certainty {
    /// The baseline and all verdicts together have half of the error each.
    fn half(self) -> f64 {
        self.error / 2.0
    }

    /// Number of runs without a failure that show that a version fails in less than `rate` of its
    /// runs.
    pub fn runs_without_failure(self, rate: f64) -> usize {
        let chance = |runs: &usize| (1.0 - rate).powi(i32::try_from(*runs).unwrap_or(i32::MAX));
        (1..self.max_runs).find(|runs| chance(runs) <= self.error).unwrap_or(self.max_runs)
    }
}

/// What several runs of both ends say.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Baseline {
    /// The runs of good.
    pub good: Tally,
    /// The runs of bad.
    pub bad: Tally,
    /// The failure rates of both ends, for judging other versions; `None` if they do not differ
    /// significantly.
    pub rates: Option<Rates>,
}

/// Judges versions one after the other, each by as many runs as it takes, so that all verdicts together
/// err with a bounded chance, however many they are, and at a bounded cost.
#[derive(Debug)]
pub struct Sampling {
    rates: Rates,
    certainty: Certainty,
    spent: Mutex<Spent>,
}

/// What the verdicts so far took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spent {
    /// How many verdicts there were.
    pub verdicts: usize,
    /// How many of them stayed open.
    pub open: usize,
    /// The runs of all of them.
    pub runs: usize,
    /// The most runs that one of them took.
    pub most: usize,
}

impl Sampling {
    /// Takes how often the two ends fail.
    ///
    /// # Errors
    /// [`Problem::Internal`] if bad does not fail more often than good,
    /// or nothing is allowed to err.
    pub fn new(rates: Rates, certainty: Certainty) -> Result<Self> {
        Posterior::new(rates, certainty.half(), certainty.max_runs)?;
        Ok(Self { rates, certainty, spent: Mutex::default() })
    }

    /// The verdict on one version, each `run` of which says something for itself. An unresolved run says
    /// neither; the version is unresolved if that is what its runs are.
    ///
    /// # Errors
    /// What `run` returns; [`Problem::RunsSpent`] once the budget of all verdicts is spent.
    pub fn judge(&self, run: &mut dyn FnMut() -> Result<Verdict>) -> Result<Verdict> {
        let mut posterior = self.next()?;
        let verdict = loop {
            if let Some(verdict) = posterior.verdict() {
                break verdict;
            }
            posterior.add(run()?);
        };
        let mut spent = self.lock();
        spent.open += usize::from(verdict == Verdict::Flaky);
        spent.runs += posterior.runs;
        spent.most = spent.most.max(posterior.runs);
        Ok(verdict)
    }

    /// Begins one more verdict, with its share of the error and of the budget. Verdicts may be under way at
    /// the same time, so each is counted before it is known.
    fn next(&self) -> Result<Posterior> {
        let mut spent = self.lock();
        let left = self.certainty.budget.saturating_sub(spent.runs);
        if left == 0 {
            return Err(Problem::RunsSpent { runs: spent.runs });
        }
        spent.verdicts += 1;
        // However many verdicts there are, their shares add up to no more than the whole.
        let share = self.certainty.half() / (to_f64(spent.verdicts) * to_f64(spent.verdicts + 1));
        Posterior::new(self.rates, share, self.certainty.max_runs.min(left))
    }

    /// What the verdicts so far took.
    pub fn spent(&self) -> Spent {
        *self.lock()
    }

    /// Whether there may be no more runs.
    pub fn is_spent(&self) -> bool {
        self.spent().runs >= self.certainty.budget
    }

    /// How sure all verdicts are together, between 0 and 1.
    pub fn certainty(&self) -> f64 {
        1.0 - self.certainty.error
    }

    fn lock(&self) -> MutexGuard<'_, Spent> {
        self.spent.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What is known of one version after some runs: Wald's sequential probability ratio test.
#[derive(Clone, Copy, Debug)]
struct Posterior {
    /// What a failed and a passed run add to the logarithm of the odds that the version is bad.
    failed: f64,
    passed: f64,
    log_odds: f64,
    bound: f64,
    runs: usize,
    max_runs: usize,
    unresolved: usize,
    phase: Option<Phase>,
}

/// Rates are never taken for 0 or 1, because then a single run would decide everything.
const LEAST_RATE: f64 = 0.01;

/// Number of runs from which a version is unresolved if most of them are.
const UNRESOLVED: usize = 3;

impl Posterior {
    /// Begins without knowing anything: bad is as likely as good.
    fn new(rates: Rates, error: f64, max_runs: usize) -> Result<Self> {
        let good = rates.good.clamp(LEAST_RATE, 1.0 - LEAST_RATE);
        let bad = rates.bad.clamp(LEAST_RATE, 1.0 - LEAST_RATE);
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
            runs: 0,
            max_runs,
            unresolved: 0,
            phase: None,
        })
    }

    /// Takes one more run into account.
    fn add(&mut self, run: Verdict) {
        self.runs += 1;
        match run {
            Verdict::Fail => self.log_odds += self.failed,
            Verdict::Pass => self.log_odds += self.passed,
            Verdict::Flaky => {}
            Verdict::Unresolved(phase) => {
                self.unresolved += 1;
                let is_chance = matches!(phase, Phase::OtherFailure | Phase::TimedOut);
                let is_rule = self.unresolved >= UNRESOLVED && self.unresolved * 2 > self.runs;
                self.phase = (!is_chance || is_rule).then_some(phase);
            }
        }
    }

    /// The verdict, once it is clear enough; [`Verdict::Flaky`] when it did not become so in time.
    fn verdict(&self) -> Option<Verdict> {
        if let Some(phase) = self.phase {
            Some(Verdict::Unresolved(phase))
        } else if self.log_odds >= self.bound {
            Some(Verdict::Fail)
        } else if self.log_odds <= -self.bound {
            Some(Verdict::Pass)
        } else {
            (self.runs >= self.max_runs).then_some(Verdict::Flaky)
        }
    }
}

/// Runs both ends alternately until they differ significantly or the runs are spent. `run(true)`
/// runs bad, `run(false)` runs good; it returns true on failure. The ends count as equal unless the
/// evidence against that, over all possible further runs, is stronger than the error bound allows.
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
            && evidence(good, bad) > -certainty.half().ln()
        {
            return Ok(Baseline { good, bad, rates: Some(rates) });
        }
    }
    Ok(Baseline { good, bad, rates: None })
}

/// Number of runs that estimate the failure rate of a version roughly.
pub const SETTLED: usize = 20;

/// Some runs of one version.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// How many.
    pub runs: usize,
    /// How many of them failed.
    pub failed: usize,
}

impl Tally {
    /// Counts one more.
    pub fn add(&mut self, failed: bool) {
        self.runs += 1;
        self.failed += usize::from(failed);
    }

    /// Rates to look for a better version by than the one with these runs: one that fails at most half as
    /// often.
    pub fn half_as_often(self) -> Rates {
        let bad = self.rate() - self.deviation();
        Rates { good: bad / 2.0, bad }
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
mod tests;
