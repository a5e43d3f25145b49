//! Interface of command results.

use mend_engine::ExecutionMode;
use mend_report::{RunResult, RunStatus, Verification};

/// Result of a command, complete or so far.
pub(crate) trait CommandResult {
    /// Returns the status of the run if the result is complete.
    fn status(&self) -> RunStatus;

    /// Writes the result to the content of `result.json`.
    fn write_to(&self, document: &mut RunResult);
}

/// Returns the record of a verification in fresh processes.
pub(crate) fn verified_by_fresh_processes(fresh_build: bool) -> Verification {
    Verification { execution_mode: ExecutionMode::Process.name().to_owned(), fresh_build }
}
