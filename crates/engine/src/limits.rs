//! Time limits of one test execution.

use super::TestTimeouts;
use std::time::Duration;

/// Time limits of the phases of one test execution; `None` means no limit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Compiling.
    pub build: Option<Duration>,
    /// Running the tests, all of them together.
    pub test: Option<Duration>,
    /// Running each test of which it is known how long it takes.
    pub per_test: TestTimeouts,
}

/// Allowance for the start of a JVM on a busy machine.
const JVM_START_ALLOWANCE: Duration = Duration::from_secs(10);

impl Limits {
    /// Time limits for repeating in a fresh JVM what a warm JVM finished in time: they allow for
    /// JVM start-up and machine load.
    #[must_use]
    pub fn extended_for_fresh_jvm(&self) -> Self {
        let test = self.test.map(|limit| limit * 2 + JVM_START_ALLOWANCE);
        Self { test, per_test: self.per_test.extended_for_fresh_jvm(JVM_START_ALLOWANCE), ..*self }
    }

    /// The shortest time after which a test may be given up; `None` if none is.
    pub(super) fn shortest(&self) -> Option<Duration> {
        self.test.into_iter().chain(self.per_test.shortest()).min()
    }
}
