//! Version to repair.

use crate::run::session::Session;
use crate::run::session::versions::ResolvedVersion;
use crate::run::subject::test_overlay::TestOverlay;
use mend_git::ObjectStore;
use mend_model::{ProgressEvent, RepoPath, Result, TreeId};
use std::path::PathBuf;

/// Version to repair.
pub(crate) struct RepairTarget<'a> {
    pub(crate) session: &'a Session<'a>,
    pub(crate) store: &'a ObjectStore,
    pub(crate) bad: &'a ResolvedVersion,
    /// Tree of good with the tests of bad, if good is known.
    pub(crate) good: Option<&'a TreeId>,
    pub(crate) overlay: &'a TestOverlay,
}

impl RepairTarget<'_> {
    /// Returns the path of the file that probes write to.
    pub(crate) fn record_file(&self) -> PathBuf {
        self.session.run_log.folder.work_dir().join("recorded")
    }

    /// Reports the next step and the number of remaining steps.
    pub(crate) fn emit_progress(&self, step: &str, remaining_steps: usize) -> Result<()> {
        let if_slow = Some("slow because everything is compiled again".to_owned());
        let step = step.to_owned();
        self.session.run_log.emit(ProgressEvent::BatchProgress {
            description: step,
            remaining: Some(remaining_steps),
            slow_hint: if_slow,
        })
    }
}

/// Returns the source folder for the classes that record behaviour.
pub(crate) fn recorder_root(roots: &[RepoPath]) -> RepoPath {
    roots.first().cloned().unwrap_or_else(|| RepoPath::new(Vec::new()))
}
