//! Symptom: the failure that counts, and its comparison with other failures.

use super::compile_error_signatures::error_signatures;
use super::failure_signature::FailureSignature;
use super::{Failure, Frame, Outcome, Phase, TestExpectations, TestResult, TestStatus, Verdict};
use regex::Regex;
use std::collections::{BTreeMap, BTreeSet};

/// The failure that counts. Any other failure is unresolved.
#[derive(Clone, Debug)]
pub enum Symptom {
    /// One of these tests fails with one of its signatures.
    Tests(BTreeMap<String, Vec<FailureSignature>>),
    /// This test times out (`None`: the run as a whole does).
    TimeOut(Option<String>),
    /// The test runner ends early, after `System.exit` or a crash of the JVM.
    Crash,
    /// The sources do not compile, with one of these errors.
    CompileErrors(BTreeSet<String>),
    /// The exit code of a command decides.
    ExitCode,
    /// A failure whose text matches the pattern.
    Matches(Regex),
    /// A required test does not pass with a patch.
    Expectations(TestExpectations),
}

impl Symptom {
    /// Derives the symptom from the failure of bad; `None` if `bad` is no failure.
    ///
    /// `is_own` returns true for frames in the project's code, `is_comparable` for frames whose method exists in both
    /// versions. A frame that one version lacks would make every variant another failure.
    pub fn from_bad_outcome(
        bad: &Outcome,
        is_own: &dyn Fn(&Frame) -> bool,
        is_comparable: &dyn Fn(&Frame) -> bool,
    ) -> Option<Self> {
        match bad {
            Outcome::Tests { .. } => {
                let mut symptom = Self::Tests(BTreeMap::new());
                symptom.learn_from_rerun(bad, is_own, is_comparable);
                matches!(&symptom, Self::Tests(signatures) if !signatures.is_empty())
                    .then_some(symptom)
            }
            Outcome::TimedOut { test, .. } => Some(Self::TimeOut(test.clone())),
            Outcome::Exited { code: 1..=124 | 126..=127, .. } => Some(Self::ExitCode),
            Outcome::Crashed { .. } => Some(Self::Crash),
            Outcome::NotBuilt { .. } | Outcome::Exited { .. } => None,
        }
    }

    /// Derives the symptom from the compile errors of bad; `None` if it was built or `javac` named no error.
    pub fn from_compile_errors(bad: &Outcome) -> Option<Self> {
        let Outcome::NotBuilt { diagnostics, .. } = bad else { return None };
        let errors = error_signatures(diagnostics);
        (!errors.is_empty()).then_some(Self::CompileErrors(errors))
    }

    /// Learns from one more run of bad: masks what differs in the messages of the same failure, and adds every other
    /// failure. Parameters as in [`Symptom::from_bad_outcome`].
    pub fn learn_from_rerun(
        &mut self,
        bad: &Outcome,
        is_own: &dyn Fn(&Frame) -> bool,
        is_comparable: &dyn Fn(&Frame) -> bool,
    ) {
        self.mask_differences(bad, is_own);
        let Self::Tests(signatures_of_test) = self else { return };
        for (test, failure) in failures(bad) {
            let signatures = signatures_of_test.entry(test.clone()).or_default();
            if !signatures.iter().any(|signature| signature.matches(failure, is_own)) {
                signatures.push(FailureSignature::from_failure(failure, is_comparable, is_own));
            }
        }
    }

    /// Masks what differs in messages from another run of bad with the same failure.
    pub fn mask_differences(&mut self, bad: &Outcome, is_own: &dyn Fn(&Frame) -> bool) {
        let Self::Tests(signatures_of_test) = self else { return };
        for (test, failure) in failures(bad) {
            let mut signatures = signatures_of_test.get_mut(test).into_iter().flatten();
            if let Some(same) =
                signatures.find(|signature| signature.is_same_place(failure, is_own))
            {
                same.generalise_message(failure);
            }
        }
    }

    /// Returns true if a test fails with the exception and in the place of the symptom, but no failure is the symptom
    /// because of its message.
    pub fn differs_in_message(&self, outcome: &Outcome, is_own: &dyn Fn(&Frame) -> bool) -> bool {
        self.any_in_same_place(outcome, is_own, &|_, _| true)
            && self.judge(outcome, is_own) != Verdict::Fail
    }

    /// Returns true if a test fails with the exception and in the place of the symptom, but with another message.
    /// Linkage errors do not count: their message names what is missing, so another one is another problem.
    pub fn is_same_with_other_message(
        &self,
        outcome: &Outcome,
        is_own: &dyn Fn(&Frame) -> bool,
    ) -> bool {
        self.any_in_same_place(outcome, is_own, &|_, failure| !failure.is_linkage_error())
            && self.judge(outcome, is_own) != Verdict::Fail
    }

    /// Returns true if further runs of bad may show that a failure in the place of the symptom is the symptom.
    pub fn may_match(&self, outcome: &Outcome, is_own: &dyn Fn(&Frame) -> bool) -> bool {
        self.any_in_same_place(outcome, is_own, &|signature, failure| {
            signature.template.may_match(failure.message.as_deref().unwrap_or_default())
        })
    }

    /// Returns true if the condition holds for any signature and a failure in its place.
    fn any_in_same_place(
        &self,
        outcome: &Outcome,
        is_own: &dyn Fn(&Frame) -> bool,
        condition: &dyn Fn(&FailureSignature, &Failure) -> bool,
    ) -> bool {
        let Self::Tests(signatures_of_test) = self else { return false };
        failures(outcome).any(|(test, failure)| {
            let signatures = signatures_of_test.get(test).into_iter().flatten();
            let mut same_place =
                signatures.filter(|signature| signature.is_same_place(failure, is_own));
            same_place.any(|signature| condition(signature, failure))
        })
    }

    /// Returns the tests whose messages are not compared, because they differ in each run of bad.
    pub fn tests_without_message(&self) -> Vec<&str> {
        let Self::Tests(signatures_of_test) = self else { return Vec::new() };
        let is_uncompared = |signatures: &[FailureSignature]| {
            signatures.iter().any(|signature| signature.template.matches_any_message())
        };
        let tests = signatures_of_test.iter().filter(|(_, signatures)| is_uncompared(signatures));
        tests.map(|(test, _)| test.as_str()).collect()
    }

    /// Returns the verdict on an outcome. `is_own` as in [`Symptom::from_bad_outcome`].
    pub fn judge(&self, outcome: &Outcome, is_own: &dyn Fn(&Frame) -> bool) -> Verdict {
        if let Self::Expectations(expectations) = self {
            return expectations.judge(outcome);
        }
        match outcome {
            Outcome::NotBuilt { diagnostics, part } => match self {
                Self::CompileErrors(errors)
                    if !errors.is_disjoint(&error_signatures(diagnostics)) =>
                {
                    Verdict::Fail
                }
                _ => Verdict::Unresolved(part.phase()),
            },
            Outcome::Tests { results } => self.judge_tests(outcome, results, is_own),
            Outcome::Exited { code: 0, .. } => Verdict::Pass,
            Outcome::Exited { code: 125, .. } => Verdict::Unresolved(Phase::NotTestable),
            Outcome::Exited { output, .. } => self.judge_text(output),
            Outcome::TimedOut { test, .. } => match self {
                Self::TimeOut(expected) if expected == test => Verdict::Fail,
                _ => Verdict::Unresolved(Phase::TimedOut),
            },
            Outcome::Crashed { .. } if matches!(self, Self::Crash) => Verdict::Fail,
            Outcome::Crashed { output } => match self {
                Self::Matches(_) => self.judge_text(output),
                _ => Verdict::Unresolved(Phase::OtherFailure),
            },
        }
    }

    fn judge_text(&self, output: &str) -> Verdict {
        let is_symptom = match self {
            Self::ExitCode => true,
            Self::Matches(pattern) => pattern.is_match(output),
            Self::Tests(_)
            | Self::TimeOut(_)
            | Self::Crash
            | Self::CompileErrors(_)
            | Self::Expectations(_) => false,
        };
        if is_symptom { Verdict::Fail } else { Verdict::Unresolved(Phase::OtherFailure) }
    }

    fn judge_tests(
        &self,
        outcome: &Outcome,
        results: &[TestResult],
        is_own: &dyn Fn(&Frame) -> bool,
    ) -> Verdict {
        let mut failures = failures(outcome).peekable();
        if failures.peek().is_none() {
            let has_passed = results.iter().any(|result| result.status == TestStatus::Passed);
            return if has_passed {
                Verdict::Pass
            } else {
                Verdict::Unresolved(Phase::NotTestable)
            };
        }
        let is_symptom = |(test, failure): (&String, &Failure)| match self {
            Self::Tests(signatures) => {
                let mut signatures = signatures.get(test).into_iter().flatten();
                signatures.any(|signature| signature.matches(failure, is_own))
            }
            Self::Matches(pattern) => {
                let message = failure.message.as_deref().unwrap_or_default();
                pattern.is_match(&format!("{}: {message}", failure.exception))
            }
            Self::TimeOut(_)
            | Self::Crash
            | Self::CompileErrors(_)
            | Self::ExitCode
            | Self::Expectations(_) => false,
        };
        if failures.any(is_symptom) {
            Verdict::Fail
        } else {
            Verdict::Unresolved(Phase::OtherFailure)
        }
    }

    /// Describes the symptom in one line.
    pub fn describe(&self) -> String {
        match self {
            Self::Tests(signatures) => match first_signature(signatures) {
                Some((test, signature)) => {
                    let other_count = signatures.len() - 1;
                    let others = if other_count == 0 {
                        String::new()
                    } else {
                        format!(" (and {other_count} more)")
                    };
                    let said = Some(&signature.message).filter(|message| !message.is_empty());
                    let said = said.map_or(String::new(), |message| format!(": {message}"));
                    format!("{test} throws {}{said}{others}", signature.exception)
                }
                None => "no test fails".to_owned(),
            },
            Self::TimeOut(Some(test)) => format!("{test} times out"),
            Self::TimeOut(None) => "the tests time out".to_owned(),
            Self::Crash => "the tests terminate the JVM".to_owned(),
            Self::CompileErrors(errors) => {
                let first = errors.first().map_or("", String::as_str);
                format!("the sources do not compile: {first}")
            }
            Self::ExitCode => "the command exits with a code from 1 to 127".to_owned(),
            Self::Expectations(demands) => demands.describe(),
            Self::Matches(pattern) => format!("a failure that matches /{pattern}/"),
        }
    }
}

fn first_signature(
    signatures: &BTreeMap<String, Vec<FailureSignature>>,
) -> Option<(&String, &FailureSignature)> {
    signatures.iter().find_map(|(test, signatures)| Some((test, signatures.first()?)))
}

/// Returns the failed tests of an outcome.
fn failures(outcome: &Outcome) -> impl Iterator<Item = (&String, &Failure)> {
    let results = match outcome {
        Outcome::Tests { results } => &results[..],
        _ => &[],
    };
    results.iter().filter_map(|result| Some((&result.test, result.failure()?)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn frame(class: &str, method: &str) -> Frame {
        Frame { class: class.into(), method: method.into(), file: None, line: None }
    }

    fn failed_outcome(exception: &str, message: &str, frames: Vec<Frame>) -> Outcome {
        let failure =
            Failure { exception: exception.into(), message: Some(message.into()), frames };
        Outcome::Tests { results: vec![TestResult::new("a.BTest#c", TestStatus::Failed(failure))] }
    }

    fn is_own(frame: &Frame) -> bool {
        frame.class.starts_with("a.")
    }

    fn symptom_of(bad: &Outcome) -> Symptom {
        Symptom::from_bad_outcome(bad, &is_own, &is_own).unwrap()
    }

    #[test]
    fn same_exception_with_other_values_matches() {
        let symptom =
            symptom_of(&failed_outcome("E", "expected:<1> but was:<2>", vec![frame("a.B", "m")]));
        let second_failure = failed_outcome(
            "E",
            "expected:<1> but was:<37>",
            vec![frame("java.X", "y"), frame("a.B", "m")],
        );
        assert_eq!(symptom.judge(&second_failure, &is_own), Verdict::Fail);
    }

    #[test]
    fn other_exception_message_or_frame_is_unresolved() {
        let symptom = symptom_of(&failed_outcome("E", "no such key", vec![frame("a.B", "m")]));
        for other in [
            failed_outcome("F", "no such key", vec![frame("a.B", "m")]),
            failed_outcome("E", "broken pipe", vec![frame("a.B", "m")]),
            failed_outcome("E", "no such key", vec![frame("a.B", "n")]),
        ] {
            assert_eq!(symptom.judge(&other, &is_own), Verdict::Unresolved(Phase::OtherFailure));
        }
    }

    #[test]
    fn frames_of_a_stack_overflow_are_not_compared() {
        let stack_overflow =
            |method| failed_outcome("java.lang.StackOverflowError", "", vec![frame("a.B", method)]);
        assert_eq!(
            symptom_of(&stack_overflow("m")).judge(&stack_overflow("n"), &is_own),
            Verdict::Fail
        );
    }

    #[test]
    fn frame_missing_on_one_side_is_not_compared() {
        let bad = failed_outcome("E", "x", vec![frame("a.B", "renamed")]);
        let symptom = Symptom::from_bad_outcome(&bad, &is_own, &|_| false).unwrap();
        assert_eq!(
            symptom.judge(&failed_outcome("E", "x", vec![frame("a.B", "original")]), &is_own),
            Verdict::Fail
        );
    }

    #[test]
    fn run_with_only_skipped_tests_is_not_testable() {
        let symptom = symptom_of(&failed_outcome("E", "x", vec![]));
        let skipped =
            Outcome::Tests { results: vec![TestResult::new("a.BTest#c", TestStatus::Skipped)] };
        assert_eq!(symptom.judge(&skipped, &is_own), Verdict::Unresolved(Phase::NotTestable));
    }

    #[test]
    fn timeout_matches_only_a_timeout_symptom() {
        let timed_out = Outcome::TimedOut { test: Some("a.BTest#c".into()), output: String::new() };
        assert_eq!(symptom_of(&timed_out).judge(&timed_out, &is_own), Verdict::Fail);
        let symptom = symptom_of(&failed_outcome("E", "x", vec![]));
        assert_eq!(symptom.judge(&timed_out, &is_own), Verdict::Unresolved(Phase::TimedOut));
    }

    #[test]
    fn pattern_symptom_decides_alone() {
        let symptom = Symptom::Matches(Regex::new("no such").unwrap());
        assert_eq!(
            symptom.judge(&failed_outcome("E", "no such key", vec![]), &is_own),
            Verdict::Fail
        );
        assert_eq!(
            symptom.judge(&failed_outcome("E", "other", vec![]), &is_own),
            Verdict::Unresolved(Phase::OtherFailure)
        );
    }

    /// Learns from runs of bad that fail with these exceptions and messages in the same place.
    fn learn(runs: &[(String, String)]) -> Symptom {
        let outcome = |(exception, message): &(String, String)| {
            failed_outcome(exception, message, vec![frame("a.B", "m")])
        };
        let mut symptom = symptom_of(&outcome(&runs[0]));
        for run in &runs[1..] {
            symptom.learn_from_rerun(&outcome(run), &is_own, &is_own);
        }
        symptom
    }

    #[test]
    fn varying_part_of_a_message_is_learnt_from_a_rerun() {
        let run = |id: &str| failed_outcome("E", &format!("no user {id} in A"), vec![]);
        let mut symptom = symptom_of(&run("kJxQz"));
        assert!(symptom.differs_in_message(&run("abc"), &is_own));
        assert!(!symptom.may_match(&run("abc"), &is_own));
        symptom.learn_from_rerun(&run("UyCb"), &is_own, &is_own);
        assert_eq!(symptom.judge(&run("abc"), &is_own), Verdict::Fail);
        assert!(!symptom.differs_in_message(&run("abc"), &is_own));
        assert!(symptom.may_match(&run("abc"), &is_own));
        let other = failed_outcome("E", "no user abc in B", vec![]);
        assert_eq!(symptom.judge(&other, &is_own), Verdict::Unresolved(Phase::OtherFailure));
        assert_eq!(symptom.tests_without_message(), Vec::<&str>::new());
    }

    #[test]
    fn failure_with_another_message_is_similar_unless_it_is_a_linkage_error() {
        let is_similar = |exception: &str, other_exception: &str, message: &str| {
            let bad = failed_outcome(exception, "no method a", vec![frame("a.B", "m")]);
            let other = failed_outcome(other_exception, message, vec![frame("a.B", "m")]);
            symptom_of(&bad).is_same_with_other_message(&other, &is_own)
        };
        assert!(is_similar("E", "E", "other"));
        assert!(!is_similar("E", "E", "no method a"));
        assert!(!is_similar("E", "F", "other"));
        let linkage = "java.lang.NoSuchMethodError";
        assert!(!is_similar(linkage, linkage, "no method b"));
    }

    #[test]
    fn unlike_messages_of_reruns_are_not_compared() {
        let run = |message: &str, method| failed_outcome("E", message, vec![frame("a.B", method)]);
        let mut symptom = symptom_of(&run("connection reset", "m"));
        symptom.learn_from_rerun(&run("no route to host", "m"), &is_own, &is_own);
        assert_eq!(symptom.tests_without_message(), ["a.BTest#c"]);
        assert_eq!(symptom.judge(&run("broken pipe", "m"), &is_own), Verdict::Fail);
        assert_ne!(symptom.judge(&run("broken pipe", "n"), &is_own), Verdict::Fail);
    }

    #[test]
    fn every_exception_of_reruns_is_a_symptom() {
        let runs = [("E", "x"), ("F", "y")].map(|(one, other)| (one.to_owned(), other.to_owned()));
        let symptom = learn(&runs);
        for (exception, message) in &runs {
            let outcome = failed_outcome(exception, message, vec![frame("a.B", "m")]);
            assert_eq!(symptom.judge(&outcome, &is_own), Verdict::Fail);
        }
    }

    #[test]
    fn other_exception_does_not_differ_in_message() {
        let symptom = symptom_of(&failed_outcome("E", "x", vec![frame("a.B", "m")]));
        for other in [
            failed_outcome("F", "y", vec![frame("a.B", "m")]),
            failed_outcome("E", "y", vec![frame("a.B", "n")]),
            failed_outcome("E", "x", vec![frame("a.B", "m")]),
        ] {
            assert!(!symptom.differs_in_message(&other, &is_own));
        }
    }

    proptest! {
        #[test]
        fn every_run_of_bad_shows_the_symptom(
            runs in prop::collection::vec(("[EF]", "[a-c /:0-9]{0,12}"), 1..5),
        ) {
            let symptom = learn(&runs);
            for (exception, message) in &runs {
                let outcome = failed_outcome(exception, message, vec![frame("a.B", "m")]);
                prop_assert_eq!(symptom.judge(&outcome, &is_own), Verdict::Fail);
            }
        }

        #[test]
        fn other_exception_class_never_shows_the_symptom(
            runs in prop::collection::vec(("[EF]", "[a-c /:0-9]{0,12}"), 1..5),
            message in "[a-c /:0-9]{0,12}",
        ) {
            let outcome = failed_outcome("G", &message, vec![frame("a.B", "m")]);
            prop_assert_eq!(
                learn(&runs).judge(&outcome, &is_own),
                Verdict::Unresolved(Phase::OtherFailure)
            );
        }
    }
}
