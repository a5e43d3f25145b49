//! Building and testing in warm JVMs, cross-checked against fresh ones.

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

use super::lock::lock;
use super::process_engine::{ProcessEngine, absolute};
use super::{
    Coverage, CoverageMeter, Engine, EngineChoice, Execution, Limits, RunMode, RunRequest,
    TestOrder, Toolchain,
};
use crate::compile::warm_compiler;
use crate::resident::cross_check::CrossCheck;
use crate::resident::known_pollution::KnownPollution;
use crate::resident::result_cache::ResultCache;
use crate::resident::tree_workers::{TestPurpose, TreeWorkers};
use crate::resident::warm_execution::{Repetition, WarmExecution, WarmResult};
use mend_model::{Outcome, Problem, Result};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

/// Compiles the programs of the workers, unless they are there.
pub(super) fn compile(tools: &Toolchain) -> Result<()> {
    warm_compiler::compiled(tools)?;
    test_worker::compiled(tools).map(drop)
}

/// Number of consecutive variants that the workers could not handle after which they are skipped.
const PATIENCE: usize = 3;

/// Judges variants in resident JVMs where it can, and has a process engine judge anew what needs proof.
pub struct ResidentEngine {
    process: ProcessEngine,
    choice: EngineChoice,
    /// Each tree's own workers.
    slots: Mutex<HashMap<PathBuf, TreeWorkers>>,
    memory: Option<Arc<ResultCache>>,
    habits: Arc<KnownPollution>,
    trust: Mutex<CrossCheck>,
    /// Variants in a row that the workers could make nothing of.
    obstacles: AtomicUsize,
}

/// Result of the attempt to test a variant in warm workers.
enum WarmRun {
    Tested(Box<WarmExecution>),
    /// They are switched off or do not support the variant, then with a note for the user.
    NotTested {
        note: Option<String>,
    },
}

impl ResidentEngine {
    /// An engine that asks another one where it cannot judge itself or is to be checked; what is checked is
    /// drawn from a seed.
    pub fn new(process: ProcessEngine, choice: EngineChoice, seed: u64) -> Self {
        let (slots, habits) = (Mutex::default(), Arc::default());
        let (trust, obstacles) = (Mutex::new(CrossCheck::new(seed)), AtomicUsize::new(0));
        Self { process, choice, slots, memory: None, habits, trust, obstacles }
    }

    /// Returns the same engine with a result cache: it does not run tests again on identical
    /// inputs. It must not be used for tests that are repeated to detect flakiness.
    #[must_use]
    pub fn remembering(self) -> Self {
        Self { memory: Some(Arc::default()), ..self }
    }

    /// Tests a variant in warm workers if they are in use and support it.
    fn run_warm(&self, tree: &Path, limits: &Limits, purpose: TestPurpose) -> Result<WarmRun> {
        if !self.is_in_use() {
            return Ok(WarmRun::NotTested { note: None });
        }
        let tested = match self.run_slot(tree, limits, purpose)? {
            WarmResult::Tested(tested) => tested,
            WarmResult::Unsupported(reason) => {
                return Ok(WarmRun::NotTested { note: Some(self.refuse(&reason)?) });
            }
        };
        self.obstacles.store(0, Ordering::Relaxed);
        Ok(WarmRun::Tested(Box::new(self.compare_repetitions(*tested))))
    }

    /// Has the workers of a tree test the variant in it.
    fn run_slot(&self, tree: &Path, limits: &Limits, purpose: TestPurpose) -> Result<WarmResult> {
        let mut slot = self.slot(tree)?;
        let result = slot.run(&self.process, tree, limits, purpose)?;
        lock(&self.slots).insert(tree.to_owned(), slot);
        Ok(result)
    }

    /// Compares what fresh JVMs repeated, and learns from it.
    fn compare_repetitions(&self, mut tested: WarmExecution) -> WarmExecution {
        for Repetition { warm, fresh } in &tested.repetitions {
            tested.execution.notes.extend(self.compare(warm, fresh));
        }
        if !tested.repetitions.is_empty() {
            self.learn(&tested.left);
        }
        tested
    }

    /// Counts a variant that the workers do not support, and returns a note on it.
    ///
    /// # Errors
    /// [`Problem::Usage`] if the user asked for this engine.
    fn refuse(&self, reason: &str) -> Result<String> {
        if self.choice == EngineChoice::Resident {
            return Err(Problem::Usage {
                message: format!("the resident engine cannot test this project: {reason}"),
                remedy: "omit --engine".to_owned(),
            });
        }
        self.obstacles.fetch_add(1, Ordering::Relaxed);
        Ok(format!(
            "the resident engine cannot test some variants, so fresh processes test them: {reason}"
        ))
    }

    /// The workers of a tree, to be given back.
    fn slot(&self, tree: &Path) -> Result<TreeWorkers> {
        let known = lock(&self.slots).remove(tree);
        known.map_or_else(|| self.fresh_slot(), Ok)
    }

    /// Returns true if variants are still tested by warm workers.
    fn is_in_use(&self) -> bool {
        self.obstacles.load(Ordering::Relaxed) < PATIENCE && lock(&self.trust).is_trusted()
    }

    fn fresh_slot(&self) -> Result<TreeWorkers> {
        let folder = self.process.temporary_folder("resident-")?;
        Ok(TreeWorkers::new(folder, self.memory.clone(), self.habits.clone()))
    }

    /// Records leftovers of runs that were all confirmed.
    fn learn(&self, left: &[String]) {
        if lock(&self.trust).is_trusted() {
            self.habits.learn(left);
        }
    }

    /// Tests a variant as fast as possible, and cross-checks some of the executions.
    fn run_quick(&self, tree: &Path, limits: &Limits) -> Result<Execution> {
        let is_first = lock(&self.trust).begins();
        let purpose = if is_first { TestPurpose::Checked } else { TestPurpose::Verdict };
        let quick = match self.run_warm(tree, limits, purpose)? {
            WarmRun::Tested(quick) => quick,
            WarmRun::NotTested { note } => return self.run_fresh(tree, limits, note),
        };
        let is_drawn = lock(&self.trust).doubts();
        if is_first || is_drawn { self.checked(*quick, tree, limits) } else { Ok(quick.execution) }
    }

    /// Runs tests whose recorded data count, without a cross-check.
    fn run_recording(&self, tree: &Path, limits: &Limits) -> Result<Execution> {
        match self.run_warm(tree, limits, TestPurpose::Record)? {
            WarmRun::Tested(quick) => Ok(quick.execution),
            WarmRun::NotTested { note } => self.run_fresh(tree, limits, note),
        }
    }

    /// Tests a variant without warm workers; the note says why.
    fn run_fresh(&self, tree: &Path, limits: &Limits, note: Option<String>) -> Result<Execution> {
        let mut execution = self.process.run_clean(tree, limits)?;
        execution.notes.extend(note);
        Ok(execution)
    }

    /// Repeats a warm execution with a clean build in a fresh JVM, whose outcome is final.
    fn checked(&self, quick: WarmExecution, tree: &Path, limits: &Limits) -> Result<Execution> {
        let WarmExecution { execution: quick, left, .. } = quick;
        let mut sure = self.confirm(tree, limits, &quick.outcome)?;
        self.learn(&left);
        sure.jvms += quick.jvms;
        sure.notes.splice(0..0, quick.notes);
        // Where both refuse it, the worker alone knows what of it.
        if matches!(sure.outcome, Outcome::NotBuilt { .. }) {
            sure.refusals = quick.refusals;
        }
        Ok(sure)
    }

    /// Runs a clean build and compares its outcome with an earlier one.
    fn confirm(&self, tree: &Path, limits: &Limits, before: &Outcome) -> Result<Execution> {
        let mut sure = self.afresh(tree, limits, before)?;
        sure.notes.extend(self.compare(before, &sure.outcome));
        Ok(sure)
    }

    /// Runs a clean build. If it times out although the workers finished in time, the machine may
    /// be busy: it is repeated once with doubled limits, plus time for the JVM start.
    fn afresh(&self, tree: &Path, limits: &Limits, before: &Outcome) -> Result<Execution> {
        let sure = self.process.run_clean(tree, limits)?;
        let is_over = |outcome: &Outcome| matches!(outcome, Outcome::TimedOut { .. });
        if !is_over(&sure.outcome) || is_over(before) {
            return Ok(sure);
        }
        let again = self.process.run_clean(tree, &limits.patient())?;
        Ok(Execution { jvms: again.jvms + sure.jvms, ..again })
    }

    /// Ends the workers if they were wrong, and returns a note on it.
    fn compare(&self, quick: &Outcome, sure: &Outcome) -> Option<String> {
        let difference = lock(&self.trust).compare(quick, sure)?;
        lock(&self.slots).clear();
        Some(format!(
            "the resident engine contradicted fresh processes and was switched off: {difference}"
        ))
    }
}

impl Engine for ResidentEngine {
    fn run(&self, &RunRequest { tree, limits, mode }: &RunRequest<'_>) -> Result<Execution> {
        match mode {
            RunMode::Quick => self.run_quick(tree, limits),
            RunMode::Recording => self.run_recording(tree, limits),
            RunMode::Clean => self.process.run_clean(tree, limits),
            RunMode::Confirm(before) => self.confirm(tree, limits, before),
        }
    }

    fn coverage_meter(&self) -> Option<&dyn CoverageMeter> {
        self.is_in_use().then_some(self)
    }

    fn reordered(self: Box<Self>, order: TestOrder) -> Box<dyn Engine> {
        let engine = *self;
        let process = engine.process.with_order(order);
        Box::new(Self { process, ..engine })
    }

    fn fingerprint(&self) -> String {
        format!("resident-{}", self.process.fingerprint())
    }
}

impl CoverageMeter for ResidentEngine {
    fn measure(&self, tree: &Path, limits: &Limits) -> Result<Option<Execution>> {
        let WarmResult::Tested(tested) = self.run_slot(tree, limits, TestPurpose::Coverage)? else {
            return Ok(None);
        };
        let WarmExecution { execution, covered, .. } = *tested;
        if !matches!(execution.outcome, Outcome::Tests { .. }) {
            return Ok(None);
        }
        let outlines = self.process.outlines(&absolute(tree)?)?;
        let coverage = Some(Coverage::new(covered, outlines));
        Ok(Some(Execution { coverage, ..execution }))
    }
}
