//! Notes of the search job about tests outside of its run.

use mend_model::{counted, lasting};

/// Returns the reason why a failure is treated as flaky.
pub fn passes_again() -> String {
    "the tests pass when run again".to_owned()
}

/// Returns the note about failing tests that were not searched.
pub fn more_tests(count: usize) -> String {
    counted(count, "more failing test")
}

/// Returns the note about classes with failing tests that were not searched.
pub fn more_classes(count: usize) -> String {
    format!("{count} more {} with failing tests", if count == 1 { "class" } else { "classes" })
}

/// Returns the note about a search that reached its time limit.
pub fn out_of_budget(budget: std::time::Duration) -> String {
    format!("results beyond the time limit of {}", lasting(budget))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn what_was_not_searched_is_named() {
        let told = [
            passes_again(),
            more_tests(1),
            more_classes(1),
            more_classes(2),
            out_of_budget(Duration::from_secs(1200)),
        ];
        insta::assert_snapshot!(told.join("\n"), @r"
        the tests pass when run again
        1 more failing test
        1 more class with failing tests
        2 more classes with failing tests
        results beyond the time limit of 20 minutes
        ");
    }
}
