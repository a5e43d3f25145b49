//! The workers of one tree, and their folder.

use super::test_worker::{Ran, leaving};
use crate::build_and_test::{Attempt, Hands, MAIN_CLASSES, Testing, outcome};
use crate::compile::compile_worker::{Answer, CompileWorker};
use crate::compile::javac::{Compilation, Compiled};
use crate::process_engine::ProcessEngine;
use crate::resident::circuit_breaker::Doubts;
use crate::resident::known_pollution::Habits;
use crate::resident::resource_snapshot::Surroundings;
use crate::resident::result_cache::{Memory, Sight};
use crate::resident::test_worker_pool::TestWorkers;
use crate::test_execution::coverage::Covered;
use crate::test_execution::runner_report::Told;
use crate::test_execution::test_order::Turn;
use crate::test_execution::test_run::TestRun;
use crate::{Ended, Execution, Limits, Rung};
use mend_java::facts::Refusal;
use mend_model::{Outcome, Result, TestResult};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tempfile::TempDir;

/// Workers that judge the variants of one tree, one after the other.
pub(super) struct Slot {
    compiler: CompileWorker,
    testers: TestWorkers,
    /// What came out before; `None` where every run is to be one.
    memory: Option<Arc<Memory>>,
    surroundings: Surroundings,
    doubts: Doubts,
    habits: Arc<Habits>,
    /// What the last execution came to.
    pub(super) done: Done,
    purpose: Purpose,
    /// It goes after those who work in it.
    folder: TempDir,
}

/// What tests are run for.
#[derive(Default)]
pub(super) enum Purpose {
    /// To judge a variant by them.
    #[default]
    Verdict,
    /// To judge a variant by them, where a fresh build is asked too, whatever comes out.
    Checked,
    /// To see which methods they enter: which those were.
    Coverage(Vec<Covered>),
    /// For what they write down themselves. How they end is known, and no fresh JVM need say it again.
    Record,
}

/// What there is to say about an execution besides its outcome.
#[derive(Default)]
pub(super) struct Done {
    /// Why it means nothing, if it does not.
    pub(super) obstacle: Option<String>,
    /// What the workers said where a fresh JVM was asked too, and what that said.
    pub(super) checks: Vec<(Outcome, Outcome)>,
    /// Restored leftovers of the tests that were not yet confirmed to be harmless.
    pub(super) left: Vec<String>,
    /// What the user should know.
    pub(super) note: Option<String>,
    refusals: Vec<Refusal>,
    /// Of each compilation, its output folder and a digest of its classes.
    classes: Vec<(PathBuf, Vec<u8>)>,
    /// What to remember the outcome by.
    key: Option<String>,
    is_known: bool,
    is_recycled: bool,
    runs: usize,
    fresh_runs: usize,
}

impl Slot {
    pub(super) fn new(folder: TempDir, memory: Option<Arc<Memory>>, habits: Arc<Habits>) -> Self {
        Self {
            compiler: CompileWorker::default(),
            testers: TestWorkers::default(),
            memory,
            surroundings: Surroundings::default(),
            doubts: Doubts::default(),
            habits,
            done: Done::default(),
            purpose: Purpose::default(),
            folder,
        }
    }

    /// Builds and tests the variant in a tree.
    pub(super) fn run(
        &mut self,
        process: &ProcessEngine,
        tree: &Path,
        limits: &Limits,
        purpose: Purpose,
    ) -> Result<Execution> {
        self.purpose = purpose;
        let output = self.folder.path().to_owned();
        let started = self.testers.started;
        self.done = Done::default();
        let execution = process.run_with(tree, &output, limits, self)?;
        let Done { runs, fresh_runs, is_known, is_recycled, .. } = self.done;
        let rung = match (runs, fresh_runs) {
            _ if is_known => Rung::Same,
            (1.., 0) if is_recycled => Rung::Recycled,
            (1.., 0) => Rung::Loader,
            _ => Rung::Jvm,
        };
        let jvms = self.testers.started - started + fresh_runs;
        let refusals = std::mem::take(&mut self.done.refusals);
        let execution = Execution { jvms, rung, refusals, ..execution };
        self.remember(&execution);
        Ok(execution)
    }

    /// Runs the tests of a tree with method coverage; `None` if they hang here.
    pub(super) fn coverage(
        &mut self,
        process: &ProcessEngine,
        tree: &Path,
        limits: &Limits,
    ) -> Result<Option<(Vec<Covered>, Execution)>> {
        let execution = self.run(process, tree, limits, Purpose::Coverage(Vec::new()))?;
        let Purpose::Coverage(covered) = std::mem::take(&mut self.purpose) else { return Ok(None) };
        let is_told = matches!(execution.outcome, Outcome::Tests { .. });
        Ok(is_told.then_some((covered, execution)))
    }

    /// Has a resident JVM run tests, and another one where the first may be worn out.
    fn resident(&mut self, run: &TestRun<'_>, probed: Option<&Path>) -> Result<Ran> {
        let ran = self.testers.run(run, self.folder.path(), probed)?;
        let Ran::Worn = ran else { return Ok(ran) };
        self.done.is_recycled = true;
        self.testers.run(run, self.folder.path(), probed)
    }

    /// For watched tests, only the fact that they ended matters, not their results.
    fn watched(&mut self, run: &TestRun<'_>, probed: Option<&Path>) -> Result<(Told, Ended)> {
        let told = match self.resident(run, probed)? {
            Ran::Clean(told) | Ran::Restored(told, _) | Ran::Dubious(told, _) => told,
            Ran::TimedOut(..) | Ran::Ended | Ran::Worn => Told::default(),
        };
        if let Purpose::Coverage(all) = &mut self.purpose {
            all.extend(told.covered.clone());
        }
        Ok((told, unasked()))
    }

    /// What needed a fresh JVM may be another thing the next time.
    fn remember(&mut self, execution: &Execution) {
        let (Some(memory), Some(key)) = (&self.memory, self.done.key.take()) else { return };
        if let (Rung::Loader, Outcome::Tests { results }) = (execution.rung, &execution.outcome) {
            memory.put(key, results.clone());
        }
    }

    fn doubt(&mut self, why: &str) {
        if self.doubts.count() {
            self.done.note = Some(format!("tests run in fresh JVMs for a while because {why}"));
        }
    }

    /// Has a fresh JVM say what came out, but where one is asked anyway: one is enough to say whether it is true.
    fn doubted(&mut self, run: &TestRun<'_>, quick: Told, why: &str) -> Result<(Told, Ended)> {
        self.doubt(why);
        if matches!(self.purpose, Purpose::Checked) {
            self.done.key = None;
            return Ok((quick, unasked()));
        }
        let (told, ended) = self.afresh(run)?;
        self.done.checks.push((
            Outcome::Tests { results: quick.results },
            outcome(&told, &ended).unwrap_or(Outcome::Tests { results: told.results.clone() }),
        ));
        Ok((told, ended))
    }

    fn afresh(&mut self, run: &TestRun<'_>) -> Result<(Told, Ended)> {
        self.done.fresh_runs += 1;
        run.run()
    }
}

impl Hands for Slot {
    fn compile(&mut self, compilation: &Compilation<'_>, files: &[PathBuf]) -> Result<Compiled> {
        Ok(match self.compiler.compile(compilation, files)? {
            Answer::Ok(digest) => {
                self.done.classes.push((compilation.output.to_owned(), digest));
                Compiled::Ok
            }
            Answer::TimedOut => Compiled::TimedOut(String::new()),
            Answer::Failed(said, refusals) => {
                self.done.refusals = refusals;
                Compiled::Failed(said)
            }
            Answer::Unfit(reason) => {
                self.done.obstacle = Some(reason);
                Compiled::Failed(String::new())
            }
        })
    }

    fn known(
        &mut self,
        attempt: &Attempt<'_>,
        testing: &[Testing<'_>],
        turns: &[Turn],
    ) -> Result<Option<Vec<TestResult>>> {
        let is_judged = matches!(self.purpose, Purpose::Verdict | Purpose::Checked);
        let Some(memory) = self.memory.as_ref().filter(|_| is_judged) else { return Ok(None) };
        let sight = Sight { attempt, classes: &self.done.classes, testing, turns };
        let key = sight.key(&mut self.surroundings);
        let known = key.as_ref().and_then(|key| memory.get(key));
        self.done.is_known = known.is_some();
        self.done.key = key;
        Ok(known)
    }

    fn test(&mut self, run: &TestRun<'_>) -> Result<(Told, Ended)> {
        self.done.runs += 1;
        match self.purpose {
            Purpose::Coverage(_) => {
                let classes = self.folder.path().join(MAIN_CLASSES);
                return self.watched(run, Some(&classes));
            }
            Purpose::Record => return self.watched(run, None),
            Purpose::Verdict | Purpose::Checked => {}
        }
        if self.doubts.is_resting() {
            return self.afresh(run);
        }
        let (told, timed_out, output) = match self.resident(run, None)? {
            Ran::Clean(told) => (told, false, String::new()),
            Ran::TimedOut(told, output) => (told, true, output),
            Ran::Ended | Ran::Worn => {
                self.doubt("they end the JVM");
                return self.afresh(run);
            }
            Ran::Restored(told, left) if self.habits.cover(&left) => (told, false, String::new()),
            Ran::Restored(quick, left) => {
                let why = leaving(&left);
                self.done.left.extend(left);
                return self.doubted(run, quick, &why);
            }
            Ran::Dubious(quick, why) => return self.doubted(run, quick, &why),
        };
        self.doubts.clear();
        Ok((told, Ended { code: None, timed_out, output }))
    }
}

/// The end of a run if only the test results count.
fn unasked() -> Ended {
    Ended { code: None, timed_out: false, output: String::new() }
}
