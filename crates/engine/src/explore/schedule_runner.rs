//! Service that builds trees and runs their tests under many schedules.

use super::explore_workers::ExploreWorkers;
use super::{ExplorationResult, ExploreConfig, FailureGoal, ScheduleListener};
use crate::lock::lock;
use crate::process_engine::ProcessEngine;
use crate::{EngineChoice, Limits};
use mend_model::Result;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use tempfile::TempDir;

/// Runs the tests of trees under many schedules of their threads.
pub struct ScheduleRunner {
    process: ProcessEngine,
    /// Failure to reproduce; others are only counted. `None` for any failure.
    goal: Option<FailureGoal>,
    /// Workers of each tree; `None` if each exploration has new ones.
    kept: Option<Mutex<HashMap<PathBuf, WorkersInFolder>>>,
}

/// Workers of a tree, and their folder.
struct WorkersInFolder {
    workers: ExploreWorkers,
    folder: TempDir,
}

impl ScheduleRunner {
    /// Creates a runner for the project and tests of a process engine.
    pub fn new(process: ProcessEngine, choice: EngineChoice) -> Self {
        Self { process, goal: None, kept: (choice != EngineChoice::Process).then(Mutex::default) }
    }

    /// Returns this runner with a failure to reproduce.
    #[must_use]
    pub fn with_goal(self, goal: Option<FailureGoal>) -> Self {
        Self { goal, ..self }
    }

    /// Builds a tree and runs its tests under many schedules; `listener` receives the progress.
    ///
    /// # Errors
    /// Errors of [`crate::Engine::run`], and [`mend_model::Problem::UncontrolledThreads`].
    pub fn explore(
        &self,
        tree: &Path,
        limits: &Limits,
        config: &ExploreConfig,
        listener: &mut ScheduleListener<'_>,
    ) -> Result<ExplorationResult> {
        let mut own = self.take_workers(tree)?;
        let explored =
            match self.process.attempt(tree, own.folder.path(), self.process.test_order()) {
                Ok(attempt) => {
                    own.workers.explore(&attempt, limits, config, self.goal.as_ref(), listener)
                }
                Err(stop) => {
                    let findings = None;
                    stop.into_execution().map(|execution| ExplorationResult { execution, findings })
                }
            };
        let secrets = self.process.environment.secrets();
        let ExplorationResult { execution, findings } =
            explored.map_err(|problem| problem.redact_secrets(&secrets))?;
        if let Some(kept) = &self.kept {
            lock(kept).insert(tree.to_owned(), own);
        }
        let findings = findings.map(|findings| findings.redact_secrets(&secrets));
        Ok(ExplorationResult { execution, findings })
    }

    /// Takes the workers of a tree; the caller returns them after use.
    fn take_workers(&self, tree: &Path) -> Result<WorkersInFolder> {
        let new = |workers| {
            let folder = self.process.temporary_folder("explore-")?;
            Ok(WorkersInFolder { workers, folder })
        };
        match &self.kept {
            None => new(ExploreWorkers::default()),
            Some(kept) => {
                let known = lock(kept).remove(tree);
                known.map_or_else(|| new(ExploreWorkers::resident()), Ok)
            }
        }
    }
}
