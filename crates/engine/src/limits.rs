//! Time limits of one test execution.

use super::TestTimeouts;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Time limits of the phases of one test execution; `None` means no limit.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Time limit of the compilation.
    pub build: Option<Duration>,
    /// Time limit of all tests together.
    pub test: Option<Duration>,
    /// Time limit of each test with a known duration.
    pub per_test: TestTimeouts,
}

/// Allowance for the start of a JVM on a busy machine.
const JVM_START_ALLOWANCE: Duration = Duration::from_secs(10);

impl Limits {
    /// Returns time limits for repeating in a fresh JVM what a warm JVM finished in time, which allow for JVM start-up
    /// and machine load.
    #[must_use]
    pub fn extended_for_fresh_jvm(&self) -> Self {
        let test = self.test.map(|limit| limit * 2 + JVM_START_ALLOWANCE);
        Self { test, per_test: self.per_test.extended_for_fresh_jvm(JVM_START_ALLOWANCE), ..*self }
    }

    /// Returns the shortest time after which a test may be stopped; `None` if there is no limit.
    pub(super) fn shortest(&self) -> Option<Duration> {
        self.test.into_iter().chain(self.per_test.shortest()).min()
    }
}
