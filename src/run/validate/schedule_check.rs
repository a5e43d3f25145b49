//! Runs plausible patches under thread schedules, if the tests use threads: single runs do not show races.

use crate::run::judge::executor::VariantExecutor;
use crate::run::session::Session;
use crate::run::session::versions::ResolvedVersion;
use crate::run::subject::test_overlay::TestOverlay;
use crate::run::threads::DEFAULT_SCHEDULERS;
use crate::run::threads::explorer::Explorer;
use crate::run::threads::rejections::{Rejection, UnpatchedSchedules, find_rejection};
use crate::run::threads::thread_usage::mention_threads;
use mend_engine::ExploreConfig;
use mend_git::ObjectStore;
use mend_model::{ProgressEvent, Result, TreeId};
use std::time::Duration;

/// Maximum number of schedules without a patch, and with each patch.
const MAX_SCHEDULES: u32 = 150;

/// Time limit of these schedules.
const TIME_LIMIT: Duration = Duration::from_secs(8);

/// Maximum number of patches that are checked.
pub(super) const MAX_CHECKED_PATCHES: usize = 10;

/// Check of patches under schedules.
pub(super) struct ScheduleCheck<'a> {
    explorer: Explorer<'a>,
    /// Observations without a patch.
    unpatched: UnpatchedSchedules,
    config: ExploreConfig,
}

/// Result of running a patch under schedules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PatchSchedules {
    /// Number of schedules.
    pub(super) run: usize,
    /// Fault that a schedule shows: a failure, a deadlock, a data race.
    pub(super) fault: Option<String>,
}

impl<'a> ScheduleCheck<'a> {
    /// Runs schedules without a patch. Returns `None` if the tests start no second thread, or if the scheduler cannot
    /// control them.
    ///
    /// # Errors
    /// Problems of this machine.
    pub(super) fn prepare(
        session: &'a Session<'a>,
        bench: &'a VariantExecutor,
        bad: &'a ResolvedVersion,
        store: &ObjectStore,
        overlay: &TestOverlay,
    ) -> Result<Option<Self>> {
        let tree = &bad.overlaid_tree;
        if bench.schedules.is_none()
            || !mention_threads(store, tree, overlay, &session.subject.oracle)?
        {
            return Ok(None);
        }
        let run_log = &session.run_log;
        let stage = format!("running up to {MAX_SCHEDULES} schedules without a patch");
        run_log.emit(ProgressEvent::Stage(stage))?;
        let explorer = Explorer { session, bench, bad };
        let config = ExploreConfig {
            schedules: MAX_SCHEDULES,
            schedulers: DEFAULT_SCHEDULERS.to_vec(),
            targets: Vec::new(),
            seed: session.subject.seed,
            replay: None,
            expected_output: None,
            is_fail_fast: false,
        };
        let outcome = explorer.explore_within(tree, &config, Some(TIME_LIMIT), &mut |_, _| ())?;
        match outcome.into_findings_or_reason() {
            Ok(findings) if findings.multi_threaded_tests.is_empty() => Ok(None),
            Ok(findings) => {
                let unpatched = UnpatchedSchedules::from_findings(&findings);
                let config = unpatched.with_directed_schedules(config);
                let config = ExploreConfig { is_fail_fast: true, ..config };
                Ok(Some(Self { explorer, unpatched, config }))
            }
            Err(reason) => {
                let reason = reason.lines().next().unwrap_or_default();
                run_log.note_unchecked(format!("thread schedules: {reason}")).map(|()| None)
            }
        }
    }

    /// Runs a patched tree under schedules. Returns `None` if they show nothing about the patch.
    ///
    /// # Errors
    /// Problems of this machine.
    pub(super) fn check(&self, name: &str, tree: &TreeId) -> Result<Option<PatchSchedules>> {
        let run_log = &self.explorer.session.run_log;
        let stage = format!("running up to {MAX_SCHEDULES} schedules with {name}");
        run_log.emit(ProgressEvent::Stage(stage))?;
        let outcome =
            self.explorer.explore_within(tree, &self.config, Some(TIME_LIMIT), &mut |_, _| ())?;
        let Ok(findings) = outcome.into_findings_or_reason() else { return Ok(None) };
        let run = findings.run;
        Ok(match find_rejection(&self.unpatched, &findings) {
            None | Some(Rejection::Output(_)) => Some(PatchSchedules { run, fault: None }),
            Some(Rejection::Fault(fault)) => Some(PatchSchedules { run, fault: Some(fault) }),
            Some(Rejection::Change(_)) => None,
        })
    }
}
