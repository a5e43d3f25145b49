//! Estimates the failure rates of good and bad for a flaky test.

use super::repetition::Repetition;
use crate::run::judge::baseline_check::BaselineCheck;
use crate::run::judge::learned_symptom::LearnedSymptom;
use crate::run::session::versions::ResolvedVersion;
use mend_engine::{Execution, Limits};
use mend_model::{GoodOrBad, Problem, ProgressEvent, Result, Verdict};
use mend_search::sequential_test;
use mend_search::sequential_test::{ConfidenceLevel, MIN_RUNS_FOR_RATE, RunCounts, SequentialTest};
use std::sync::Arc;

/// Number of consecutive unresolved runs after which sampling stops.
const MAX_UNCLEAR_RUNS: u32 = 3;

/// Version whose failure rate is sampled.
struct SampledVersion<'a> {
    side: GoodOrBad,
    version: &'a ResolvedVersion,
    symptom: &'a LearnedSymptom,
    limits: &'a Limits,
    next_run: u32,
    run_counts: RunCounts,
}

impl BaselineCheck<'_> {
    /// Returns the repetition rule for versions between good and bad, both of which may fail intermittently.
    ///
    /// # Errors
    /// [`Problem::NoSignificantDifference`] if the failure rates do not differ significantly;
    /// [`Problem::GoodDoesNotPass`] if good never passes; [`Problem::BadDoesNotFail`] if bad never fails.
    pub(crate) fn sample_failure_rates(
        &self,
        good: &ResolvedVersion,
        bad: &ResolvedVersion,
        limits: &Limits,
        symptom: &LearnedSymptom,
    ) -> Result<Repetition> {
        let stage =
            "running good and bad alternately until their failure rates differ significantly";
        self.run_log.emit(ProgressEvent::Stage(stage.to_owned()))?;
        let mut samples = [(GoodOrBad::Good, good), (GoodOrBad::Bad, bad)]
            .map(|(side, version)| SampledVersion::new(side, version, symptom, limits));
        let certainty = ConfidenceLevel::default();
        let run = |is_bad: bool| self.next_run_fails(&mut samples[usize::from(is_bad)]);
        let sequential_test::RateComparison { good, bad, rates } =
            sequential_test::measure_baseline(certainty, run)?;
        symptom.note_uncompared_messages(self.run_log)?;
        let Some(rates) = rates else {
            let runs = good.runs;
            return Err(Problem::NoSignificantDifference {
                good: good.failed,
                bad: bad.failed,
                runs,
            });
        };
        let rates_text = format!(
            "good fails in {} of {} runs, bad in {} of {}",
            good.failed, good.runs, bad.failed, bad.runs
        );
        self.run_log.emit(ProgressEvent::Stage(rates_text.clone()))?;
        Ok(Repetition::Sampled {
            sequential_test: Arc::new(SequentialTest::new(rates, certainty)?),
            failure_rates_text: rates_text,
        })
    }

    /// Returns the repetition rule for a search for a version that fails at most half as often as bad.
    pub(crate) fn estimate_from_bad(
        &self,
        bad: &ResolvedVersion,
        limits: &Limits,
        symptom: &LearnedSymptom,
    ) -> Result<Repetition> {
        let mut sample = SampledVersion::new(GoodOrBad::Bad, bad, symptom, limits);
        while sample.run_counts.runs < MIN_RUNS_FOR_RATE {
            self.next_run_fails(&mut sample)?;
        }
        symptom.note_uncompared_messages(self.run_log)?;
        let RunCounts { failed, runs } = sample.run_counts;
        let rates_text = format!("bad fails in {failed} of {runs} runs");
        let sampling = SequentialTest::new(
            sample.run_counts.halved_failure_rates(),
            ConfidenceLevel::default(),
        )?;
        Ok(Repetition::Sampled {
            sequential_test: Arc::new(sampling),
            failure_rates_text: rates_text,
        })
    }

    /// Returns true if the next run with a verdict fails.
    fn next_run_fails(&self, sample: &mut SampledVersion<'_>) -> Result<bool> {
        let mut unclear_runs = 0;
        loop {
            let run =
                self.run_version(sample.side, sample.version, sample.next_run, sample.limits)?;
            sample.next_run += 1;
            if sample.side == GoodOrBad::Bad {
                sample.symptom.mask_differences(&run.outcome, self.project_files);
            }
            let verdict = sample.symptom.judge(&run.outcome, self.project_files);
            let is_unclear = !matches!(verdict, Verdict::Pass | Verdict::Fail);
            unclear_runs += u32::from(is_unclear);
            if !is_unclear {
                sample.run_counts.add(verdict == Verdict::Fail);
            }
            let is_always_failing = sample.run_counts.runs == MIN_RUNS_FOR_RATE
                && sample.run_counts.failed == MIN_RUNS_FOR_RATE;
            if unclear_runs == MAX_UNCLEAR_RUNS
                || sample.side == GoodOrBad::Good && is_always_failing
            {
                return Err(Self::unexpected_verdict_problem(sample, &run));
            }
            if !is_unclear {
                return Ok(verdict == Verdict::Fail);
            }
        }
    }

    fn unexpected_verdict_problem(
        SampledVersion { side, version, .. }: &SampledVersion<'_>,
        run: &Execution,
    ) -> Problem {
        match side {
            GoodOrBad::Good => Problem::GoodDoesNotPass {
                revision: version.label.clone(),
                output: run.outcome.text(),
            },
            GoodOrBad::Bad => Self::does_not_fail(version, &run.outcome),
        }
    }
}

impl<'a> SampledVersion<'a> {
    fn new(
        side: GoodOrBad,
        version: &'a ResolvedVersion,
        symptom: &'a LearnedSymptom,
        limits: &'a Limits,
    ) -> Self {
        Self { side, version, symptom, limits, next_run: 0, run_counts: RunCounts::default() }
    }
}
