//! Tests that can run on other machines.

use crate::{ExploreConfig, ProcessEngine};

/// Tests that remote workers run.
pub enum RemoteTests {
    /// They build and test with these engines.
    Java {
        /// Engine that knows project and tests.
        process: Box<ProcessEngine>,
        /// How tests are run.
        mode: JavaMode,
    },
    /// They run a command: program and arguments.
    Command(Vec<String>),
}

/// How the tests of a Java project are run.
#[derive(Clone, Debug)]
pub enum JavaMode {
    /// In fresh processes.
    Process,
    /// In warm JVMs. A sample is cross-checked.
    Resident {
        /// True if tests are not repeated on identical classes.
        reuses_results: bool,
        /// Seed of the sample.
        seed: u64,
    },
    /// Under many thread schedules.
    Schedules(ExploreConfig),
}
