//! Building and testing in warm JVMs, cross-checked against fresh ones.

mod test_worker;

use super::explore::ExploreWorkers;
use super::lock::lock;
use super::process_engine::{ProcessEngine, absolute};
use super::{
    Coverage, Engine, EngineChoice, Execution, ExplorationResult, ExploreConfig, Limits,
    ScheduleListener, TestOrder, Toolchain,
};
use crate::compile::warm_compiler;
use crate::jvm::java_program::create;
use crate::resident::cross_check::CrossCheck;
use crate::resident::known_pollution::KnownPollution;
use crate::resident::result_cache::ResultCache;
use crate::resident::tree_workers::{ExecutionReport, RunMode, TreeWorkers};
use mend_model::{Outcome, Problem, Result};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use tempfile::TempDir;

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
    /// Each tree's own workers for schedules, and their folder.
    explorers: Mutex<HashMap<PathBuf, (TempDir, ExploreWorkers)>>,
    memory: Option<Arc<ResultCache>>,
    habits: Arc<KnownPollution>,
    trust: Mutex<CrossCheck>,
    /// Variants in a row that the workers could make nothing of.
    obstacles: AtomicUsize,
    notes: Mutex<Vec<String>>,
}

/// Execution of a variant in warm workers.
struct WarmExecution {
    execution: Execution,
    /// Restored leftovers of its tests that were not yet confirmed to be harmless.
    left: Vec<String>,
}

impl ResidentEngine {
    /// An engine that asks another one where it cannot judge itself or is to be checked; what is checked is
    /// drawn from a seed.
    pub fn new(process: ProcessEngine, choice: EngineChoice, seed: u64) -> Self {
        let (slots, explorers, notes) = (Mutex::default(), Mutex::default(), Mutex::default());
        let (trust, obstacles) = (Mutex::new(CrossCheck::new(seed)), AtomicUsize::new(0));
        let habits = Arc::default();
        Self { process, choice, slots, explorers, memory: None, habits, trust, obstacles, notes }
    }

    /// Returns the same engine with a result cache: it does not run tests again on identical
    /// inputs. It must not be used for tests that are repeated to detect flakiness.
    #[must_use]
    pub fn remembering(self) -> Self {
        Self { memory: Some(Arc::default()), ..self }
    }

    /// Tests a variant in warm workers; `None` if they are switched off or do not support it, then with a note.
    fn quickly(
        &self,
        tree: &Path,
        limits: &Limits,
        purpose: RunMode,
    ) -> Result<Option<WarmExecution>> {
        if !self.is_in_use() {
            return Ok(None);
        }
        let mut slot = self.slot(tree)?;
        let execution = slot.run(&self.process, tree, limits, purpose)?;
        let ExecutionReport { obstacle, checks, left, note, .. } = std::mem::take(&mut slot.done);
        lock(&self.slots).insert(tree.to_owned(), slot);
        if let Some(note) = note {
            self.note(note);
        }
        for (quick, sure) in &checks {
            self.compare(quick, sure);
        }
        if !checks.is_empty() {
            self.learn(&left);
        }
        match obstacle {
            None => {
                self.obstacles.store(0, Ordering::Relaxed);
                Ok(Some(WarmExecution { execution, left }))
            }
            Some(reason) if self.choice == EngineChoice::Resident => Err(Problem::Usage {
                message: format!("the resident engine cannot test this project: {reason}"),
                remedy: "omit --engine".to_owned(),
            }),
            Some(reason) => {
                self.obstacles.fetch_add(1, Ordering::Relaxed);
                self.note(format!(
                    "the resident engine cannot test some variants, so fresh processes test them: {reason}"
                ));
                Ok(None)
            }
        }
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
        let work = create(self.process.work.clone())?;
        let work = std::path::absolute(&work).map_err(|error| Problem::io(error, &work))?;
        let folder = tempfile::Builder::new().prefix("resident-").tempdir_in(&work);
        let slot = |folder| TreeWorkers::new(folder, self.memory.clone(), self.habits.clone());
        folder.map(slot).map_err(|error| Problem::io(error, &work))
    }

    fn note(&self, text: String) {
        let mut notes = lock(&self.notes);
        if !notes.contains(&text) {
            notes.push(text);
        }
    }

    /// Records leftovers of runs that were all confirmed.
    fn learn(&self, left: &[String]) {
        if lock(&self.trust).is_trusted() {
            self.habits.learn(left);
        }
    }

    /// Repeats a warm execution with a clean build in a fresh JVM, whose outcome is final.
    fn checked(&self, quick: &WarmExecution, tree: &Path, limits: &Limits) -> Result<Execution> {
        let WarmExecution { execution: quick, left } = quick;
        let mut sure = self.afresh(tree, limits, &quick.outcome)?;
        self.compare(&quick.outcome, &sure.outcome);
        self.learn(left);
        sure.jvms += quick.jvms;
        // Where both refuse it, the worker alone knows what of it.
        if matches!(sure.outcome, Outcome::NotBuilt { .. }) {
            sure.refusals.clone_from(&quick.refusals);
        }
        Ok(sure)
    }

    /// Runs a clean build. If it times out although the workers finished in time, the machine may
    /// be busy: it is repeated once with doubled limits, plus time for the JVM start.
    fn afresh(&self, tree: &Path, limits: &Limits, before: &Outcome) -> Result<Execution> {
        let sure = self.process.run(tree, limits)?;
        let is_over = |outcome: &Outcome| matches!(outcome, Outcome::TimedOut { .. });
        if !is_over(&sure.outcome) || is_over(before) {
            return Ok(sure);
        }
        let again = self.process.run(tree, &limits.patient())?;
        Ok(Execution { jvms: again.jvms + sure.jvms, ..again })
    }

    /// Ends the workers if they were wrong.
    fn compare(&self, quick: &Outcome, sure: &Outcome) {
        let difference = lock(&self.trust).compare(quick, sure);
        if let Some(difference) = difference {
            lock(&self.slots).clear();
            self.note(format!(
                "the resident engine contradicted fresh processes and was switched off: {difference}"
            ));
        }
    }
}

impl Engine for ResidentEngine {
    fn run(&self, tree: &Path, limits: &Limits) -> Result<Execution> {
        let is_first = lock(&self.trust).begins();
        let purpose = if is_first { RunMode::Checked } else { RunMode::Verdict };
        let Some(quick) = self.quickly(tree, limits, purpose)? else {
            return self.process.run(tree, limits);
        };
        let is_drawn = lock(&self.trust).doubts();
        if is_first || is_drawn { self.checked(&quick, tree, limits) } else { Ok(quick.execution) }
    }

    fn watch(&self, tree: &Path, limits: &Limits) -> Result<Execution> {
        match self.quickly(tree, limits, RunMode::Record)? {
            Some(quick) => Ok(quick.execution),
            None => self.process.run(tree, limits),
        }
    }

    fn run_afresh(&self, tree: &Path, limits: &Limits) -> Result<Execution> {
        self.process.run(tree, limits)
    }

    fn confirm(&self, tree: &Path, limits: &Limits, before: &Outcome) -> Result<Execution> {
        let sure = self.afresh(tree, limits, before)?;
        self.compare(before, &sure.outcome);
        Ok(sure)
    }

    fn coverage(&self, tree: &Path, limits: &Limits) -> Result<Option<Execution>> {
        if !self.is_in_use() {
            return Ok(None);
        }
        let mut slot = self.slot(tree)?;
        let covered = slot.coverage(&self.process, tree, limits)?;
        lock(&self.slots).insert(tree.to_owned(), slot);
        let Some((covered, execution)) = covered else { return Ok(None) };
        let outlines = self.process.outlines(&absolute(tree)?)?;
        let coverage = Some(Coverage::new(covered, outlines));
        Ok(Some(Execution { coverage, ..execution }))
    }

    fn explore(
        &self,
        tree: &Path,
        limits: &Limits,
        order: &ExploreConfig,
        listener: &mut ScheduleListener<'_>,
    ) -> Result<Option<ExplorationResult>> {
        let known = lock(&self.explorers).remove(tree);
        let (folder, mut explorer) = match known {
            Some(known) => known,
            None => (self.process.explore_folder()?, ExploreWorkers::resident()),
        };
        let (place, asked) = ((tree, folder.path()), (order, listener));
        let explored = self.process.explore_with(place, limits, asked, &mut explorer)?;
        lock(&self.explorers).insert(tree.to_owned(), (folder, explorer));
        Ok(Some(explored))
    }

    fn reordered(self: Box<Self>, order: TestOrder) -> Box<dyn Engine> {
        let engine = *self;
        let process = engine.process.with_order(order);
        Box::new(Self { process, ..engine })
    }

    fn notes(&self) -> Vec<String> {
        lock(&self.notes).clone()
    }

    fn fingerprint(&self) -> String {
        format!("resident-{}", self.process.fingerprint())
    }
}

mod circuit_breaker;
mod cross_check;
mod known_pollution;
mod resource_snapshot;
mod result_cache;
mod test_worker_pool;
#[cfg(test)]
mod tests;
mod tree_workers;
