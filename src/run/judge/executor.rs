//! Builds and tests variants in scratch trees, and caches the outcomes.

use crate::run::session::run_log::RunLog;
use mend_engine::{
    Coverage, Engine, Execution, Limits, OutcomeCache, RunMode, RunRequest, ScheduleRunner,
    SchemaRequest, SchemaRun, TestOrder,
};
use mend_git::ObjectStore;
use mend_git::ScratchTree;
use mend_model::CommitId;
use mend_model::{Outcome, Problem, Result, TreeId, is_disk_full};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Pool of scratch trees. Each thread uses one tree per trial.
pub(crate) struct ScratchPool {
    store: Arc<ObjectStore>,
    dir: PathBuf,
    idle_trees: Mutex<Vec<ScratchTree>>,
    created_count: AtomicUsize,
}

impl ScratchPool {
    pub(crate) fn new(store: Arc<ObjectStore>, dir: PathBuf) -> Self {
        Self { store, dir, idle_trees: Mutex::default(), created_count: AtomicUsize::new(0) }
    }

    /// Runs an action in a clean checkout of a tree.
    pub(crate) fn with_checkout<T>(
        &self,
        tree: &TreeId,
        head: Option<&CommitId>,
        action: impl FnOnce(&ScratchTree) -> Result<T>,
    ) -> Result<T> {
        let idle = self.idle_trees.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let scratch = idle.map_or_else(|| self.create_tree(), Ok)?;
        self.check_out(&scratch, tree, head)?;
        scratch.clean()?;
        let result = action(&scratch)?;
        self.idle_trees.lock().unwrap_or_else(PoisonError::into_inner).push(scratch);
        Ok(result)
    }

    /// Checks out `tree` in a scratch tree. A partial clone downloads its missing files first.
    fn check_out(
        &self,
        scratch: &ScratchTree,
        tree: &TreeId,
        head: Option<&CommitId>,
    ) -> Result<()> {
        self.store.complete_tree(tree)?;
        scratch.checkout(tree, head)
    }

    /// Returns the part of a cache key for everything but the tree: the engine, and settings that change a checkout.
    fn fingerprint_of(&self, engine: &dyn Engine) -> String {
        engine.fingerprint() + self.store.checkout_fingerprint()
    }

    /// Creates a new scratch tree.
    pub(crate) fn create_tree(&self) -> Result<ScratchTree> {
        let number = self.created_count.fetch_add(1, Ordering::Relaxed);
        ScratchTree::create(&self.dir.join(number.to_string()), &self.store)
    }
}

/// Executor of variants, with a cache of their outcomes.
pub(crate) struct VariantExecutor {
    pub(crate) pool: ScratchPool,
    engine: Box<dyn Engine>,
    /// Explorer of schedules, or `None` for a user's command.
    pub(crate) schedules: Option<ScheduleRunner>,
    cache: OutcomeCache,
    fingerprint: String,
    run_log: Arc<RunLog>,
}

/// Execution, with a flag for the cache.
pub(crate) struct CachedExecution {
    pub(crate) execution: Execution,
    pub(crate) is_cached: bool,
}

impl VariantExecutor {
    pub(crate) fn new(
        pool: ScratchPool,
        engine: Box<dyn Engine>,
        schedules: Option<ScheduleRunner>,
        cache: OutcomeCache,
        run_log: Arc<RunLog>,
    ) -> Self {
        let fingerprint = pool.fingerprint_of(&*engine);
        Self { pool, engine, schedules, cache, fingerprint, run_log }
    }

    /// Returns a key of everything that an outcome depends on besides the tree.
    pub(crate) fn fingerprint(&self) -> &str {
        &self.fingerprint
    }

    /// Returns this executor without the workers that explore schedules.
    pub(crate) fn without_schedules(self) -> Self {
        Self { schedules: None, ..self }
    }

    /// Returns this executor with another test order.
    pub(crate) fn reordered(self, order: TestOrder) -> Self {
        let engine = self.engine.with_test_order(order);
        Self { fingerprint: self.pool.fingerprint_of(&*engine), engine, ..self }
    }

    /// Returns the outcome of testing a tree. `repetition` is the number of the run among repeated runs of the same
    /// tree.
    pub(crate) fn execute(
        &self,
        tree: &TreeId,
        head: Option<&CommitId>,
        repetition: u32,
        limits: &Limits,
    ) -> Result<CachedExecution> {
        let cached_execution = self.cache.get(tree, &self.fingerprint, repetition, limits)?;
        let cached = cached_execution.is_some();
        let execution = if let Some(execution) = cached_execution {
            execution
        } else {
            let new_execution = self.run(tree, head, limits)?;
            self.cache.insert(tree, &self.fingerprint, repetition, limits, &new_execution)?;
            new_execution
        };
        self.run_log.add_execution_cost(&execution, cached)?;
        Ok(CachedExecution { execution, is_cached: cached })
    }

    /// Returns the cached execution of a tree.
    pub(crate) fn cached_execution(
        &self,
        tree: &TreeId,
        repetition: u32,
        limits: &Limits,
    ) -> Result<Option<Execution>> {
        self.cache.get(tree, &self.fingerprint, repetition, limits)
    }

    /// Executes the tests of a tree without using the cache.
    pub(crate) fn run(
        &self,
        tree: &TreeId,
        head: Option<&CommitId>,
        limits: &Limits,
    ) -> Result<Execution> {
        self.run_in_checkout(tree, head, limits, RunMode::Quick)
    }

    /// Executes the tests of an instrumented tree, which write records.
    pub(crate) fn run_instrumented(
        &self,
        tree: &TreeId,
        head: Option<&CommitId>,
        limits: &Limits,
    ) -> Result<Execution> {
        self.run_in_checkout(tree, head, limits, RunMode::Recording)
    }

    /// Tests the candidates of a mutant schema, if the engine can.
    pub(crate) fn test_schema(
        &self,
        tree: &TreeId,
        head: Option<&CommitId>,
        request: &SchemaRequest<'_>,
    ) -> Result<SchemaRun> {
        let Some(tester) = self.engine.schema_tester() else { return Ok(SchemaRun::Unsupported) };
        self.pool.with_checkout(tree, head, |scratch| tester.test_schema(scratch.path(), request))
    }

    /// Executes the tests in a clean checkout of a tree.
    fn run_in_checkout(
        &self,
        tree: &TreeId,
        head: Option<&CommitId>,
        limits: &Limits,
        mode: RunMode<'_>,
    ) -> Result<Execution> {
        self.pool.with_checkout(tree, head, |scratch| self.run_in(scratch, limits, mode))
    }

    /// Returns which tests execute which methods of a tree, if the engine can measure it.
    pub(crate) fn coverage(
        &self,
        tree: &TreeId,
        head: Option<&CommitId>,
        limits: &Limits,
    ) -> Result<Option<Coverage>> {
        let key = format!("coverage-{}", self.fingerprint);
        let cached_execution = self.cache.get(tree, &key, 0, limits)?;
        let cached = cached_execution.is_some();
        let execution = match (cached_execution, self.engine.coverage_meter()) {
            (Some(execution), _) => Some(execution),
            (None, None) => None,
            (None, Some(meter)) => self
                .pool
                .with_checkout(tree, head, |scratch| meter.measure(scratch.path(), limits))?,
        };
        let Some(execution) = execution else { return Ok(None) };
        if !cached {
            self.cache.insert(tree, &key, 0, limits, &execution)?;
        }
        self.run_log.add_execution_cost(&execution, cached)?;
        Ok(execution.coverage)
    }

    /// Builds and tests a tree from scratch: in a new folder, after running `prepare` there, and without using the
    /// cache. `earlier_outcome` is the outcome of an earlier test of the same tree.
    pub(crate) fn clean_execution(
        &self,
        tree: &TreeId,
        head: Option<&CommitId>,
        limits: &Limits,
        earlier_outcome: Option<&Outcome>,
        prepare: impl FnOnce(&ScratchTree) -> Result<()>,
    ) -> Result<Execution> {
        let scratch = self.pool.create_tree()?;
        self.pool.check_out(&scratch, tree, head)?;
        prepare(&scratch)?;
        let mode = earlier_outcome.map_or(RunMode::Clean, RunMode::Confirm);
        let execution = self.run_in(&scratch, limits, mode)?;
        // A pool has many patches, so the tree is removed at once. If that fails, it is removed with the run folder.
        drop(scratch.remove());
        self.run_log.add_execution_cost(&execution, false)?;
        Ok(execution)
    }

    /// Returns the cached result of a clean execution of this tree.
    pub(crate) fn cached_clean_execution(
        &self,
        tree: &TreeId,
        repetition: u32,
        limits: &Limits,
    ) -> Result<Option<Execution>> {
        let cached_execution = self.cache.get(tree, &self.clean_cache_key(), repetition, limits)?;
        cached_execution
            .iter()
            .try_for_each(|execution| self.run_log.add_execution_cost(execution, true))?;
        Ok(cached_execution)
    }

    /// Caches the result of a clean execution of this tree.
    pub(crate) fn cache_clean_execution(
        &self,
        tree: &TreeId,
        repetition: u32,
        limits: &Limits,
        execution: &Execution,
    ) -> Result<()> {
        self.cache.insert(tree, &self.clean_cache_key(), repetition, limits, execution)
    }

    fn clean_cache_key(&self) -> String {
        format!("clean-{}", self.fingerprint)
    }

    /// Executes the tests in a scratch tree, and records the engine's notes.
    ///
    /// # Errors
    /// Errors of the engine, and outcomes that end the run.
    fn run_in(
        &self,
        scratch: &ScratchTree,
        limits: &Limits,
        mode: RunMode<'_>,
    ) -> Result<Execution> {
        let mut execution = self.engine.run(&RunRequest { tree: scratch.path(), limits, mode })?;
        let notes = std::mem::take(&mut execution.notes);
        notes.into_iter().try_for_each(|note| self.run_log.note_unchecked(note))?;
        check_exit_code(&execution.outcome)?;
        if !execution.outcome.is_pass() {
            check_disk_space(scratch.path())?;
        }
        Ok(execution)
    }
}

/// Returns an error for exit codes above 127, which end a run, as in `git bisect`.
fn check_exit_code(outcome: &Outcome) -> Result<()> {
    match outcome {
        Outcome::Exited { code, output } if *code > 127 => {
            Err(Problem::CommandStopped { code: *code, output: output.clone() })
        }
        _ => Ok(()),
    }
}

/// Returns an error if the disk is full, because a failure for lack of disk space is no verdict on the variant.
fn check_disk_space(scratch: &Path) -> Result<()> {
    let folders = [scratch.to_owned(), std::env::temp_dir()];
    match folders.into_iter().find(|place| is_disk_full(place)) {
        Some(path) => Err(Problem::DiskFull { path }),
        None => Ok(()),
    }
}
