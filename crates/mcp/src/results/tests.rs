//! Result of `run_test`.

use mend_report::{SavedRun, TestFailure, TestRunReport};
use schemars::JsonSchema;
use serde::Serialize;

/// Result of running tests
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct TestsResult {
    /// Verdict: `pass`, `fail`, `flaky` if the runs disagree, or `unresolved` if the tests could not be run to the end
    verdict: String,
    /// Reason for the verdict `unresolved`: `not compiled`, `tests not compiled`, `timed out` or `not testable`
    reason: Option<String>,
    /// Number of tests that passed in every run
    passed: usize,
    /// Number of skipped tests
    skipped: usize,
    /// Number of runs
    runs: usize,
    /// Number of runs that did not pass
    failing_runs: usize,
    /// Tests that failed in a run
    failures: Vec<FailedTest>,
    /// Output of the compiler, or of tests that did not run to the end
    output: Option<String>,
    /// Tested commit, or folder
    version: Option<String>,
}

/// A failed test
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct FailedTest {
    /// Name: `pkg.Class#method`
    test: String,
    /// Class of the exception
    exception: String,
    /// Message of the exception
    message: Option<String>,
    /// Stack trace, innermost frame first
    stack: Vec<String>,
    /// End of what the test printed
    printed: String,
}

impl TestsResult {
    /// Reads the result; `None` if no test ran yet.
    pub(crate) fn read(run: &SavedRun) -> Option<Self> {
        let TestRunReport { verdict, phase, runs, failing_runs, passed, skipped, failures, output } =
            run.result().test_run.clone()?;
        let to_failed_test = |failure: TestFailure| {
            let TestFailure { test, exception, message, frames, printed } = failure;
            FailedTest { test, exception, message, stack: frames, printed }
        };
        Some(Self {
            verdict,
            reason: phase.map(|phase| phase.description().to_owned()),
            passed,
            skipped,
            runs,
            failing_runs,
            failures: failures.into_iter().map(to_failed_test).collect(),
            output,
            version: run.result().bad.as_ref().map(|version| version.revision.clone()),
        })
    }
}
