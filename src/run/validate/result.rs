//! Result of the validation of a pool.

use crate::run::session::command_result::{CommandResult, verified_by_fresh_processes};
use crate::run::session::summary::Summary;
use mend_report::{FixResult, PoolPatchResult, RunResult, RunStatus};

/// Result of the validation of a pool, complete or so far.
#[derive(Default)]
pub(super) struct Validated {
    /// Results of the patches, in the order of the pool.
    pub(super) patches: Vec<PoolPatchResult>,
    /// Fixes, best first.
    pub(super) fixes: Vec<FixResult>,
    pub(super) summary: Summary,
    /// True if all patches were judged.
    pub(super) is_complete: bool,
}

impl Validated {
    /// Returns the number of patches that only thread schedules reject.
    pub(super) fn racy_count(&self) -> usize {
        self.patches.iter().filter(|patch| patch.schedule_fault.is_some()).count()
    }
}

impl CommandResult for Validated {
    fn status(&self) -> RunStatus {
        if self.fixes.is_empty() { RunStatus::None } else { RunStatus::Found }
    }

    fn write_to(&self, document: &mut RunResult) {
        document.patches.clone_from(&self.patches);
        document.fixes.clone_from(&self.fixes);
        self.summary.write_to(document);
        if self.is_complete && !self.fixes.is_empty() {
            let has_sources = self.fixes.iter().any(|fix| fix.patch.is_some());
            document.confirmed = Some(verified_by_fresh_processes(has_sources));
        }
    }
}
