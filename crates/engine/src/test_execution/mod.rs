//! Test runs: frameworks, order, limits, results and coverage.

pub(crate) mod coverage;
pub(crate) mod framework;
pub(crate) mod replacement_classes;
pub(crate) mod runner_report;
pub(crate) mod test_adaptation;
pub(crate) mod test_order;
pub(crate) mod test_run;
pub(crate) mod test_setup;
pub(crate) mod test_timeouts;
pub(crate) mod testbed;
