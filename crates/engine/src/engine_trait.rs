//! Interface of all engines.

use super::{Execution, ExplorationResult, ExploreConfig, Limits, ScheduleListener, TestOrder};
use mend_model::{Outcome, Result};
use std::path::Path;

/// Builds and tests variants.
pub trait Engine: Send + Sync {
    /// Builds the variant that stands in a folder, and runs the tests on it.
    ///
    /// # Errors
    /// Problems of this machine and internal faults; a problem of the variant is an outcome.
    fn run(&self, tree: &Path, limits: &Limits) -> Result<Execution>;

    /// Runs tests that record data themselves. Their verdicts are already known and not cross-checked.
    ///
    /// # Errors
    /// Those of [`Engine::run`].
    fn watch(&self, tree: &Path, limits: &Limits) -> Result<Execution> {
        self.run(tree, limits)
    }

    /// Runs a clean build and the tests in fresh processes.
    ///
    /// # Errors
    /// Those of [`Engine::run`].
    fn run_afresh(&self, tree: &Path, limits: &Limits) -> Result<Execution> {
        self.run(tree, limits)
    }

    /// Runs a clean build, and records whether its outcome agrees with an earlier one.
    ///
    /// # Errors
    /// Those of [`Engine::run`].
    fn confirm(&self, tree: &Path, limits: &Limits, before: &Outcome) -> Result<Execution> {
        let _ = before;
        self.run_afresh(tree, limits)
    }

    /// Runs the tests on a tree with method coverage; `None` if this engine cannot measure it.
    ///
    /// # Errors
    /// Those of [`Engine::run`].
    fn coverage(&self, tree: &Path, limits: &Limits) -> Result<Option<Execution>> {
        let _ = (tree, limits);
        Ok(None)
    }

    /// Runs the tests of a tree under many schedules of their threads; `None` if this engine cannot.
    ///
    /// # Errors
    /// Those of [`Engine::run`], and [`mend_model::Problem::UncontrolledThreads`].
    fn explore(
        &self,
        tree: &Path,
        limits: &Limits,
        order: &ExploreConfig,
        listener: &mut ScheduleListener<'_>,
    ) -> Result<Option<ExplorationResult>> {
        let _ = (tree, limits, order, listener);
        Ok(None)
    }

    /// Returns the same engine with another test order.
    fn reordered(self: Box<Self>, order: TestOrder) -> Box<dyn Engine>;

    /// Returns notes for the user on how variants were tested, each once.
    fn notes(&self) -> Vec<String> {
        Vec::new()
    }

    /// A key of all that an outcome depends on besides the tree.
    fn fingerprint(&self) -> String;
}
