//! Engine that builds and tests in warm JVMs, and cross-checks the results with fresh ones.

mod circuit_breaker;
mod cross_check;
mod known_pollution;
mod resource_snapshot;
mod result_cache;
mod test_worker;
mod test_worker_pool;
#[cfg(test)]
mod tests;
mod tree_workers;
mod warm_execution;

pub use cross_check::CrossCheck;

use super::lock::lock;
use super::process_engine::{ProcessEngine, absolute_path};
use super::{
    Coverage, CoverageMeter, Engine, EngineChoice, Execution, Limits, RunMode, RunRequest,
    SchemaRequest, SchemaRun, SchemaTester, TestOrder, Toolchain,
};
use crate::compile::warm_compiler;
use crate::resident::cross_check::{OutcomeDifference, compare_outcomes, is_reproducible};
use crate::resident::known_pollution::KnownPollution;
use crate::resident::result_cache::ResultCache;
use crate::resident::tree_workers::{TestPurpose, TreeWorkers};
use crate::resident::warm_execution::{Repetition, WarmExecution, WarmResult};
use mend_model::{Outcome, Problem, Result};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};

/// Compiles the programs of the workers, if they are not cached. Returns the folders of their classes.
pub(super) fn compile_worker_programs(tools: &Toolchain) -> Result<Vec<PathBuf>> {
    Ok(vec![warm_compiler::compile_program(tools)?, test_worker::compile_program(tools)?])
}

/// Number of consecutive variants that the workers could not handle after which they are skipped.
const MAX_UNSUPPORTED_VARIANTS: usize = 3;

/// Tests variants in resident JVMs if possible; a process engine makes clean builds and cross-checks.
pub struct ResidentEngine {
    process_engine: ProcessEngine,
    engine_choice: EngineChoice,
    /// Workers of each tree.
    tree_workers: Mutex<HashMap<PathBuf, TreeWorkers>>,
    result_cache: Option<Arc<ResultCache>>,
    known_pollution: Arc<KnownPollution>,
    cross_check: Mutex<CrossCheck>,
    /// Number of consecutive variants that the workers did not support.
    unsupported_in_a_row: AtomicUsize,
}

/// Result of the attempt to test a variant in warm workers.
enum WarmRun {
    Tested(Box<WarmExecution>),
    /// The workers are disabled or do not support the variant, in the latter case with a note for the user.
    NotTested {
        note: Option<String>,
    },
}

impl ResidentEngine {
    /// Creates an engine. `process` tests the variants that warm workers do not support, and cross-checks a random
    /// sample, drawn with `seed`.
    pub fn new(process: ProcessEngine, choice: EngineChoice, seed: u64) -> Self {
        let (tree_workers, known_pollution) = (Mutex::default(), Arc::default());
        let (cross_check, unsupported_in_a_row) =
            (Mutex::new(CrossCheck::new(seed)), AtomicUsize::new(0));
        Self {
            process_engine: process,
            engine_choice: choice,
            tree_workers,
            result_cache: None,
            known_pollution,
            cross_check,
            unsupported_in_a_row,
        }
    }

    /// Returns the same engine with a result cache: it does not run tests again on identical
    /// inputs. It must not be used for tests that are repeated to detect flakiness.
    #[must_use]
    pub fn with_result_cache(self) -> Self {
        Self { result_cache: Some(Arc::default()), ..self }
    }

    /// Returns the same engine without sampled cross-checks, for a caller that chooses which executions are checked.
    #[must_use]
    pub fn without_sampling(self) -> Self {
        Self { cross_check: Mutex::new(CrossCheck::without_sampling()), ..self }
    }

    /// Returns true if no cross-check disagreed.
    pub fn is_trusted(&self) -> bool {
        lock(&self.cross_check).is_trusted()
    }

    /// Tests a variant in warm workers if they are in use and support it.
    fn run_warm(
        &self,
        tree: &Path,
        limits: &Limits,
        purpose: TestPurpose,
        before_tests: &dyn Fn(),
    ) -> Result<WarmRun> {
        if !self.is_enabled() {
            return Ok(WarmRun::NotTested { note: None });
        }
        let tested = match self.run_in_tree(tree, limits, purpose, before_tests)? {
            WarmResult::Tested(tested) => tested,
            WarmResult::Unsupported(reason) => {
                return Ok(WarmRun::NotTested { note: Some(self.refuse(&reason)?) });
            }
        };
        self.unsupported_in_a_row.store(0, Ordering::Relaxed);
        Ok(WarmRun::Tested(Box::new(self.compare_repetitions(*tested, tree, limits)?)))
    }

    /// Tests a variant in the workers of its tree.
    fn run_in_tree(
        &self,
        tree: &Path,
        limits: &Limits,
        purpose: TestPurpose,
        before_tests: &dyn Fn(),
    ) -> Result<WarmResult> {
        let mut workers = self.take_workers(tree)?;
        let result = workers.run(&self.process_engine, tree, limits, purpose, before_tests)?;
        lock(&self.tree_workers).insert(tree.to_owned(), workers);
        Ok(result)
    }

    /// Compares what fresh JVMs repeated, and learns from it.
    fn compare_repetitions(
        &self,
        mut tested: WarmExecution,
        tree: &Path,
        limits: &Limits,
    ) -> Result<WarmExecution> {
        for Repetition { warm, fresh } in &tested.repetitions {
            tested.execution.notes.extend(self.check_agreement(warm, fresh, tree, limits)?);
        }
        if !tested.repetitions.is_empty() {
            self.record_leftovers(&tested.left);
        }
        Ok(tested)
    }

    /// Counts a variant that the workers do not support, and returns a note on it.
    ///
    /// # Errors
    /// [`Problem::Usage`] if the user requested this engine.
    fn refuse(&self, reason: &str) -> Result<String> {
        if self.engine_choice == EngineChoice::Resident {
            return Err(Problem::Usage {
                message: format!("the resident engine cannot test this project: {reason}"),
                remedy: "omit --engine".to_owned(),
            });
        }
        self.unsupported_in_a_row.fetch_add(1, Ordering::Relaxed);
        Ok(format!(
            "the resident engine cannot test some variants, so fresh processes test them: {reason}"
        ))
    }

    /// Takes the workers of a tree; the caller returns them after use.
    fn take_workers(&self, tree: &Path) -> Result<TreeWorkers> {
        let existing = lock(&self.tree_workers).remove(tree);
        existing.map_or_else(|| self.create_workers(), Ok)
    }

    /// Returns true if variants are still tested by warm workers.
    fn is_enabled(&self) -> bool {
        self.unsupported_in_a_row.load(Ordering::Relaxed) < MAX_UNSUPPORTED_VARIANTS
            && lock(&self.cross_check).is_trusted()
    }

    fn create_workers(&self) -> Result<TreeWorkers> {
        let folder = self.process_engine.temporary_folder("resident-")?;
        Ok(TreeWorkers::new(folder, self.result_cache.clone(), self.known_pollution.clone()))
    }

    /// Records leftovers of runs that were all confirmed.
    fn record_leftovers(&self, leftovers: &[String]) {
        if lock(&self.cross_check).is_trusted() {
            self.known_pollution.add(leftovers);
        }
    }

    /// Tests a variant as fast as possible, and cross-checks some of the executions.
    fn run_quick(&self, tree: &Path, limits: &Limits) -> Result<Execution> {
        if lock(&self.cross_check).is_initial_run() {
            return self.run_both(tree, limits);
        }
        let warm = match self.run_warm(tree, limits, TestPurpose::Verdict, &|| ())? {
            WarmRun::Tested(warm) => warm,
            WarmRun::NotTested { note } => {
                let clean = self.process_engine.run_clean(tree, limits)?;
                return Ok(with_note(clean, note));
            }
        };
        if lock(&self.cross_check).is_check_due() {
            let clean = self.process_engine.run_clean(tree, limits)?;
            self.compare_with_clean(*warm, clean, tree, limits)
        } else {
            Ok(warm.execution)
        }
    }

    /// Tests a variant in warm workers and with a clean build. The two builds run at the same time. The tests run after
    /// both builds, one run after the other, because they may use the same files and ports.
    fn run_both(&self, tree: &Path, limits: &Limits) -> Result<Execution> {
        let (clean_built, await_clean_build) = channel();
        let (warm_tested, await_warm_tests) = channel();
        let (warm, clean) = std::thread::scope(|scope| {
            let before_clean_tests = move || {
                // The warm workers may not test at all.
                let _ = clean_built.send(());
                await_warm_tests.recv().map_err(|_| Problem::Interrupted)
            };
            let clean = scope.spawn(move || {
                let order = self.process_engine.test_order();
                self.process_engine.run_clean_in_steps(tree, limits, order, before_clean_tests)
            });
            let before_warm_tests = || {
                // A clean build that fails drops its end of the channel.
                let _ = await_clean_build.recv();
            };
            let warm = self.run_warm(tree, limits, TestPurpose::Checked, &before_warm_tests);
            if warm.is_ok() {
                // A clean build that failed does not wait.
                let _ = warm_tested.send(());
            }
            drop(warm_tested);
            (warm, clean.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
        });
        match warm? {
            WarmRun::NotTested { note } => Ok(with_note(clean?, note)),
            WarmRun::Tested(warm) => {
                lock(&self.cross_check).count_initial_run();
                self.compare_with_clean(*warm, clean?, tree, limits)
            }
        }
    }

    /// Runs tests that record data, without a cross-check.
    fn run_recording(&self, tree: &Path, limits: &Limits) -> Result<Execution> {
        match self.run_warm(tree, limits, TestPurpose::Record, &|| ())? {
            WarmRun::Tested(quick) => Ok(quick.execution),
            WarmRun::NotTested { note } => {
                let order = self.process_engine.recording_order();
                let recorded =
                    self.process_engine.run_clean_in_steps(tree, limits, order, || Ok(()))?;
                Ok(with_note(recorded, note))
            }
        }
    }

    /// Compares a warm execution with one of a clean build in a fresh JVM, whose outcome is final.
    fn compare_with_clean(
        &self,
        warm: WarmExecution,
        clean: Execution,
        tree: &Path,
        limits: &Limits,
    ) -> Result<Execution> {
        let WarmExecution { execution: warm, left, .. } = warm;
        let mut clean = self.confirm(clean, &warm.outcome, tree, limits)?;
        self.record_leftovers(&left);
        clean.jvms += warm.jvms;
        clean.notes.splice(0..0, warm.notes);
        // If both compilers report errors, only the worker has them individually.
        if matches!(clean.outcome, Outcome::NotBuilt { .. }) {
            clean.compile_errors = warm.compile_errors;
        }
        Ok(clean)
    }

    /// Compares the outcome of a clean build with an earlier one. If it timed out although the workers finished in
    /// time, the machine may have been busy: it is repeated once with doubled limits, plus time for the JVM start.
    fn confirm(
        &self,
        clean: Execution,
        earlier_outcome: &Outcome,
        tree: &Path,
        limits: &Limits,
    ) -> Result<Execution> {
        let is_timeout = |outcome: &Outcome| matches!(outcome, Outcome::TimedOut { .. });
        let mut confirmed = if is_timeout(&clean.outcome) && !is_timeout(earlier_outcome) {
            let second = self.process_engine.run_clean(tree, &limits.extended_for_fresh_jvm())?;
            Execution { jvms: clean.jvms + second.jvms, ..second }
        } else {
            clean
        };
        let note = self.check_agreement(earlier_outcome, &confirmed.outcome, tree, limits)?;
        confirmed.notes.extend(note);
        Ok(confirmed)
    }

    /// Ends the workers if they were wrong, and returns a note on it.
    fn check_agreement(
        &self,
        warm_outcome: &Outcome,
        clean_outcome: &Outcome,
        tree: &Path,
        limits: &Limits,
    ) -> Result<Option<String>> {
        let difference = match compare_outcomes(warm_outcome, clean_outcome) {
            None => return Ok(None),
            Some(OutcomeDifference::Results(difference)) => difference,
            Some(OutcomeDifference::Failures(difference)) => {
                // Two clean builds may fail in different ways too.
                let second_run = self.process_engine.run_clean(tree, limits)?;
                if !is_reproducible(clean_outcome, &second_run.outcome) {
                    return Ok(None);
                }
                difference
            }
        };
        lock(&self.cross_check).record_disagreement();
        lock(&self.tree_workers).clear();
        Ok(Some(format!(
            "the resident engine contradicted fresh processes and was switched off: {difference}"
        )))
    }
}

/// Adds a note for the user to an execution.
fn with_note(mut execution: Execution, note: Option<String>) -> Execution {
    execution.notes.extend(note);
    execution
}

impl Engine for ResidentEngine {
    fn run(&self, &RunRequest { tree, limits, mode }: &RunRequest<'_>) -> Result<Execution> {
        match mode {
            RunMode::Quick => self.run_quick(tree, limits),
            RunMode::Checked => self.run_both(tree, limits),
            RunMode::Recording => self.run_recording(tree, limits),
            RunMode::Clean => self.process_engine.run_clean(tree, limits),
            RunMode::Confirm(earlier_outcome) => {
                let clean = self.process_engine.run_clean(tree, limits)?;
                self.confirm(clean, earlier_outcome, tree, limits)
            }
        }
    }

    fn coverage_meter(&self) -> Option<&dyn CoverageMeter> {
        self.is_enabled().then_some(self)
    }

    fn schema_tester(&self) -> Option<&dyn SchemaTester> {
        self.is_enabled().then_some(self)
    }

    fn with_test_order(self: Box<Self>, order: TestOrder) -> Box<dyn Engine> {
        let engine = *self;
        let process = engine.process_engine.with_order(order);
        Box::new(Self { process_engine: process, ..engine })
    }

    fn fingerprint(&self) -> String {
        format!("resident-{}", self.process_engine.fingerprint())
    }
}

impl SchemaTester for ResidentEngine {
    fn test_schema(&self, tree: &Path, request: &SchemaRequest<'_>) -> Result<SchemaRun> {
        let mut workers = self.take_workers(tree)?;
        let run = workers.run_schema(&self.process_engine, tree, request)?;
        lock(&self.tree_workers).insert(tree.to_owned(), workers);
        Ok(run)
    }
}

impl CoverageMeter for ResidentEngine {
    fn measure(&self, tree: &Path, limits: &Limits) -> Result<Option<Execution>> {
        let WarmResult::Tested(tested) =
            self.run_in_tree(tree, limits, TestPurpose::Coverage, &|| ())?
        else {
            return Ok(None);
        };
        let WarmExecution { execution, covered, .. } = *tested;
        if !matches!(execution.outcome, Outcome::Tests { .. }) {
            return Ok(None);
        }
        let outlines = self.process_engine.parse_outlines(&absolute_path(tree)?)?;
        let coverage = Some(Coverage::new(covered, outlines));
        Ok(Some(Execution { coverage, ..execution }))
    }
}
