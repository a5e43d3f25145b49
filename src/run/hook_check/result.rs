//! The result of the gate.

use crate::run::session::Ending;
use mend_report::{GateReport, Status};

/// The result of checking a change.
#[derive(Debug, Default)]
pub struct Gate {
    /// What tests say.
    pub report: GateReport,
    /// The search for the culprit of the nearest failing test; it may be incomplete.
    pub search: Option<Ending>,
}

impl Gate {
    /// What is worth being shown of the search: a merge that was not committed cannot be searched further.
    pub fn shown(&self, is_pending: bool) -> Option<&Ending> {
        self.search.as_ref().filter(|ending| {
            let result = &ending.result;
            let has_answer = ending.guilty.is_some() || result.culprit.is_some();
            has_answer && !(is_pending && result.status == Status::Interrupted)
        })
    }
}
