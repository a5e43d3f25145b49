//! Sampled cross-checks of warm executions against clean builds.

use fastrand::Rng;
use mend_model::{Failure, MessageTemplate, Outcome, TestResult, TestStatus};
use std::collections::{BTreeMap, BTreeSet};

/// Number of executions at the start that are all checked: both ends of a search are among them.
const INITIAL_CHECKS: usize = 2;

/// Sampling rate of the other executions until the first check; each check lowers the rate by as
/// much. A check costs as much as dozens of warm executions, and adds less certainty the more there
/// were.
const SAMPLING_INTERVAL: usize = 25;

/// Sampled cross-checks: their results so far, and the selection of the next ones.
#[derive(Debug)]
pub struct CrossCheck {
    random: Rng,
    /// Executions without doubt are checked with a probability of 1 in this number.
    sampling_interval: usize,
    /// Number of executions that are still checked unconditionally.
    remaining_initial_checks: usize,
    disagreements: usize,
}

impl CrossCheck {
    /// Creates the cross-checks of a run; `seed` determines the random selection.
    pub fn new(seed: u64) -> Self {
        Self {
            random: Rng::with_seed(seed),
            sampling_interval: SAMPLING_INTERVAL,
            remaining_initial_checks: INITIAL_CHECKS,
            disagreements: 0,
        }
    }

    /// Creates cross-checks that select no execution.
    pub(super) fn without_sampling() -> Self {
        Self { sampling_interval: usize::MAX, remaining_initial_checks: 0, ..Self::new(0) }
    }

    /// Returns true if no cross-check disagreed.
    pub fn is_trusted(&self) -> bool {
        self.disagreements == 0
    }

    /// Returns true if the next execution is one of the first, which are always checked.
    pub fn is_initial_run(&self) -> bool {
        self.remaining_initial_checks > 0
    }

    /// Counts one of the first executions, which was checked.
    pub fn count_initial_run(&mut self) {
        self.remaining_initial_checks = self.remaining_initial_checks.saturating_sub(1);
    }

    /// Returns true if an execution without doubt is checked, at random.
    pub fn is_check_due(&mut self) -> bool {
        let is_sampled = self.random.usize(..self.sampling_interval) == 0;
        if is_sampled {
            self.sampling_interval = self.sampling_interval.saturating_add(SAMPLING_INTERVAL);
        }
        is_sampled
    }

    /// Counts an outcome of a worker that differs from the outcome of a clean build.
    pub fn record_disagreement(&mut self) {
        self.disagreements += 1;
    }
}

/// Difference between two outcomes of the same version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum OutcomeDifference {
    /// Other tests fail, in words.
    Results(String),
    /// The same tests fail, but in another way, in words.
    Failures(String),
}

/// Returns the difference between the outcome of a worker and that of a clean build. Messages may differ in parts,
/// because identifiers and paths vary from run to run.
pub(super) fn compare_outcomes(
    warm_outcome: &Outcome,
    clean_outcome: &Outcome,
) -> Option<OutcomeDifference> {
    if is_endless_recursion(warm_outcome, clean_outcome)
        || is_endless_recursion(clean_outcome, warm_outcome)
    {
        return None;
    }
    let difference_in = |describe: fn(&TestResult) -> String| {
        first_difference(
            &outcome_facts(warm_outcome, describe),
            &outcome_facts(clean_outcome, describe),
        )
    };
    if let Some(difference) = difference_in(describe_status) {
        return Some(OutcomeDifference::Results(difference));
    }
    difference_in(describe_failure)
        .or_else(|| unlike_messages(warm_outcome, clean_outcome))
        .map(OutcomeDifference::Failures)
}

/// Returns true if two clean builds of a version have equal outcomes, normalised messages included.
pub(super) fn is_reproducible(first_outcome: &Outcome, second_outcome: &Outcome) -> bool {
    let second_failures = failures_by_test(second_outcome);
    let has_same_message = |(test, first): (&str, &Failure)| {
        second_failures.get(test).is_some_and(|second| {
            MessageTemplate::new(message_of(first)).matches(message_of(second))
        })
    };
    compare_outcomes(first_outcome, second_outcome).is_none()
        && failures_by_test(first_outcome).into_iter().all(has_same_message)
}

/// Returns the first facts that only one of the two outcomes has; `None` if all are equal.
fn first_difference(warm: &BTreeSet<String>, clean: &BTreeSet<String>) -> Option<String> {
    let first_of = |one: &BTreeSet<String>, other: &BTreeSet<String>| {
        let first = one.difference(other).next();
        first.map_or_else(|| "nothing more".to_owned(), Clone::clone)
    };
    (warm != clean).then(|| describe_difference(&first_of(warm, clean), &first_of(clean, warm)))
}

fn describe_difference(warm: &str, clean: &str) -> String {
    format!("resident: {warm}, fresh: {clean}")
}

/// Returns the first two messages of the same failure that have little in common.
fn unlike_messages(warm_outcome: &Outcome, clean_outcome: &Outcome) -> Option<String> {
    let clean_failures = failures_by_test(clean_outcome);
    failures_by_test(warm_outcome).into_iter().find_map(|(test, warm)| {
        let (warm, clean) = (message_of(warm), message_of(clean_failures.get(test)?));
        let template = MessageTemplate::new(warm).generalise(clean);
        template.matches_any_message().then(|| {
            let failure = |message: &str| format!("{test} failed: {message}");
            describe_difference(&failure(warm), &failure(clean))
        })
    })
}

fn failures_by_test(outcome: &Outcome) -> BTreeMap<&str, &Failure> {
    let results = match outcome {
        Outcome::Tests { results } => &results[..],
        _ => &[],
    };
    results.iter().filter_map(|result| Some((result.test.as_str(), result.failure()?))).collect()
}

fn message_of(failure: &Failure) -> &str {
    failure.message.as_deref().unwrap_or_default()
}

/// Converts an outcome to facts that can be compared.
fn outcome_facts(outcome: &Outcome, describe: fn(&TestResult) -> String) -> BTreeSet<String> {
    match outcome {
        Outcome::NotBuilt { .. } => BTreeSet::from(["not built".to_owned()]),
        Outcome::Crashed { .. } => BTreeSet::from(["the JVM ended".to_owned()]),
        // The load of the machine decides during which test the time limit of all tests is reached.
        Outcome::TimedOut { .. } => BTreeSet::from(["the time ran out".to_owned()]),
        Outcome::Exited { code, .. } => BTreeSet::from([format!("exit code {code}")]),
        Outcome::Tests { results } => results.iter().map(describe).collect(),
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

fn describe_status(result: &TestResult) -> String {
    let status = match &result.status {
        TestStatus::Passed => "passed",
        TestStatus::Skipped => "skipped",
        TestStatus::Failed(_) => "failed",
    };
    format!("{} {status}", result.test)
}

/// Describes a result by what a symptom distinguishes, except the message: exception class and project method.
fn describe_failure(result: &TestResult) -> String {
    let Some(failure) = result.failure() else { return describe_status(result) };
    let project_frame = failure.frames.iter().find(|frame| !is_library(&frame.class));
    let project_frame = project_frame.filter(|_| failure.has_stable_location());
    let location = project_frame.map(|frame| format!(" in {}.{}", frame.class, frame.method));
    format!("{} threw {}{}", result.test, failure.exception, location.unwrap_or_default())
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

    fn failed(exception: &str, message: Option<&str>, frames: Vec<Frame>) -> Outcome {
        let failure =
            Failure { exception: exception.into(), message: message.map(str::to_owned), frames };
        outcome(TestStatus::Failed(failure), 1)
    }

    fn frame(method: &str) -> Frame {
        Frame { class: "a.B".into(), method: method.into(), file: None, line: None }
    }

    #[test]
    fn one_disagreement_disables_warm_runs() {
        let mut cross_check = CrossCheck::new(1);
        assert!(cross_check.is_trusted());
        cross_check.record_disagreement();
        assert!(!cross_check.is_trusted());
    }

    #[test]
    fn duration_is_not_compared_but_status_is() {
        let (first, second) = (outcome(TestStatus::Passed, 1), outcome(TestStatus::Passed, 9));
        assert_eq!(compare_outcomes(&first, &second), None);
        assert_eq!(
            compare_outcomes(&first, &outcome(TestStatus::Skipped, 1)),
            Some(OutcomeDifference::Results("resident: a.T#t passed, fresh: a.T#t skipped".into()))
        );
    }

    #[test]
    fn messages_may_differ_in_parts() {
        let run = |message: &str| failed("E", Some(message), vec![frame("m")]);
        assert_eq!(compare_outcomes(&run("no user kJx"), &run("no user abc")), None);
        let difference = compare_outcomes(&run("no user kJx"), &run("broken pipe"));
        assert!(matches!(difference, Some(OutcomeDifference::Failures(_))), "{difference:?}");
    }

    #[test]
    fn varying_messages_are_not_reproducible() {
        let run = |message: &str| failed("E", Some(message), vec![frame("m")]);
        assert!(is_reproducible(&run("no user 1"), &run("no user 2")));
        assert!(!is_reproducible(&run("no user kJx"), &run("no user abc")));
        assert!(!is_reproducible(&run("no user"), &outcome(TestStatus::Passed, 1)));
    }

    #[test]
    fn exception_and_frame_are_compared() {
        let run = |exception, method| failed(exception, Some("x"), vec![frame(method)]);
        for other in [run("F", "m"), run("E", "n")] {
            let difference = compare_outcomes(&run("E", "m"), &other);
            assert!(matches!(difference, Some(OutcomeDifference::Failures(_))), "{difference:?}");
        }
    }

    #[test]
    fn stack_overflow_frames_are_not_compared() {
        let overflow_in =
            |method: &str| failed("java.lang.StackOverflowError", None, vec![frame(method)]);
        assert_eq!(compare_outcomes(&overflow_in("m"), &overflow_in("n")), None);
    }

    #[test]
    fn timed_out_test_is_not_compared_but_the_timeout_is() {
        let timed_out_in =
            |test: &str| Outcome::TimedOut { test: Some(test.into()), output: String::new() };
        assert_eq!(compare_outcomes(&timed_out_in("a.B#c"), &timed_out_in("a.B#d")), None);
        let passed = outcome(TestStatus::Passed, 1);
        assert!(compare_outcomes(&timed_out_in("a.B#c"), &passed).is_some());
    }

    #[test]
    fn endless_recursion_may_overflow_or_time_out() {
        let overflowed = failed("java.lang.StackOverflowError", None, Vec::new());
        let timed_out = Outcome::TimedOut { test: None, output: String::new() };
        assert_eq!(compare_outcomes(&overflowed, &timed_out), None);
        assert_eq!(compare_outcomes(&timed_out, &overflowed), None);
        assert!(compare_outcomes(&overflowed, &outcome(TestStatus::Passed, 1)).is_some());
    }

    #[test]
    fn initial_runs_and_a_sample_are_checked() {
        let mut cross_check = CrossCheck::new(7);
        for _ in 0..INITIAL_CHECKS {
            assert!(cross_check.is_initial_run());
            cross_check.count_initial_run();
        }
        assert!(!cross_check.is_initial_run());
        let mut count_checks =
            |runs: usize| (0..runs).filter(|_| cross_check.is_check_due()).count();
        let (early, late) = (count_checks(500), count_checks(500));
        assert!((3..15).contains(&early) && (1..8).contains(&late), "{early} {late}");
    }
}
