//! Sequential test for flaky tests: verdicts from repeated runs, with a bound on the error probability.

use anyhow::ensure;
use mend_model::{Phase, Problem, Result, Verdict};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Failure rates of good and bad versions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FailureRates {
    /// Failure rate of a good version.
    pub good: f64,
    /// Failure rate of a bad version.
    pub bad: f64,
}

/// Confidence of the verdicts, and the maximum cost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConfidenceLevel {
    /// Maximum error probability of a whole search, including the baseline.
    pub max_error: f64,
    /// Maximum number of runs for one verdict, and for the baseline.
    pub max_runs: usize,
    /// Maximum number of runs for all verdicts of a search.
    pub run_budget: usize,
}

impl Default for ConfidenceLevel {
    fn default() -> Self {
        Self { max_error: 0.01, max_runs: 200, run_budget: 10_000 }
    }
}

impl ConfidenceLevel {
    /// Returns half of the error probability: one half is for the baseline, one for all verdicts together.
    fn half_error(self) -> f64 {
        self.max_error / 2.0
    }

    /// Returns the number of consecutive passing runs that show that a version fails in less than `rate` of its runs.
    pub fn required_passing_runs(self, rate: f64) -> usize {
        let chance = |runs: &usize| (1.0 - rate).powi(i32::try_from(*runs).unwrap_or(i32::MAX));
        (1..self.max_runs).find(|runs| chance(runs) <= self.max_error).unwrap_or(self.max_runs)
    }
}

/// Results of repeated runs of good and bad.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RateComparison {
    /// Runs of good.
    pub good: RunCounts,
    /// Runs of bad.
    pub bad: RunCounts,
    /// Failure rates of both versions; `None` if they do not differ significantly.
    pub rates: Option<FailureRates>,
}

/// Sequential test that judges versions with a bounded total error probability and a bounded cost.
#[derive(Debug)]
pub struct SequentialTest {
    rates: FailureRates,
    confidence: ConfidenceLevel,
    cost: Mutex<SamplingCost>,
}

/// Cost of the verdicts so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SamplingCost {
    /// Number of verdicts.
    pub verdicts: usize,
    /// Number of undecided verdicts.
    pub undecided_verdicts: usize,
    /// Number of runs of all verdicts.
    pub runs: usize,
    /// Maximum number of runs of one verdict.
    pub max_runs_per_verdict: usize,
}

impl SequentialTest {
    /// Creates the test from the failure rates of good and bad.
    ///
    /// # Errors
    /// [`Problem::Internal`] if bad does not fail more often than good, or the maximum error is 0.
    pub fn new(rates: FailureRates, confidence: ConfidenceLevel) -> Result<Self> {
        ProbabilityRatioTest::new(rates, confidence.half_error(), confidence.max_runs)?;
        Ok(Self { rates, confidence, cost: Mutex::default() })
    }

    /// Returns the verdict on one version from repeated calls of `run`. Unresolved runs are no evidence; if most runs
    /// are unresolved, so is the verdict.
    ///
    /// # Errors
    /// Errors of `run`; [`Problem::RunBudgetExhausted`] once the budget of all verdicts is spent.
    pub fn judge(&self, run: &mut dyn FnMut() -> Result<Verdict>) -> Result<Verdict> {
        let mut ratio_test = self.start_verdict()?;
        let verdict = loop {
            if let Some(verdict) = ratio_test.verdict() {
                break verdict;
            }
            ratio_test.add(run()?);
        };
        let mut cost = self.lock();
        cost.undecided_verdicts += usize::from(verdict == Verdict::Flaky);
        cost.runs += ratio_test.runs;
        cost.max_runs_per_verdict = cost.max_runs_per_verdict.max(ratio_test.runs);
        Ok(verdict)
    }

    /// Starts a verdict with its share of the error probability and of the budget. Verdicts may be concurrent, so each
    /// is counted when it starts.
    fn start_verdict(&self) -> Result<ProbabilityRatioTest> {
        let mut cost = self.lock();
        let remaining_runs = self.confidence.run_budget.saturating_sub(cost.runs);
        if remaining_runs == 0 {
            return Err(Problem::RunBudgetExhausted { runs: cost.runs });
        }
        cost.verdicts += 1;
        // The shares of any number of verdicts sum up to at most the whole.
        let error_share =
            self.confidence.half_error() / (to_f64(cost.verdicts) * to_f64(cost.verdicts + 1));
        ProbabilityRatioTest::new(
            self.rates,
            error_share,
            self.confidence.max_runs.min(remaining_runs),
        )
    }

    /// Returns the cost of the verdicts so far.
    pub fn cost(&self) -> SamplingCost {
        *self.lock()
    }

    /// Returns true if the maximum number of runs is reached.
    pub fn is_budget_spent(&self) -> bool {
        self.cost().runs >= self.confidence.run_budget
    }

    /// Returns the confidence of all verdicts together, between 0 and 1.
    pub fn confidence(&self) -> f64 {
        1.0 - self.confidence.max_error
    }

    fn lock(&self) -> MutexGuard<'_, SamplingCost> {
        self.cost.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// State of Wald's sequential probability ratio test for one version.
#[derive(Clone, Copy, Debug)]
struct ProbabilityRatioTest {
    /// Log-likelihood ratio of a failed and of a passed run.
    failure_log_ratio: f64,
    pass_log_ratio: f64,
    log_odds: f64,
    decision_bound: f64,
    runs: usize,
    max_runs: usize,
    unresolved: usize,
    unresolved_phase: Option<Phase>,
}

/// Minimum failure rate. With a rate of 0 or 1, a single run would be decisive.
const MIN_FAILURE_RATE: f64 = 0.01;

/// Number of runs from which on a version is unresolved if most runs are.
const MIN_UNRESOLVED_RUNS: usize = 3;

impl ProbabilityRatioTest {
    /// Starts with equal odds for good and bad.
    fn new(rates: FailureRates, error: f64, max_runs: usize) -> Result<Self> {
        let good = rates.good.clamp(MIN_FAILURE_RATE, 1.0 - MIN_FAILURE_RATE);
        let bad = rates.bad.clamp(MIN_FAILURE_RATE, 1.0 - MIN_FAILURE_RATE);
        let check = || {
            ensure!(bad > good, "bad fails in {bad} of its runs, good in {good}");
            ensure!(error > 0.0 && error < 0.5, "an error of {error} is no bound");
            Ok(())
        };
        check()?;
        Ok(Self {
            failure_log_ratio: (bad / good).ln(),
            pass_log_ratio: ((1.0 - bad) / (1.0 - good)).ln(),
            log_odds: 0.0,
            decision_bound: ((1.0 - error) / error).ln(),
            runs: 0,
            max_runs,
            unresolved: 0,
            unresolved_phase: None,
        })
    }

    /// Adds a run.
    fn add(&mut self, run: Verdict) {
        self.runs += 1;
        match run {
            Verdict::Fail => self.log_odds += self.failure_log_ratio,
            Verdict::Pass => self.log_odds += self.pass_log_ratio,
            Verdict::Flaky => {}
            Verdict::Unresolved(phase) => {
                self.unresolved += 1;
                let is_transient = matches!(phase, Phase::OtherFailure | Phase::TimedOut);
                let is_majority =
                    self.unresolved >= MIN_UNRESOLVED_RUNS && self.unresolved * 2 > self.runs;
                self.unresolved_phase = (!is_transient || is_majority).then_some(phase);
            }
        }
    }

    /// Returns the verdict once the evidence suffices; [`Verdict::Flaky`] after the maximum number of runs.
    fn verdict(&self) -> Option<Verdict> {
        if let Some(phase) = self.unresolved_phase {
            Some(Verdict::Unresolved(phase))
        } else if self.log_odds >= self.decision_bound {
            Some(Verdict::Fail)
        } else if self.log_odds <= -self.decision_bound {
            Some(Verdict::Pass)
        } else {
            (self.runs >= self.max_runs).then_some(Verdict::Flaky)
        }
    }
}

/// Runs both versions alternately until their failure rates differ significantly or the runs are used up. `run(true)`
/// runs bad, `run(false)` runs good; it returns true on failure. The rates count as equal unless the evidence against
/// that, over all possible further runs, is stronger than the error bound allows.
///
/// # Errors
/// Errors of `run`.
pub fn measure_baseline(
    confidence: ConfidenceLevel,
    mut run: impl FnMut(bool) -> Result<bool>,
) -> Result<RateComparison> {
    let (mut good, mut bad) = (RunCounts::default(), RunCounts::default());
    for _ in 0..confidence.max_runs / 2 {
        good.add(run(false)?);
        bad.add(run(true)?);
        // The rates are moved towards each other by one deviation, because rates that are too far apart would make
        // verdicts err more often than the bound states.
        let rates = FailureRates {
            good: good.rate() + good.deviation(),
            bad: bad.rate() - bad.deviation(),
        };
        if good.runs >= MIN_RUNS_FOR_RATE
            && rates.good < rates.bad
            && log_bayes_factor(good, bad) > -confidence.half_error().ln()
        {
            return Ok(RateComparison { good, bad, rates: Some(rates) });
        }
    }
    Ok(RateComparison { good, bad, rates: None })
}

/// Number of runs that give a rough estimate of a version's failure rate.
pub const MIN_RUNS_FOR_RATE: usize = 20;

/// Counts of a version's runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RunCounts {
    /// Number of runs.
    pub runs: usize,
    /// Number of failed runs.
    pub failed: usize,
}

impl RunCounts {
    /// Counts one more run.
    pub fn add(&mut self, failed: bool) {
        self.runs += 1;
        self.failed += usize::from(failed);
    }

    /// Returns the rates to search for a version that fails at most half as often as this one.
    pub fn halved_failure_rates(self) -> FailureRates {
        let bad = self.rate() - self.deviation();
        FailureRates { good: bad / 2.0, bad }
    }

    /// Returns the expected rate, with a uniform prior.
    fn rate(self) -> f64 {
        to_f64(self.failed + 1) / to_f64(self.runs + 2)
    }

    /// Returns the standard deviation of the estimated rate.
    fn deviation(self) -> f64 {
        (self.rate() * (1.0 - self.rate()) / to_f64(self.runs + 3)).sqrt()
    }

    fn combine(self, other: Self) -> Self {
        Self { runs: self.runs + other.runs, failed: self.failed + other.failed }
    }

    /// Returns the logarithm of the probability of exactly these runs, with a uniform prior on the rate (a beta
    /// function).
    fn log_likelihood(self) -> f64 {
        let passed = self.runs - self.failed;
        log_factorial(self.failed) + log_factorial(passed) - log_factorial(self.runs + 1)
    }
}

/// Returns the logarithm of the Bayes factor of two rates against one. With equal rates it exceeds ln(1 / e) with
/// probability at most e, for any number of looks (Ville's inequality).
fn log_bayes_factor(good: RunCounts, bad: RunCounts) -> f64 {
    good.log_likelihood() + bad.log_likelihood() - good.combine(bad).log_likelihood()
}

fn log_factorial(number: usize) -> f64 {
    (2..=number).map(|factor| to_f64(factor).ln()).sum()
}

fn to_f64(number: usize) -> f64 {
    u32::try_from(number).map_or(f64::MAX, f64::from)
}

#[cfg(test)]
mod tests;
