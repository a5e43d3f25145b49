//! Results of one test among all test results.

use mend_model::{TestResult, TestStatus};

/// Returns true if a test failed in any of its runs; `None` if it did not finish.
pub fn has_failed(test: &str, results: &[TestResult]) -> Option<bool> {
    let mut has_failed = None;
    for result in results_of(test, results) {
        match result.status {
            TestStatus::Failed(_) => return Some(true),
            TestStatus::Passed => has_failed = Some(false),
            TestStatus::Skipped => {}
        }
    }
    has_failed
}

/// Returns the results of all runs of a test.
pub(super) fn results_of<'a>(
    test: &'a str,
    results: &'a [TestResult],
) -> impl Iterator<Item = &'a TestResult> {
    results.iter().filter(move |result| strip_parameters(&result.test) == test)
}

/// Returns a test's name without the suffix that runners add for parameters.
pub(super) fn strip_parameters(test: &str) -> &str {
    let end = test.find(['(', '[', '{', ' ']).unwrap_or(test.len());
    &test[..end]
}
