//! Raw result of one test run, without a verdict.

use super::{Phase, Secrets};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Maximum number of lines shown of the output before a failure.
const MAX_PRINTED_LINES: usize = 10;

/// Raw result of one test run. It has no verdict, so that it can be cached and compared later with any symptom.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Outcome {
    /// The variant could not be built.
    NotBuilt {
        /// The compiler output.
        diagnostics: String,
        /// The part that does not compile.
        #[serde(default)]
        part: BuildPart,
    },
    /// A test runner ran and reported each test.
    Tests {
        /// Results in the order of execution.
        results: Vec<TestResult>,
    },
    /// The user's command exited.
    Exited {
        /// The exit code, or 128 plus the signal's number.
        code: i32,
        /// End of the output on both streams.
        output: String,
    },
    /// The time limit was reached.
    TimedOut {
        /// The test that was running, if known.
        test: Option<String>,
        /// End of the output.
        output: String,
    },
    /// The test runner itself ended early, by `System.exit` or a crash of the JVM.
    Crashed {
        /// End of the output.
        output: String,
    },
}

/// Part of a build.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BuildPart {
    /// The project itself.
    #[default]
    Project,
    /// The selected tests, against a project that compiles.
    Tests,
}

impl BuildPart {
    /// Returns the phase of a variant in which this part does not compile.
    pub fn phase(self) -> Phase {
        match self {
            Self::Project => Phase::NotCompiled,
            Self::Tests => Phase::TestsNotCompiled,
        }
    }
}

impl Outcome {
    /// Returns the outcome of a project that does not compile.
    pub fn not_built(diagnostics: impl Into<String>) -> Self {
        Self::NotBuilt { diagnostics: diagnostics.into(), part: BuildPart::Project }
    }

    /// Returns true if at least one test passed and none failed.
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

    /// Removes the results of some tests.
    #[must_use]
    pub fn without_tests(self, tests: &BTreeSet<String>) -> Self {
        match self {
            Self::Tests { mut results } => {
                results.retain(|result| !tests.contains(&result.test));
                Self::Tests { results }
            }
            other => other,
        }
    }

    /// Redacts secrets in the output of tests and compilers.
    #[must_use]
    pub fn redact_secrets(mut self, secrets: &Secrets) -> Self {
        match &mut self {
            Self::NotBuilt { diagnostics: text, .. }
            | Self::Exited { output: text, .. }
            | Self::TimedOut { output: text, .. }
            | Self::Crashed { output: text } => secrets.redact_in_place(text),
            Self::Tests { results } => {
                for result in results {
                    secrets.redact_in_place(&mut result.printed);
                    if let TestStatus::Failed(Failure { message: Some(text), .. }) =
                        &mut result.status
                    {
                        secrets.redact_in_place(text);
                    }
                }
            }
        }
        self
    }

    /// Returns the tests whose status matches.
    pub fn tests_with_status(
        &self,
        matches_status: impl Fn(&TestStatus) -> bool,
    ) -> BTreeSet<String> {
        let Self::Tests { results } = self else { return BTreeSet::new() };
        let matching = results.iter().filter(|result| matches_status(&result.status));
        matching.map(|result| result.test.clone()).collect()
    }

    /// Formats the result: diagnostics, output, or all failures.
    pub fn text(&self) -> String {
        match self {
            Self::Exited { code, output } if output.trim().is_empty() => {
                format!("the command exited with code {code} and printed nothing")
            }
            Self::NotBuilt { diagnostics: text, .. }
            | Self::Exited { output: text, .. }
            | Self::Crashed { output: text } => text.clone(),
            Self::TimedOut { test, output } => {
                let test = test.as_deref().unwrap_or("the command");
                format!("{test} timed out\n{output}")
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
                let printed = self.printed_tail();
                format!("{} threw {}: {message}\n{frames}{printed}", self.test, failure.exception)
            }
        }
    }

    fn printed_tail(&self) -> String {
        let lines: Vec<&str> =
            self.printed.lines().filter(|line| !line.trim().is_empty()).collect();
        let last_lines = &lines[lines.len().saturating_sub(MAX_PRINTED_LINES)..];
        if last_lines.is_empty() {
            return String::new();
        }
        format!("  after it printed:\n    {}\n", last_lines.join("\n    "))
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

/// Result of one test.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TestResult {
    /// Name of the test: `pkg.Class#method`, with the runner's suffix for parameters.
    pub test: String,
    /// Its status.
    pub status: TestStatus,
    /// Its duration.
    pub millis: u64,
    /// The end of its output if it failed, up to 4 KiB.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub printed: String,
}

impl TestResult {
    /// Creates a result without duration and output.
    pub fn new(test: impl Into<String>, status: TestStatus) -> Self {
        Self { test: test.into(), status, millis: 0, printed: String::new() }
    }

    /// Returns the failure, if the test failed.
    pub fn failure(&self) -> Option<&Failure> {
        match &self.status {
            TestStatus::Failed(failure) => Some(failure),
            TestStatus::Passed | TestStatus::Skipped => None,
        }
    }
}

/// Status of one test.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "status")]
pub enum TestStatus {
    /// The test passed.
    Passed,
    /// The test was disabled or an assumption failed.
    Skipped,
    /// The test threw an exception.
    Failed(Failure),
}

/// Exception of a failed test.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// Class of the exception, fully qualified.
    pub exception: String,
    /// Message of the exception.
    pub message: Option<String>,
    /// Stack trace, innermost frame first.
    pub frames: Vec<Frame>,
}

/// Errors of the JVM that show that classes of different versions do not work together.
const LINKAGE_ERRORS: [&str; 10] = [
    "java.lang.AbstractMethodError",
    "java.lang.BootstrapMethodError",
    "java.lang.ClassNotFoundException",
    "java.lang.IllegalAccessError",
    "java.lang.IncompatibleClassChangeError",
    "java.lang.NoClassDefFoundError",
    "java.lang.NoSuchFieldError",
    "java.lang.NoSuchMethodError",
    "java.lang.UnsupportedClassVersionError",
    "java.lang.VerifyError",
];

impl Failure {
    /// Returns true if classes of different versions do not work together.
    pub fn is_linkage_error(&self) -> bool {
        LINKAGE_ERRORS.contains(&&*self.exception)
    }

    /// Returns true if the same bug would fail at the same location again. Stack overflows and timeouts end at
    /// arbitrary locations.
    pub fn has_stable_location(&self) -> bool {
        !matches!(
            &*self.exception,
            "java.lang.StackOverflowError"
                | "java.lang.OutOfMemoryError"
                | "org.junit.runners.model.TestTimedOutException"
                | "org.testng.internal.thread.ThreadTimeoutException"
        )
    }
}

/// Frame of a Java stack trace.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Frame {
    /// Fully qualified class name, with `$` before nested names.
    pub class: String,
    /// Method name, `<init>` for constructors.
    pub method: String,
    /// The source file's name, if known.
    pub file: Option<String>,
    /// Line, from 1, if known.
    pub line: Option<u32>,
}
