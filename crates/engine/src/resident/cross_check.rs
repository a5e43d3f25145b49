//! Sampled cross-checks of warm executions against clean builds.

use fastrand::Rng;
use mend_model::{Outcome, TestResult, TestStatus, message_shape};
use std::collections::BTreeSet;

/// Number of executions at the start that are all checked: both ends of a search are among them.
const FIRST: usize = 2;

/// Sampling rate of the other executions until the first check; each check lowers the rate by as
/// much. A check costs as much as dozens of warm executions, and adds less certainty the more there
/// were.
const ONE_IN: usize = 25;

/// Sampled cross-checks: their results so far, and the choice of the next ones.
pub(super) struct CrossCheck {
    random: Rng,
    /// Executions without doubt are checked with a chance of one in this number.
    one_in: usize,
    /// Executions that are still to be checked whatever is drawn.
    first: usize,
    disagreements: usize,
}

impl CrossCheck {
    pub(super) fn new(seed: u64) -> Self {
        Self { random: Rng::with_seed(seed), one_in: ONE_IN, first: FIRST, disagreements: 0 }
    }

    /// Creates a cross-check that samples nothing, for tests that compare outcomes themselves.
    #[cfg(test)]
    pub(super) fn never_doubting() -> Self {
        Self { one_in: usize::MAX, first: 0, ..Self::new(0) }
    }

    /// Returns true if no cross-check disagreed.
    pub(super) fn is_trusted(&self) -> bool {
        self.disagreements == 0
    }

    /// Returns true if the next execution is one of the first, which are always checked.
    pub(super) fn begins(&self) -> bool {
        self.first > 0
    }

    /// Decides whether an undisputed execution is checked.
    pub(super) fn doubts(&mut self) -> bool {
        if self.first > 0 {
            self.first -= 1;
            return true;
        }
        let is_drawn = self.random.usize(..self.one_in) == 0;
        if is_drawn {
            self.one_in = self.one_in.saturating_add(ONE_IN);
        }
        is_drawn
    }

    /// The difference between a worker's outcome and a sure one, if there is one; it is counted.
    pub(super) fn compare(&mut self, quick: &Outcome, sure: &Outcome) -> Option<String> {
        let is_endless = has_no_end(quick, sure) || has_no_end(sure, quick);
        let (quick, sure) = (essence(quick), essence(sure));
        if quick == sure || is_endless {
            return None;
        }
        self.disagreements += 1;
        let only = |one: &BTreeSet<String>, other: &BTreeSet<String>| {
            let first = one.difference(other).next();
            first.map_or_else(|| "nothing more".to_owned(), Clone::clone)
        };
        Some(format!("resident: {}, fresh: {}", only(&quick, &sure), only(&sure, &quick)))
    }
}

/// Converts an outcome to the facts a symptom distinguishes: tests, how they ended, and in which
/// project methods.
fn essence(outcome: &Outcome) -> BTreeSet<String> {
    match outcome {
        Outcome::NotBuilt { .. } => BTreeSet::from(["not built".to_owned()]),
        Outcome::Crashed { .. } => BTreeSet::from(["the JVM ended".to_owned()]),
        // Which test it was that the time of all ran out in, the machine's load decides.
        Outcome::TimedOut { .. } => BTreeSet::from(["the time ran out".to_owned()]),
        Outcome::Exited { code, .. } => BTreeSet::from([format!("exit code {code}")]),
        Outcome::Tests { results } => results.iter().map(describe_result).collect(),
    }
}

/// Returns true if an endless recursion timed out in one outcome and overflowed the stack in the other. The load of the
/// machine decides between the two.
fn has_no_end(one: &Outcome, other: &Outcome) -> bool {
    let Outcome::Tests { results } = other else { return false };
    let failures = results.iter().filter_map(TestResult::failure);
    let is_deep = |class: &str| class == "java.lang.StackOverflowError";
    matches!(one, Outcome::TimedOut { .. })
        && failures.into_iter().any(|failure| is_deep(&failure.exception))
}

fn describe_result(result: &TestResult) -> String {
    let test = &result.test;
    match &result.status {
        TestStatus::Passed => format!("{test} passed"),
        TestStatus::Skipped => format!("{test} skipped"),
        TestStatus::Failed(failure) => {
            let shape = message_shape(failure.message.as_deref().unwrap_or_default());
            let own = failure.frames.iter().find(|frame| !is_library(&frame.class));
            let own = own.filter(|_| failure.has_fixed_place());
            let place = own.map(|frame| format!(" in {}.{}", frame.class, frame.method));
            format!("{test} threw {}: {shape}{}", failure.exception, place.unwrap_or_default())
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
    fn one_disagreement_ends_the_trust() {
        let mut trust = CrossCheck::new(1);
        let (one, other) = (outcome(TestStatus::Passed, 1), outcome(TestStatus::Passed, 9));
        assert_eq!(trust.compare(&one, &other), None);
        assert!(trust.is_trusted());
        let difference = trust.compare(&one, &outcome(TestStatus::Skipped, 1)).unwrap();
        assert_eq!(difference, "resident: a.T#t passed, fresh: a.T#t skipped");
        assert!(!trust.is_trusted());
    }

    #[test]
    fn a_stack_that_ends_in_another_method_is_no_disagreement() {
        let ended = |method: &str| {
            let frame =
                Frame { class: "a.B".into(), method: method.into(), file: None, line: None };
            let exception = "java.lang.StackOverflowError".into();
            let failure = Failure { exception, message: None, frames: vec![frame] };
            outcome(TestStatus::Failed(failure), 1)
        };
        assert_eq!(CrossCheck::new(1).compare(&ended("m"), &ended("n")), None);
    }

    #[test]
    fn where_the_time_ran_out_is_no_disagreement_and_that_it_did_is_one() {
        let out = |test: &str| Outcome::TimedOut { test: Some(test.into()), output: String::new() };
        assert_eq!(CrossCheck::new(1).compare(&out("a.B#c"), &out("a.B#d")), None);
        let ended = outcome(TestStatus::Passed, 1);
        assert!(CrossCheck::new(1).compare(&out("a.B#c"), &ended).is_some());
    }

    #[test]
    fn a_recursion_without_end_ends_by_the_stack_or_by_the_time() {
        let exception = "java.lang.StackOverflowError".into();
        let failure = Failure { exception, message: None, frames: Vec::new() };
        let deep = outcome(TestStatus::Failed(failure), 1);
        let late = Outcome::TimedOut { test: None, output: String::new() };
        assert_eq!(CrossCheck::new(1).compare(&deep, &late), None);
        assert_eq!(CrossCheck::new(1).compare(&late, &deep), None);
        let passed = outcome(TestStatus::Passed, 1);
        assert!(CrossCheck::new(1).compare(&deep, &passed).is_some());
    }

    #[test]
    fn the_first_executions_and_some_of_the_others_are_checked() {
        let mut trust = CrossCheck::new(7);
        for _ in 0..FIRST {
            assert!(trust.doubts());
        }
        let mut drawn = |runs: usize| (0..runs).filter(|_| trust.doubts()).count();
        let (early, late) = (drawn(500), drawn(500));
        assert!((3..15).contains(&early) && (1..8).contains(&late), "{early} {late}");
    }
}
