//! The result of one exploration.

use crate::Execution;
use mend_model::schedules::Findings;

/// Result of building a tree and running its tests under many schedules.
#[derive(Clone, Debug)]
pub struct Explored {
    /// What it cost; its outcome says why there are no findings, if there are none.
    pub execution: Execution,
    /// What the schedules came to.
    pub findings: Option<Findings>,
}
