//! How often good and bad fail, where the test is flaky.

use super::repetition::Repetition;
use crate::run::judge::baseline_check::Baseline;
use crate::run::session::versions::Version;
use mend_engine::{Execution, Limits};
use mend_model::{Event, Problem, Result, Side, Symptom, Verdict};
use mend_search::sequential_test;
use mend_search::sequential_test::{Certainty, SETTLED, Sampling, Tally};

/// Number of consecutive runs that neither pass nor show the symptom after which sampling stops.
const UNCLEAR: u32 = 3;

/// One end, run again and again.
struct End<'a> {
    side: Side,
    version: &'a Version,
    symptom: &'a Symptom,
    limits: &'a Limits,
    next: u32,
    tally: Tally,
}

impl Baseline<'_> {
    /// Returns the repetition for versions between two ends that fail intermittently.
    ///
    /// # Errors
    /// [`Problem::Noise`] if their failure rates do not differ significantly;
    /// [`Problem::GoodDoesNotPass`] and [`Problem::BadDoesNotFail`] if one of them never does so.
    pub(crate) fn sampled(
        &self,
        good: &Version,
        bad: &Version,
        limits: &Limits,
        symptom: &Symptom,
    ) -> Result<Repetition> {
        let what =
            "running good and bad alternately until their failure rates differ significantly";
        self.ledger.tell(Event::Stage(what.to_owned()))?;
        let mut ends = [(Side::Good, good), (Side::Bad, bad)]
            .map(|(side, version)| End::new(side, version, symptom, limits));
        let certainty = Certainty::default();
        let run = |is_bad: bool| self.run_of(&mut ends[usize::from(is_bad)]);
        let sequential_test::Baseline { good, bad, rates } =
            sequential_test::baseline(certainty, run)?;
        let Some(rates) = rates else {
            let runs = good.runs;
            return Err(Problem::Noise { good: good.failed, bad: bad.failed, runs });
        };
        let often = format!(
            "good fails in {} of {} runs, bad in {} of {}",
            good.failed, good.runs, bad.failed, bad.runs
        );
        self.ledger.tell(Event::Stage(often.clone()))?;
        Ok(Repetition::Sampled { sampling: Sampling::new(rates, certainty)?, often })
    }

    /// What looks for a version that fails at most half as often as bad.
    pub(crate) fn provisional(
        &self,
        bad: &Version,
        limits: &Limits,
        symptom: &Symptom,
    ) -> Result<Repetition> {
        let mut end = End::new(Side::Bad, bad, symptom, limits);
        while end.tally.runs < SETTLED {
            self.run_of(&mut end)?;
        }
        let Tally { failed, runs } = end.tally;
        let often = format!("bad fails in {failed} of {runs} runs");
        let sampling = Sampling::new(end.tally.half_as_often(), Certainty::default())?;
        Ok(Repetition::Sampled { sampling, often })
    }

    /// Whether the next run that says anything fails.
    fn run_of(&self, end: &mut End<'_>) -> Result<bool> {
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
            if unclear == UNCLEAR || end.side == Side::Good && is_always_failing {
                return Err(end.is_not_what_it_must_be(&run));
            }
            if !is_unclear {
                return Ok(verdict == Verdict::Fail);
            }
        }
    }
}

impl<'a> End<'a> {
    fn new(side: Side, version: &'a Version, symptom: &'a Symptom, limits: &'a Limits) -> Self {
        Self { side, version, symptom, limits, next: 0, tally: Tally::default() }
    }

    fn is_not_what_it_must_be(&self, run: &Execution) -> Problem {
        let (revision, output) = (self.version.label.clone(), run.outcome.text());
        match self.side {
            Side::Good => Problem::GoodDoesNotPass { revision, output },
            Side::Bad => Problem::BadDoesNotFail { revision, output },
        }
    }
}
