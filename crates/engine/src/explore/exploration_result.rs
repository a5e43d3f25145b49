//! Result of an exploration.

use crate::Execution;
use mend_model::schedules::Findings;

/// Result of building a tree and running its tests under many schedules.
#[derive(Clone, Debug)]
pub struct ExplorationResult {
    /// Cost of the exploration. Its outcome explains missing findings.
    pub execution: Execution,
    /// Findings of the schedules, if the tests ran.
    pub findings: Option<Findings>,
}
