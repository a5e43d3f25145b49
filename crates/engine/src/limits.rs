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
    pub each: TestTimeouts,
}

/// Allowance for the start of a JVM on a busy machine.
const START: Duration = Duration::from_secs(10);

impl Limits {
    /// Time limits for repeating in a fresh JVM what a warm JVM finished in time: they allow for
    /// JVM start-up and machine load.
    #[must_use]
    pub fn patient(&self) -> Self {
        let test = self.test.map(|limit| limit * 2 + START);
        Self { test, each: self.each.patient(START), ..*self }
    }

    /// The shortest time after which a test may be given up; `None` if none is.
    pub(super) fn least(&self) -> Option<Duration> {
        self.test.into_iter().chain(self.each.least()).min()
    }
}
