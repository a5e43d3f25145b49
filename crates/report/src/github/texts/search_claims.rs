//! Notes of the search job about failures that its run does not cover.

use mend_model::{format_count, format_duration};

/// Returns the reason why a failure is treated as flaky.
pub fn passes_again_reason() -> String {
    "the tests pass when run again".to_owned()
}

/// Returns the note about failing tests that were not searched.
pub fn skipped_tests_note(count: usize) -> String {
    format_count(count, "more failing test")
}

/// Returns the note about classes with failing tests that were not searched.
pub fn skipped_classes_note(count: usize) -> String {
    format!("{} with failing tests", format_count(count, "more class"))
}

/// Returns the note about a generator that was not started, because the commit may be of a fork.
pub fn refused_generator_note() -> String {
    "patches of the generator: it is started only for commits of the repository itself, and not for merge queues, \
     `pull_request_target` or `workflow_run`"
        .to_owned()
}

/// Returns the note about a generator that cannot be started.
pub fn missing_generator_note(reason: &str) -> String {
    format!("patches of the generator: {reason}")
}

/// Returns the note about a search that reached its time limit.
pub fn time_limit_note(budget: std::time::Duration) -> String {
    format!("results beyond the time limit of {}", format_duration(budget))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn skipped_tests_and_results_are_named() {
        let notes = [
            passes_again_reason(),
            skipped_tests_note(1),
            skipped_classes_note(1),
            skipped_classes_note(2),
            time_limit_note(Duration::from_secs(1200)),
        ];
        insta::assert_snapshot!(notes.join("\n"), @r"
        the tests pass when run again
        1 more failing test
        1 more class with failing tests
        2 more classes with failing tests
        results beyond the time limit of 20 minutes
        ");
    }
}
