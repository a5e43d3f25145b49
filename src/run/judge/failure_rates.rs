//! Failure rates of good and bad for a flaky test.

use super::repetition::Repetition;
use crate::run::judge::baseline_check::BaselineCheck;
use crate::run::session::versions::ResolvedVersion;
use mend_engine::{Execution, Limits};
use mend_model::{GoodOrBad, Problem, ProgressEvent, Result, Symptom, Verdict};
use mend_search::sequential_test;
use mend_search::sequential_test::{ConfidenceLevel, RunCounts, SETTLED, SequentialTest};

/// Number of consecutive runs that neither pass nor show the symptom after which sampling stops.
const UNCLEAR: u32 = 3;

/// One end, run again and again.
struct SampledVersion<'a> {
    side: GoodOrBad,
    version: &'a ResolvedVersion,
    symptom: &'a Symptom,
    limits: &'a Limits,
    next: u32,
    tally: RunCounts,
}

impl BaselineCheck<'_> {
    /// Returns the repetition for versions between two ends that fail intermittently.
    ///
    /// # Errors
    /// [`Problem::NoSignificantDifference`] if their failure rates do not differ significantly;
    /// [`Problem::GoodDoesNotPass`] and [`Problem::BadDoesNotFail`] if one of them never does so.
    pub(crate) fn sampled(
        &self,
        good: &ResolvedVersion,
        bad: &ResolvedVersion,
        limits: &Limits,
        symptom: &Symptom,
    ) -> Result<Repetition> {
        let what =
            "running good and bad alternately until their failure rates differ significantly";
        self.ledger.emit(ProgressEvent::Stage(what.to_owned()))?;
        let mut ends = [(GoodOrBad::Good, good), (GoodOrBad::Bad, bad)]
            .map(|(side, version)| SampledVersion::new(side, version, symptom, limits));
        let certainty = ConfidenceLevel::default();
        let run = |is_bad: bool| self.run_of(&mut ends[usize::from(is_bad)]);
        let sequential_test::RateComparison { good, bad, rates } =
            sequential_test::baseline(certainty, run)?;
        let Some(rates) = rates else {
            let runs = good.runs;
            return Err(Problem::NoSignificantDifference {
                good: good.failed,
                bad: bad.failed,
                runs,
            });
        };
        let often = format!(
            "good fails in {} of {} runs, bad in {} of {}",
            good.failed, good.runs, bad.failed, bad.runs
        );
        self.ledger.emit(ProgressEvent::Stage(often.clone()))?;
        Ok(Repetition::Sampled { sampling: SequentialTest::new(rates, certainty)?, often })
    }

    /// Creates the repetition that searches for a version which fails at most half as often as bad.
    pub(crate) fn provisional(
        &self,
        bad: &ResolvedVersion,
        limits: &Limits,
        symptom: &Symptom,
    ) -> Result<Repetition> {
        let mut end = SampledVersion::new(GoodOrBad::Bad, bad, symptom, limits);
        while end.tally.runs < SETTLED {
            self.run_of(&mut end)?;
        }
        let RunCounts { failed, runs } = end.tally;
        let often = format!("bad fails in {failed} of {runs} runs");
        let sampling = SequentialTest::new(end.tally.half_as_often(), ConfidenceLevel::default())?;
        Ok(Repetition::Sampled { sampling, often })
    }

    /// Returns true if the next resolved run fails.
    fn run_of(&self, end: &mut SampledVersion<'_>) -> Result<bool> {
        let mut unclear = 0;
        loop {
            let run = self.run(end.side, end.version, end.next, end.limits)?;
            end.next += 1;
            let verdict = self.judged(end.symptom, &run);
            let is_unclear = !matches!(verdict, Verdict::Pass | Verdict::Fail);
            unclear += u32::from(is_unclear);
            if !is_unclear {
                end.tally.add(verdict == Verdict::Fail);
            }
            let is_always_failing = end.tally.runs == SETTLED && end.tally.failed == SETTLED;
            if unclear == UNCLEAR || end.side == GoodOrBad::Good && is_always_failing {
                return Err(end.is_not_what_it_must_be(&run));
            }
            if !is_unclear {
                return Ok(verdict == Verdict::Fail);
            }
        }
    }
}

impl<'a> SampledVersion<'a> {
    fn new(
        side: GoodOrBad,
        version: &'a ResolvedVersion,
        symptom: &'a Symptom,
        limits: &'a Limits,
    ) -> Self {
        Self { side, version, symptom, limits, next: 0, tally: RunCounts::default() }
    }

    fn is_not_what_it_must_be(&self, run: &Execution) -> Problem {
        let (revision, output) = (self.version.label.clone(), run.outcome.text());
        match self.side {
            GoodOrBad::Good => Problem::GoodDoesNotPass { revision, output },
            GoodOrBad::Bad => Problem::BadDoesNotFail { revision, output },
        }
    }
}
