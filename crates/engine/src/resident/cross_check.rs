//! Sampled cross-checks of warm executions against clean builds.

use fastrand::Rng;
use mend_model::{Outcome, TestResult, TestStatus, normalise_message};
use std::collections::BTreeSet;

/// Number of executions at the start that are all checked: both ends of a search are among them.
const INITIAL_CHECKS: usize = 2;

/// Sampling rate of the other executions until the first check; each check lowers the rate by as
/// much. A check costs as much as dozens of warm executions, and adds less certainty the more there
/// were.
const SAMPLING_INTERVAL: usize = 25;

/// Sampled cross-checks: their results so far, and the selection of the next ones.
pub(super) struct CrossCheck {
    random: Rng,
    /// Executions without doubt are checked with a probability of 1 in this number.
    sampling_interval: usize,
    /// Number of executions that are still checked unconditionally.
    remaining_initial_checks: usize,
    disagreements: usize,
}

impl CrossCheck {
    pub(super) fn new(seed: u64) -> Self {
        Self {
            random: Rng::with_seed(seed),
            sampling_interval: SAMPLING_INTERVAL,
            remaining_initial_checks: INITIAL_CHECKS,
            disagreements: 0,
        }
    }

    /// Creates a cross-check that samples nothing, for tests that compare outcomes themselves.
    #[cfg(test)]
    pub(super) fn without_sampling() -> Self {
        Self { sampling_interval: usize::MAX, remaining_initial_checks: 0, ..Self::new(0) }
    }

    /// Returns true if no cross-check disagreed.
    pub(super) fn is_trusted(&self) -> bool {
        self.disagreements == 0
    }

    /// Returns true if the next execution is one of the first, which are always checked.
    pub(super) fn is_initial_run(&self) -> bool {
        self.remaining_initial_checks > 0
    }

    /// Returns true if an execution without doubt is checked, at random.
    pub(super) fn is_check_due(&mut self) -> bool {
        if self.remaining_initial_checks > 0 {
            self.remaining_initial_checks -= 1;
            return true;
        }
        let is_sampled = self.random.usize(..self.sampling_interval) == 0;
        if is_sampled {
            self.sampling_interval = self.sampling_interval.saturating_add(SAMPLING_INTERVAL);
        }
        is_sampled
    }

    /// Returns the difference between the outcomes of a worker and of a clean build, if there is one, and counts it.
    pub(super) fn compare_outcomes(
        &mut self,
        warm_outcome: &Outcome,
        clean_outcome: &Outcome,
    ) -> Option<String> {
        let is_endless = is_endless_recursion(warm_outcome, clean_outcome)
            || is_endless_recursion(clean_outcome, warm_outcome);
        let (warm_outcome, clean_outcome) =
            (outcome_facts(warm_outcome), outcome_facts(clean_outcome));
        if warm_outcome == clean_outcome || is_endless {
            return None;
        }
        self.disagreements += 1;
        let first_difference = |one: &BTreeSet<String>, other: &BTreeSet<String>| {
            let first = one.difference(other).next();
            first.map_or_else(|| "nothing more".to_owned(), Clone::clone)
        };
        Some(format!(
            "resident: {}, fresh: {}",
            first_difference(&warm_outcome, &clean_outcome),
            first_difference(&clean_outcome, &warm_outcome)
        ))
    }
}

/// Converts an outcome to the facts that symptoms distinguish: tests, their results, and failing project methods.
fn outcome_facts(outcome: &Outcome) -> BTreeSet<String> {
    match outcome {
        Outcome::NotBuilt { .. } => BTreeSet::from(["not built".to_owned()]),
        Outcome::Crashed { .. } => BTreeSet::from(["the JVM ended".to_owned()]),
        // The load of the machine decides during which test the time limit of all tests is reached.
        Outcome::TimedOut { .. } => BTreeSet::from(["the time ran out".to_owned()]),
        Outcome::Exited { code, .. } => BTreeSet::from([format!("exit code {code}")]),
        Outcome::Tests { results } => results.iter().map(describe_result).collect(),
    }
}

/// Returns true if an endless recursion timed out in one outcome and overflowed the stack in the other. The load of the
/// machine decides between the two.
fn is_endless_recursion(timed_out: &Outcome, overflowed: &Outcome) -> bool {
    let Outcome::Tests { results } = overflowed else { return false };
    let failures = results.iter().filter_map(TestResult::failure);
    let is_deep = |class: &str| class == "java.lang.StackOverflowError";
    matches!(timed_out, Outcome::TimedOut { .. })
        && failures.into_iter().any(|failure| is_deep(&failure.exception))
}

fn describe_result(result: &TestResult) -> String {
    let test = &result.test;
    match &result.status {
        TestStatus::Passed => format!("{test} passed"),
        TestStatus::Skipped => format!("{test} skipped"),
        TestStatus::Failed(failure) => {
            let message = normalise_message(failure.message.as_deref().unwrap_or_default());
            let project_frame = failure.frames.iter().find(|frame| !is_library(&frame.class));
            let project_frame = project_frame.filter(|_| failure.has_stable_location());
            let location =
                project_frame.map(|frame| format!(" in {}.{}", frame.class, frame.method));
            format!("{test} threw {}: {message}{}", failure.exception, location.unwrap_or_default())
        }
    }
}

fn is_library(class: &str) -> bool {
    ["java.", "javax.", "jdk.", "sun.", "com.sun.", "org.junit.", "junit.", "org.hamcrest."]
        .iter()
        .any(|start| class.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::*;
    use mend_model::{Failure, Frame};

    fn outcome(status: TestStatus, millis: u64) -> Outcome {
        Outcome::Tests { results: vec![TestResult { millis, ..TestResult::new("a.T#t", status) }] }
    }

    #[test]
    fn one_disagreement_disables_warm_runs() {
        let mut cross_check = CrossCheck::new(1);
        let (first, second) = (outcome(TestStatus::Passed, 1), outcome(TestStatus::Passed, 9));
        assert_eq!(cross_check.compare_outcomes(&first, &second), None);
        assert!(cross_check.is_trusted());
        let difference =
            cross_check.compare_outcomes(&first, &outcome(TestStatus::Skipped, 1)).unwrap();
        assert_eq!(difference, "resident: a.T#t passed, fresh: a.T#t skipped");
        assert!(!cross_check.is_trusted());
    }

    #[test]
    fn stack_overflow_frames_are_not_compared() {
        let overflow_in = |method: &str| {
            let frame =
                Frame { class: "a.B".into(), method: method.into(), file: None, line: None };
            let exception = "java.lang.StackOverflowError".into();
            let failure = Failure { exception, message: None, frames: vec![frame] };
            outcome(TestStatus::Failed(failure), 1)
        };
        assert_eq!(CrossCheck::new(1).compare_outcomes(&overflow_in("m"), &overflow_in("n")), None);
    }

    #[test]
    fn timed_out_test_is_not_compared_but_the_timeout_is() {
        let timed_out_in =
            |test: &str| Outcome::TimedOut { test: Some(test.into()), output: String::new() };
        assert_eq!(
            CrossCheck::new(1).compare_outcomes(&timed_out_in("a.B#c"), &timed_out_in("a.B#d")),
            None
        );
        let passed = outcome(TestStatus::Passed, 1);
        assert!(CrossCheck::new(1).compare_outcomes(&timed_out_in("a.B#c"), &passed).is_some());
    }

    #[test]
    fn endless_recursion_may_overflow_or_time_out() {
        let exception = "java.lang.StackOverflowError".into();
        let failure = Failure { exception, message: None, frames: Vec::new() };
        let overflowed = outcome(TestStatus::Failed(failure), 1);
        let timed_out = Outcome::TimedOut { test: None, output: String::new() };
        assert_eq!(CrossCheck::new(1).compare_outcomes(&overflowed, &timed_out), None);
        assert_eq!(CrossCheck::new(1).compare_outcomes(&timed_out, &overflowed), None);
        let passed = outcome(TestStatus::Passed, 1);
        assert!(CrossCheck::new(1).compare_outcomes(&overflowed, &passed).is_some());
    }

    #[test]
    fn initial_runs_and_a_sample_are_checked() {
        let mut cross_check = CrossCheck::new(7);
        for _ in 0..INITIAL_CHECKS {
            assert!(cross_check.is_check_due());
        }
        let mut count_checks =
            |runs: usize| (0..runs).filter(|_| cross_check.is_check_due()).count();
        let (early, late) = (count_checks(500), count_checks(500));
        assert!((3..15).contains(&early) && (1..8).contains(&late), "{early} {late}");
    }
}
