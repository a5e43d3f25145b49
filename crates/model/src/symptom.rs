//! Symptom: the failure that counts, and its comparison with other failures.

use super::{Failure, Frame, Outcome, Phase, TestExpectations, TestStatus, Verdict};
use regex::Regex;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// The failure that counts. Any other failure is unresolved.
#[derive(Clone, Debug)]
pub enum Symptom {
    /// One of these tests fails with its signature.
    Tests(BTreeMap<String, FailureSignature>),
    /// This test times out (`None`: the run as a whole does).
    TimeOut(Option<String>),
    /// The test runner ends early, after `System.exit` or a crash of the JVM.
    Crash,
    /// The exit code of a command decides.
    ExitCode,
    /// A failure whose text matches the pattern.
    Matches(Regex),
    /// A required test does not pass with a patch.
    Expectations(TestExpectations),
}

/// Signature of a failure: its properties that are equal in all versions with the same bug.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailureSignature {
    /// Class of the exception.
    pub exception: String,
    /// First line of the message on bad, for people; not compared.
    pub message: String,
    /// Normalised message; see [`normalise_message`].
    pub normalised_message: String,
    /// Class and method of the innermost frame in the project's own code, if it can be compared.
    pub frame: Option<(String, String)>,
}

impl FailureSignature {
    fn from_failure(
        failure: &Failure,
        is_comparable: &dyn Fn(&Frame) -> bool,
        is_own: &dyn Fn(&Frame) -> bool,
    ) -> Self {
        let frame = failure.frames.iter().find(|frame| is_own(frame));
        let frame = frame.filter(|_| failure.has_stable_location());
        let message = failure.message.as_deref().unwrap_or_default();
        Self {
            exception: failure.exception.clone(),
            message: message.lines().next().unwrap_or_default().to_owned(),
            normalised_message: normalise_message(message),
            frame: frame
                .filter(|frame| is_comparable(frame))
                .map(|frame| (frame.class.clone(), frame.method.clone())),
        }
    }

    fn matches(&self, failure: &Failure, is_own: &dyn Fn(&Frame) -> bool) -> bool {
        let signature = Self::from_failure(failure, &|_| true, is_own);
        self.exception == signature.exception
            && self.normalised_message == signature.normalised_message
            && (self.frame.is_none() || self.frame == signature.frame)
    }
}

/// Normalises a message: masks numbers, quoted and bracketed text, and addresses, which vary between versions.
pub fn normalise_message(message: &str) -> String {
    static VARIABLE_PARTS: LazyLock<[(Regex, &'static str); 5]> = LazyLock::new(|| {
        let regex =
            |pattern| Regex::new(pattern).unwrap_or_else(|_| unreachable!("a constant pattern"));
        [
            // A resident JVM has a class loader for each variant.
            (regex(r"of loader (?:'[^']*'|[\w.$]+ @[0-9a-f]+)"), "of loader …"),
            (regex(r"(?s)but was:.*"), "but was:…"),
            (regex(r#"(?s)"[^"]*"|'[^']*'|`[^`]*`|<.*>|\[.*\]"#), "…"),
            (regex(r"@[0-9a-f]{4,}|0x[0-9a-fA-F]+"), "@"),
            (regex(r"\d+(?:[.,]\d+)*"), "0"),
        ]
    });
    let masked = VARIABLE_PARTS.iter().fold(message.to_owned(), |text, (pattern, with)| {
        pattern.replace_all(&text, *with).into_owned()
    });
    masked.split_whitespace().collect::<Vec<_>>().join(" ")
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
            Outcome::Tests { results } => {
                let signatures: BTreeMap<_, _> = results
                    .iter()
                    .filter_map(|result| match &result.status {
                        TestStatus::Failed(failure) => Some((
                            result.test.clone(),
                            FailureSignature::from_failure(failure, is_comparable, is_own),
                        )),
                        TestStatus::Passed | TestStatus::Skipped => None,
                    })
                    .collect();
                (!signatures.is_empty()).then_some(Self::Tests(signatures))
            }
            Outcome::TimedOut { test, .. } => Some(Self::TimeOut(test.clone())),
            Outcome::Exited { code: 1..=124 | 126..=127, .. } => Some(Self::ExitCode),
            Outcome::Crashed { .. } => Some(Self::Crash),
            Outcome::NotBuilt { .. } | Outcome::Exited { .. } => None,
        }
    }

    /// Returns the verdict on an outcome. `is_own` as in [`Symptom::from_bad_outcome`].
    pub fn judge(&self, outcome: &Outcome, is_own: &dyn Fn(&Frame) -> bool) -> Verdict {
        if let Self::Expectations(expectations) = self {
            return expectations.judge(outcome);
        }
        match outcome {
            Outcome::NotBuilt { part, .. } => Verdict::Unresolved(part.phase()),
            Outcome::Tests { results } => self.judge_tests(results, is_own),
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
            Self::Tests(_) | Self::TimeOut(_) | Self::Crash | Self::Expectations(_) => false,
        };
        if is_symptom { Verdict::Fail } else { Verdict::Unresolved(Phase::OtherFailure) }
    }

    fn judge_tests(
        &self,
        results: &[super::TestResult],
        is_own: &dyn Fn(&Frame) -> bool,
    ) -> Verdict {
        let mut failures = results
            .iter()
            .filter_map(|result| match &result.status {
                TestStatus::Failed(failure) => Some((&result.test, failure)),
                TestStatus::Passed | TestStatus::Skipped => None,
            })
            .peekable();
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
                signatures.get(test).is_some_and(|signature| signature.matches(failure, is_own))
            }
            Self::Matches(pattern) => {
                let message = failure.message.as_deref().unwrap_or_default();
                pattern.is_match(&format!("{}: {message}", failure.exception))
            }
            Self::TimeOut(_) | Self::Crash | Self::ExitCode | Self::Expectations(_) => false,
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
            Self::Tests(signatures) => match signatures.iter().next() {
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
            Self::ExitCode => "the command exits with a code from 1 to 127".to_owned(),
            Self::Expectations(demands) => demands.describe(),
            Self::Matches(pattern) => format!("a failure that matches /{pattern}/"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TestResult;

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

    #[test]
    fn normalisation_masks_numbers_quotes_and_addresses() {
        assert_eq!(
            normalise_message("Index 3 out of bounds for length 12"),
            "Index 0 out of bounds for length 0"
        );
        assert_eq!(normalise_message("no \"a b\" in Foo@1b2c3d"), "no … in Foo@");
        assert_eq!(normalise_message("expected:<[a]> but was:<[b]>"), "expected:… but was:…");
    }

    #[test]
    fn normalisation_masks_class_loader_names() {
        let normalised_for = |loader: &str| {
            normalise_message(&format!(
                "class a.B cannot be cast to class a.C (a.B and a.C are in unnamed module of loader {loader})"
            ))
        };
        assert_eq!(normalised_for("'app'"), normalised_for("gitmend.state.VariantClassLoader @1b"));
        assert_eq!(normalised_for("'app'"), normalised_for("java.net.URLClassLoader @5e91993f"));
    }
}
