//! Repetition rule: the number of test runs for one verdict.

use mend_model::{Phase, Result, Verdict, format_count};
use mend_search::sequential_test::{SamplingCost, SequentialTest};
use std::sync::Arc;

/// Number of runs of each version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repeat {
    /// A fixed number of runs; the verdict is flaky if some pass and others fail.
    Times(u32),
    /// As many runs as the required confidence needs.
    Auto,
}

/// Rule that combines several runs into one verdict.
#[derive(Clone)]
pub(crate) enum Repetition {
    Times(u32),
    Sampled {
        sequential_test: Arc<SequentialTest>,
        /// Failure rates of good and bad, as text.
        failure_rates_text: String,
    },
}

impl Repetition {
    /// Returns the verdict on a version. `run` receives the number of earlier runs.
    pub(crate) fn verdict(&self, run: &mut dyn FnMut(u32) -> Result<Verdict>) -> Result<Verdict> {
        match self {
            Self::Times(times) => unanimous_verdict(*times, run),
            Self::Sampled { sequential_test: sampling, .. } => {
                let mut numbers = 0..;
                sampling.judge(&mut || run(numbers.next().unwrap_or(u32::MAX)))
            }
        }
    }

    /// Returns the number of runs if the maximum is reached.
    pub(crate) fn exhausted_runs(&self) -> Option<usize> {
        match self {
            Self::Sampled { sequential_test: sampling, .. } if sampling.is_budget_spent() => {
                Some(sampling.cost().runs)
            }
            _ => None,
        }
    }

    /// Summarises the repetitions for the result.
    pub(crate) fn summary(&self) -> Option<String> {
        let (sampling, often) = match self {
            Self::Sampled { sequential_test: sampling, failure_rates_text: often } => {
                (sampling, often)
            }
            Self::Times(times) => {
                return (*times > 1).then(|| format!("each version was run {times} times"));
            }
        };
        let SamplingCost {
            verdicts,
            undecided_verdicts: undecided,
            runs,
            max_runs_per_verdict: most,
        } = sampling.cost();
        let (verdicts, runs) = (format_count(verdicts, "verdict"), format_count(runs, "run"));
        let percent = sampling.confidence() * 100.0;
        let undecided = match undecided {
            0 => String::new(),
            _ => format!("; {undecided} of them undecided"),
        };
        Some(format!(
            "{often}; {verdicts} from {runs}, at most {most} each, confidence {percent:.0} %{undecided}"
        ))
    }
}

/// Runs the tests until their verdict is clear, and returns it.
fn unanimous_verdict(times: u32, run: &mut dyn FnMut(u32) -> Result<Verdict>) -> Result<Verdict> {
    let mut verdict = run(0)?;
    for number in 1..times {
        if !matches!(verdict, Verdict::Pass | Verdict::Fail) {
            break;
        }
        verdict = combine_verdicts(verdict, run(number)?);
    }
    Ok(verdict)
}

/// Returns the verdict of earlier runs and a further one. It is flaky if some passed and others did not; runs that all
/// fail may differ in how they fail.
pub(crate) fn combine_verdicts(earlier: Verdict, next: Verdict) -> Verdict {
    match (earlier, next) {
        (Verdict::Flaky, _) => Verdict::Flaky,
        (Verdict::Pass, Verdict::Pass) => Verdict::Pass,
        (_, untested @ Verdict::Unresolved(Phase::NotTestable)) => untested,
        (Verdict::Pass, _) | (_, Verdict::Pass) => Verdict::Flaky,
        (first, _) => first,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mend_search::sequential_test::{ConfidenceLevel, FailureRates};

    #[test]
    fn disagreeing_runs_are_flaky() {
        let runs = [Verdict::Pass, Verdict::Pass, Verdict::Fail];
        let verdict = |times| {
            Repetition::Times(times).verdict(&mut |number| Ok(runs[number as usize])).unwrap()
        };
        assert_eq!([1, 2, 3].map(verdict), [Verdict::Pass, Verdict::Pass, Verdict::Flaky]);
    }

    #[test]
    fn runs_that_all_fail_are_not_flaky() {
        let other_failure = Verdict::Unresolved(Phase::OtherFailure);
        let runs = [Verdict::Fail, other_failure, Verdict::Fail];
        let verdict = Repetition::Times(3).verdict(&mut |number| Ok(runs[number as usize]));
        assert_eq!(verdict.unwrap(), Verdict::Fail);
    }

    #[test]
    fn unresolved_version_is_not_repeated() {
        let mut runs = 0;
        let unresolved = Verdict::Unresolved(Phase::NotCompiled);
        let mut run = |_| {
            runs += 1;
            Ok(unresolved)
        };
        assert_eq!(Repetition::Times(5).verdict(&mut run).unwrap(), unresolved);
        assert_eq!(runs, 1);
    }

    #[test]
    fn summary_names_runs_and_confidence() {
        assert_eq!(Repetition::Times(1).summary(), None);
        assert_eq!(Repetition::Times(3).summary().unwrap(), "each version was run 3 times");
        let rates = FailureRates { good: 0.2, bad: 0.8 };
        let sampling = SequentialTest::new(rates, ConfidenceLevel::default()).unwrap();
        let sampled = Repetition::Sampled {
            sequential_test: Arc::new(sampling),
            failure_rates_text: "bad often".to_owned(),
        };
        sampled.verdict(&mut |_| Ok(Verdict::Pass)).unwrap();
        let expected_summary = "bad often; 1 verdict from 5 runs, at most 5 each, confidence 99 %";
        assert_eq!(sampled.summary().unwrap(), expected_summary);
    }
}
