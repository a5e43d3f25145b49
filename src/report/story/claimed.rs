//! What the job that searched says of tests besides its run.

use crate::model::{counted, lasting};

/// Why nobody is to blame for tests that failed once.
pub fn passes_again() -> String {
    "the tests pass when they are run again".to_owned()
}

/// What was not looked at of the tests that failed.
pub fn more_tests(count: usize) -> String {
    format!("{} that failed too", counted(count, "more test"))
}

/// What was not looked at of the classes whose tests failed.
pub fn more_classes(count: usize) -> String {
    format!(
        "{count} more {} with tests that failed too",
        if count == 1 { "class" } else { "classes" }
    )
}

/// What was not looked at because the time was over.
pub fn out_of_budget(budget: std::time::Duration) -> String {
    format!("what a search of more than {} would find", lasting(budget))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn what_was_not_looked_at_is_named() {
        let told = [
            passes_again(),
            more_tests(1),
            more_classes(1),
            more_classes(2),
            out_of_budget(Duration::from_secs(1200)),
        ];
        insta::assert_snapshot!(told.join("\n"), @r"
        the tests pass when they are run again
        1 more test that failed too
        1 more class with tests that failed too
        2 more classes with tests that failed too
        what a search of more than 20 minutes would find
        ");
    }
}
