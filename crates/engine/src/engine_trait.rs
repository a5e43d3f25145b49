//! What every engine can do.

use super::{Execution, ExploreOrder, Explored, Limits, Listener, TestOrder};
use mend_model::{Outcome, Result};
use std::path::Path;

/// Builds and tests variants.
pub trait Engine: Send + Sync {
    /// Builds the variant that stands in a folder, and runs the tests on it.
    ///
    /// # Errors
    /// What is wrong with this machine or with us; what is wrong with the variant is an outcome.
    fn run(&self, tree: &Path, limits: &Limits) -> Result<Execution>;

    /// As [`Engine::run`], for tests that record data themselves: their verdicts are known and not
    /// cross-checked.
    ///
    /// # Errors
    /// As [`Engine::run`].
    fn watch(&self, tree: &Path, limits: &Limits) -> Result<Execution> {
        self.run(tree, limits)
    }

    /// As [`Engine::run`], with nothing kept from earlier runs.
    ///
    /// # Errors
    /// As [`Engine::run`].
    fn run_afresh(&self, tree: &Path, limits: &Limits) -> Result<Execution> {
        self.run(tree, limits)
    }

    /// As [`Engine::run_afresh`]; a contradiction to what came out before lowers the trust in that way.
    ///
    /// # Errors
    /// As [`Engine::run`].
    fn confirm(&self, tree: &Path, limits: &Limits, before: &Outcome) -> Result<Execution> {
        let _ = before;
        self.run_afresh(tree, limits)
    }

    /// Runs the tests on a tree with method coverage; `None` if this engine cannot measure it.
    ///
    /// # Errors
    /// As [`Engine::run`].
    fn coverage(&self, tree: &Path, limits: &Limits) -> Result<Option<Execution>> {
        let _ = (tree, limits);
        Ok(None)
    }

    /// Runs the tests of a tree under many schedules of their threads; `None` if this engine cannot.
    ///
    /// # Errors
    /// As [`Engine::run`], and [`crate::model::Problem::NotControlled`].
    fn explore(
        &self,
        tree: &Path,
        limits: &Limits,
        order: &ExploreOrder,
        listener: &mut Listener<'_>,
    ) -> Result<Option<Explored>> {
        let _ = (tree, limits, order, listener);
        Ok(None)
    }

    /// The same engine, running the tests in another order.
    fn reordered(self: Box<Self>, order: TestOrder) -> Box<dyn Engine>;

    /// What the user should know of how variants were judged, said once.
    fn notes(&self) -> Vec<String> {
        Vec::new()
    }

    /// A key of all that an outcome depends on besides the tree.
    fn fingerprint(&self) -> String;
}
