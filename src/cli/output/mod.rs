//! Output of the program: console, live progress and run output.

pub(crate) mod console;
pub(crate) mod crash_report;
pub(crate) mod progress_line;
pub(crate) mod run_result;
pub(crate) mod time_estimate;
