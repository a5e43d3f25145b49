//! Runs plausible patches under thread schedules, if the tests use threads: single runs do not show races.

use super::trials::PlausiblePatch;
use crate::run::subject::test_overlay::TestOverlay;
use crate::run::threads::DEFAULT_SCHEDULERS;
use crate::run::threads::explorer::Explorer;
use crate::run::threads::rejections::{UnpatchedSchedules, find_new_fault};
use crate::run::threads::thread_usage::mention_threads;
use mend_engine::ExploreConfig;
use mend_git::ObjectStore;
use mend_model::schedules::Findings;
use mend_model::{Problem, ProgressEvent, Result, TreeId, format_count};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::time::Duration;

/// Maximum number of schedules without a patch, and with each patch.
const MAX_SCHEDULES: u32 = 150;

/// Time after which no further schedule starts.
const TIME_LIMIT: Duration = Duration::from_secs(8);

/// Maximum number of patches that are checked.
const MAX_CHECKED_PATCHES: usize = 10;

/// Result of running a patch under schedules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PatchSchedules {
    /// Number of schedules.
    pub(super) run: usize,
    /// Fault that a schedule shows, and that the code does not have without the patch: a failure, a deadlock, a data
    /// race.
    pub(super) fault: Option<String>,
}

/// Check of patches under schedules.
pub(super) struct ScheduleCheck<'a> {
    pub(super) explorer: Explorer<'a>,
    pub(super) store: &'a ObjectStore,
    pub(super) overlay: &'a TestOverlay,
    /// Tests that the patches must fix.
    pub(super) failing_tests: &'a BTreeSet<String>,
}

impl ScheduleCheck<'_> {
    /// Runs the smallest patches under schedules. Returns the results by patched tree, without those of patches with
    /// which no test starts a second thread.
    ///
    /// # Errors
    /// An interrupt, or a full disk. Other problems are noted, because the check is optional.
    pub(super) fn check_patches(
        &self,
        patches: &[PlausiblePatch],
    ) -> Result<HashMap<TreeId, PatchSchedules>> {
        match self.check_distinct(patches) {
            Err(problem @ (Problem::Interrupted | Problem::DiskFull { .. })) => Err(problem),
            Err(problem) => self.note_unchecked(&problem.to_string()).map(|()| HashMap::new()),
            Ok(results) => Ok(results),
        }
    }

    fn check_distinct(
        &self,
        patches: &[PlausiblePatch],
    ) -> Result<HashMap<TreeId, PatchSchedules>> {
        let mut trees = HashSet::new();
        let mut distinct: Vec<&PlausiblePatch> =
            patches.iter().filter(|patch| trees.insert(&patch.tree)).collect();
        if distinct.is_empty() {
            return Ok(HashMap::new());
        }
        let Some(without) = self.explore_unpatched()? else { return Ok(HashMap::new()) };
        distinct.sort_by_key(|patch| patch.tokens.unwrap_or(usize::MAX));
        let (checked, others) = distinct.split_at(distinct.len().min(MAX_CHECKED_PATCHES));
        if !others.is_empty() {
            self.note_unchecked(&format_count(others.len(), "further patch"))?;
        }
        let check = |patch: &&PlausiblePatch| {
            let schedules = self.check_patch(patch, &without).transpose()?;
            Some(schedules.map(|schedules| (patch.tree.clone(), schedules)))
        };
        checked.iter().filter_map(check).collect()
    }

    /// Runs schedules without a patch. Returns `None` if the tests seem to use no threads, or if the scheduler cannot
    /// control them.
    fn explore_unpatched(&self) -> Result<Option<Findings>> {
        let Explorer { session, executor, bad } = self.explorer;
        let tree = &bad.overlaid_tree;
        let oracle = &session.subject.oracle;
        if executor.schedules.is_none() || !mention_threads(self.store, tree, self.overlay, oracle)?
        {
            return Ok(None);
        }
        match self.explore(tree, &self.config(), "without a patch")? {
            Ok(findings) => {
                // A test that fails early may start its threads only with a patch.
                let may_use_threads =
                    !findings.multi_threaded_tests.is_empty() || findings.failing > 0;
                Ok(may_use_threads.then_some(findings))
            }
            Err(reason) => self.note_unchecked(&reason).map(|()| None),
        }
    }

    /// Runs a patched tree under schedules. Returns `None` if no test starts a second thread.
    fn check_patch(
        &self,
        patch: &PlausiblePatch,
        without: &Findings,
    ) -> Result<Option<PatchSchedules>> {
        let config =
            UnpatchedSchedules::from_findings(without).with_directed_schedules(self.config());
        let name = &patch.name;
        match self.explore(&patch.tree, &config, &format!("with {name}"))? {
            Ok(with) if with.multi_threaded_tests.is_empty() => Ok(None),
            Ok(with) => Ok(Some(PatchSchedules {
                run: with.run,
                fault: find_new_fault(without, &with, self.failing_tests),
            })),
            Err(reason) => self.note_unchecked(&format!("{name}: {reason}")).map(|()| None),
        }
    }

    /// Runs schedules. The inner `Err` is the reason why there are no findings.
    fn explore(
        &self,
        tree: &TreeId,
        config: &ExploreConfig,
        what: &str,
    ) -> Result<std::result::Result<Findings, String>> {
        let stage = format!("running up to {MAX_SCHEDULES} schedules {what}");
        self.explorer.session.run_log.emit(ProgressEvent::Stage(stage))?;
        let outcome =
            self.explorer.explore_within(tree, config, Some(TIME_LIMIT), &mut |_, _| ())?;
        Ok(outcome.into_findings_or_reason())
    }

    fn config(&self) -> ExploreConfig {
        ExploreConfig {
            schedules: MAX_SCHEDULES,
            schedulers: DEFAULT_SCHEDULERS.to_vec(),
            targets: Vec::new(),
            seed: self.explorer.session.subject.seed,
            replay: None,
            expected_output: None,
            is_fail_fast: false,
        }
    }

    fn note_unchecked(&self, reason: &str) -> Result<()> {
        let reason = reason.lines().next().unwrap_or_default();
        self.explorer.session.run_log.note_unchecked(format!("thread schedules: {reason}"))
    }
}
