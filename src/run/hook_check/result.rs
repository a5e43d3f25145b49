//! Result of the hook check.

use crate::run::session::FinishedRun;
use mend_report::{GateReport, RunStatus};

/// Result of checking a change.
#[derive(Debug, Default)]
pub struct HookResult {
    /// Test results.
    pub report: GateReport,
    /// Search for the culprit of the nearest failing test, perhaps incomplete.
    pub search: Option<FinishedRun>,
}

impl HookResult {
    /// Returns the search for the culprit if it is worth showing. An uncommitted merge cannot be searched again.
    pub fn search_to_show(&self, is_pending: bool) -> Option<&FinishedRun> {
        self.search.as_ref().filter(|finished_run| {
            let result = &finished_run.result;
            let has_answer = finished_run.culprit_commit.is_some() || result.culprit.is_some();
            has_answer && !(is_pending && result.status == RunStatus::Interrupted)
        })
    }
}
