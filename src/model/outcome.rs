//! What came out of running the tests once, before anybody judges it.

use super::Secrets;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Of what a test printed before it failed so many lines are shown.
const MOST_PRINTED: usize = 10;

/// The raw result of one test execution. It holds no judgement, so that it can be cached and judged
/// later against any symptom.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Outcome {
    /// The variant could not be built.
    NotBuilt {
        /// What the compiler said.
        diagnostics: String,
    },
    /// A test runner ran and told test by test.
    Tests {
        /// In the order of execution.
        results: Vec<TestResult>,
    },
    /// A command of the user's ran to its end.
    Exited {
        /// The exit code, or 128 plus the signal's number.
        code: i32,
        /// The end of what it printed on both streams.
        output: String,
    },
    /// The time limit ran out.
    TimedOut {
        /// The test that was running, if known.
        test: Option<String>,
        /// The end of what was printed.
        output: String,
    },
    /// The test runner itself ended early (`System.exit`, a crashed JVM).
    Crashed {
        /// The end of what was printed.
        output: String,
    },
}

impl Outcome {
    /// Whether something was tested and nothing failed.
    pub fn is_pass(&self) -> bool {
        match self {
            Self::Exited { code, .. } => *code == 0,
            Self::Tests { results } => {
                results.iter().any(|result| result.status == TestStatus::Passed)
                    && !results.iter().any(|result| matches!(result.status, TestStatus::Failed(_)))
            }
            Self::NotBuilt { .. } | Self::TimedOut { .. } | Self::Crashed { .. } => false,
        }
    }

    /// The same, as if some tests had not run.
    #[must_use]
    pub fn without(self, tests: &BTreeSet<String>) -> Self {
        match self {
            Self::Tests { mut results } => {
                results.retain(|result| !tests.contains(&result.test));
                Self::Tests { results }
            }
            other => other,
        }
    }

    /// The same, with nothing secret in what tests and compilers said.
    #[must_use]
    pub fn hiding(mut self, secrets: &Secrets) -> Self {
        match &mut self {
            Self::NotBuilt { diagnostics: text }
            | Self::Exited { output: text, .. }
            | Self::TimedOut { output: text, .. }
            | Self::Crashed { output: text } => secrets.hide_in(text),
            Self::Tests { results } => {
                for result in results {
                    secrets.hide_in(&mut result.printed);
                    if let TestStatus::Failed(Failure { message: Some(text), .. }) =
                        &mut result.status
                    {
                        secrets.hide_in(text);
                    }
                }
            }
        }
        self
    }

    /// The tests that ended in some way.
    pub fn tests(&self, ended: impl Fn(&TestStatus) -> bool) -> BTreeSet<String> {
        let Self::Tests { results } = self else { return BTreeSet::new() };
        let those = results.iter().filter(|result| ended(&result.status));
        those.map(|result| result.test.clone()).collect()
    }

    /// What there is to read about it: diagnostics, output, or the failures one after the other.
    pub fn text(&self) -> String {
        match self {
            Self::Exited { code, output } if output.trim().is_empty() => {
                format!("the command exited with {code} and said nothing")
            }
            Self::NotBuilt { diagnostics: text }
            | Self::Exited { output: text, .. }
            | Self::Crashed { output: text } => text.clone(),
            Self::TimedOut { test, output } => {
                let test = test.as_deref().unwrap_or("the command");
                format!("{test} did not end in time\n{output}")
            }
            Self::Tests { results } => results.iter().map(TestResult::text).collect(),
        }
    }
}

impl TestResult {
    fn text(&self) -> String {
        match &self.status {
            TestStatus::Passed => format!("{} passed\n", self.test),
            TestStatus::Skipped => format!("{} was skipped\n", self.test),
            TestStatus::Failed(failure) => {
                let message = failure.message.as_deref().unwrap_or_default();
                let lines = failure.frames.iter().take(5).map(|frame| format!("    at {frame}\n"));
                let frames = lines.collect::<Vec<_>>().concat();
                let printed = self.last_printed();
                format!("{} threw {}: {message}\n{frames}{printed}", self.test, failure.exception)
            }
        }
    }

    fn last_printed(&self) -> String {
        let lines: Vec<&str> =
            self.printed.lines().filter(|line| !line.trim().is_empty()).collect();
        let shown = &lines[lines.len().saturating_sub(MOST_PRINTED)..];
        if shown.is_empty() {
            return String::new();
        }
        format!("  after it printed:\n    {}\n", shown.join("\n    "))
    }
}

impl std::fmt::Display for Frame {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let file = self.file.as_deref().unwrap_or("unknown source");
        write!(f, "{}.{}({file}", self.class, self.method)?;
        self.line.iter().try_for_each(|line| write!(f, ":{line}"))?;
        f.write_str(")")
    }
}

/// One test's result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TestResult {
    /// `pkg.Class#method`, with what the runner adds for parameters.
    pub test: String,
    /// How it ended.
    pub status: TestStatus,
    /// How long it took.
    pub millis: u64,
    /// Of one that failed, the end of what it printed, up to 4 KiB.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub printed: String,
}

impl TestResult {
    /// One that took no time and printed nothing.
    pub fn new(test: impl Into<String>, status: TestStatus) -> Self {
        Self { test: test.into(), status, millis: 0, printed: String::new() }
    }

    /// What it threw, if it failed.
    pub fn failure(&self) -> Option<&Failure> {
        match &self.status {
            TestStatus::Failed(failure) => Some(failure),
            TestStatus::Passed | TestStatus::Skipped => None,
        }
    }
}

/// How one test ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "status")]
pub enum TestStatus {
    /// It passed.
    Passed,
    /// It was not run, by its own wish or an unmet assumption.
    Skipped,
    /// It threw.
    Failed(Failure),
}

/// What a failed test threw.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// The class of what was thrown, fully qualified.
    pub exception: String,
    /// Its message.
    pub message: Option<String>,
    /// Its stack, innermost first.
    pub frames: Vec<Frame>,
}

impl Failure {
    /// Whether the same fault would show in the same place again: where a stack, the memory or the time ends is an
    /// accident.
    pub fn has_fixed_place(&self) -> bool {
        !matches!(
            &*self.exception,
            "java.lang.StackOverflowError"
                | "java.lang.OutOfMemoryError"
                | "org.junit.runners.model.TestTimedOutException"
                | "org.testng.internal.thread.ThreadTimeoutException"
        )
    }
}

/// One frame of a Java stack.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Frame {
    /// Fully qualified, `$` before nested names.
    pub class: String,
    /// The method's name, `<init>` for constructors.
    pub method: String,
    /// The source file's name, if known.
    pub file: Option<String>,
    /// Counted from 1, if known.
    pub line: Option<u32>,
}
