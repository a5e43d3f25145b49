//! The workers of one tree, and their folder.

use super::test_worker::{WorkerResult, leaving};
use crate::build_and_test::{BuildAndTest, CompiledTests, Executor, MAIN_CLASSES, outcome};
use crate::compile::compile_worker::{CompileWorker, WarmCompileResult};
use crate::compile::javac::{Compilation, CompileResult};
use crate::process_engine::ProcessEngine;
use crate::resident::circuit_breaker::CircuitBreaker;
use crate::resident::known_pollution::KnownPollution;
use crate::resident::resource_snapshot::ResourceSnapshot;
use crate::resident::result_cache::{ResultCache, TestInputs};
use crate::resident::test_worker_pool::TestWorkerPool;
use crate::test_execution::coverage::ClassCoverage;
use crate::test_execution::runner_report::RunnerReport;
use crate::test_execution::test_order::TestBatch;
use crate::test_execution::test_run::TestRun;
use crate::{Execution, ExecutionMode, ExitInfo, Limits};
use mend_java::facts::CompileError;
use mend_model::{Outcome, Result, TestResult};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tempfile::TempDir;

/// Workers that judge the variants of one tree, one after the other.
pub(super) struct TreeWorkers {
    compiler: CompileWorker,
    testers: TestWorkerPool,
    /// Cache of results; `None` if every run must be executed.
    memory: Option<Arc<ResultCache>>,
    surroundings: ResourceSnapshot,
    doubts: CircuitBreaker,
    habits: Arc<KnownPollution>,
    /// Report on the last execution.
    pub(super) done: ExecutionReport,
    purpose: TestPurpose,
    /// The folder is dropped after the workers that use it.
    folder: TempDir,
}

/// Purpose of a test run.
#[derive(Default)]
pub(super) enum TestPurpose {
    /// Test a variant.
    #[default]
    Verdict,
    /// Test a variant; a clean build follows in any case.
    Checked,
    /// Measure method coverage, which is collected here.
    Coverage(Vec<ClassCoverage>),
    /// Run tests that record data themselves. Their results are known and need no confirmation.
    Record,
}

/// Report on an execution besides its outcome.
#[derive(Default)]
pub(super) struct ExecutionReport {
    /// Why it means nothing, if it does not.
    pub(super) obstacle: Option<String>,
    /// Outcomes of the warm workers and of the fresh JVM that repeated the run.
    pub(super) checks: Vec<(Outcome, Outcome)>,
    /// Restored leftovers of the tests that were not yet confirmed to be harmless.
    pub(super) left: Vec<String>,
    /// Note for the user.
    pub(super) note: Option<String>,
    refusals: Vec<CompileError>,
    /// Output folder and class digest of each compilation.
    classes: Vec<(PathBuf, Vec<u8>)>,
    /// Cache key of the results.
    key: Option<String>,
    is_known: bool,
    is_recycled: bool,
    runs: usize,
    fresh_runs: usize,
}

impl TreeWorkers {
    pub(super) fn new(
        folder: TempDir,
        memory: Option<Arc<ResultCache>>,
        habits: Arc<KnownPollution>,
    ) -> Self {
        Self {
            compiler: CompileWorker::default(),
            testers: TestWorkerPool::default(),
            memory,
            surroundings: ResourceSnapshot::default(),
            doubts: CircuitBreaker::default(),
            habits,
            done: ExecutionReport::default(),
            purpose: TestPurpose::default(),
            folder,
        }
    }

    /// Builds and tests the variant in a tree.
    pub(super) fn run(
        &mut self,
        process: &ProcessEngine,
        tree: &Path,
        limits: &Limits,
        purpose: TestPurpose,
    ) -> Result<Execution> {
        self.purpose = purpose;
        let output = self.folder.path().to_owned();
        let started = self.testers.started;
        self.done = ExecutionReport::default();
        let execution = process.run_with(tree, &output, limits, self)?;
        let ExecutionReport { runs, fresh_runs, is_known, is_recycled, .. } = self.done;
        let rung = match (runs, fresh_runs) {
            _ if is_known => ExecutionMode::Same,
            (1.., 0) if is_recycled => ExecutionMode::Recycled,
            (1.., 0) => ExecutionMode::Loader,
            _ => ExecutionMode::Jvm,
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
    ) -> Result<Option<(Vec<ClassCoverage>, Execution)>> {
        let execution = self.run(process, tree, limits, TestPurpose::Coverage(Vec::new()))?;
        let TestPurpose::Coverage(covered) = std::mem::take(&mut self.purpose) else {
            return Ok(None);
        };
        let is_told = matches!(execution.outcome, Outcome::Tests { .. });
        Ok(is_told.then_some((covered, execution)))
    }

    /// Runs tests in a warm JVM, and in a restarted one if earlier runs may have caused a failure.
    fn resident(&mut self, run: &TestRun<'_>, probed: Option<&Path>) -> Result<WorkerResult> {
        let ran = self.testers.run(run, self.folder.path(), probed)?;
        let WorkerResult::NeedsRestart = ran else { return Ok(ran) };
        self.done.is_recycled = true;
        self.testers.run(run, self.folder.path(), probed)
    }

    /// Runs tests whose results are ignored: only the recorded data count.
    fn watched(
        &mut self,
        run: &TestRun<'_>,
        probed: Option<&Path>,
    ) -> Result<(RunnerReport, ExitInfo)> {
        let told = match self.resident(run, probed)? {
            WorkerResult::Clean(told)
            | WorkerResult::Restored(told, _)
            | WorkerResult::Unconfirmed(told, _) => told,
            WorkerResult::TimedOut(..) | WorkerResult::JvmDied | WorkerResult::NeedsRestart => {
                RunnerReport::default()
            }
        };
        if let TestPurpose::Coverage(all) = &mut self.purpose {
            all.extend(told.covered.clone());
        }
        Ok((told, unasked()))
    }

    /// Caches the results of a warm run. Results that needed a fresh JVM may differ the next time and are not cached.
    fn remember(&mut self, execution: &Execution) {
        let (Some(memory), Some(key)) = (&self.memory, self.done.key.take()) else { return };
        if let (ExecutionMode::Loader, Outcome::Tests { results }) =
            (execution.rung, &execution.outcome)
        {
            memory.put(key, results.clone());
        }
    }

    fn doubt(&mut self, why: &str) {
        if self.doubts.count() {
            self.done.note = Some(format!("tests run in fresh JVMs for a while because {why}"));
        }
    }

    /// Repeats a dubious run in a fresh JVM, unless a clean build follows anyway.
    fn doubted(
        &mut self,
        run: &TestRun<'_>,
        quick: RunnerReport,
        why: &str,
    ) -> Result<(RunnerReport, ExitInfo)> {
        self.doubt(why);
        if matches!(self.purpose, TestPurpose::Checked) {
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

    fn afresh(&mut self, run: &TestRun<'_>) -> Result<(RunnerReport, ExitInfo)> {
        self.done.fresh_runs += 1;
        run.run()
    }
}

impl Executor for TreeWorkers {
    fn compile(
        &mut self,
        compilation: &Compilation<'_>,
        files: &[PathBuf],
    ) -> Result<CompileResult> {
        Ok(match self.compiler.compile(compilation, files)? {
            WarmCompileResult::Ok(digest) => {
                self.done.classes.push((compilation.output.to_owned(), digest));
                CompileResult::Ok
            }
            WarmCompileResult::TimedOut => CompileResult::TimedOut(String::new()),
            WarmCompileResult::Failed(said, refusals) => {
                self.done.refusals = refusals;
                CompileResult::Failed(said)
            }
            WarmCompileResult::Unsupported(reason) => {
                self.done.obstacle = Some(reason);
                CompileResult::Failed(String::new())
            }
        })
    }

    fn cached_results(
        &mut self,
        attempt: &BuildAndTest<'_>,
        testing: &[CompiledTests<'_>],
        turns: &[TestBatch],
    ) -> Result<Option<Vec<TestResult>>> {
        let is_judged = matches!(self.purpose, TestPurpose::Verdict | TestPurpose::Checked);
        let Some(memory) = self.memory.as_ref().filter(|_| is_judged) else { return Ok(None) };
        let sight = TestInputs { attempt, classes: &self.done.classes, testing, turns };
        let key = sight.key(&mut self.surroundings);
        let known = key.as_ref().and_then(|key| memory.get(key));
        self.done.is_known = known.is_some();
        self.done.key = key;
        Ok(known)
    }

    fn test(&mut self, run: &TestRun<'_>) -> Result<(RunnerReport, ExitInfo)> {
        self.done.runs += 1;
        match self.purpose {
            TestPurpose::Coverage(_) => {
                let classes = self.folder.path().join(MAIN_CLASSES);
                return self.watched(run, Some(&classes));
            }
            TestPurpose::Record => return self.watched(run, None),
            TestPurpose::Verdict | TestPurpose::Checked => {}
        }
        if self.doubts.is_resting() {
            return self.afresh(run);
        }
        let (told, timed_out, output) = match self.resident(run, None)? {
            WorkerResult::Clean(told) => (told, false, String::new()),
            WorkerResult::TimedOut(told, output) => (told, true, output),
            WorkerResult::JvmDied | WorkerResult::NeedsRestart => {
                self.doubt("they end the JVM");
                return self.afresh(run);
            }
            WorkerResult::Restored(told, left) if self.habits.cover(&left) => {
                (told, false, String::new())
            }
            WorkerResult::Restored(quick, left) => {
                let why = leaving(&left);
                self.done.left.extend(left);
                return self.doubted(run, quick, &why);
            }
            WorkerResult::Unconfirmed(quick, why) => return self.doubted(run, quick, &why),
        };
        self.doubts.clear();
        Ok((told, ExitInfo { code: None, timed_out, output }))
    }
}

/// The end of a run if only the test results count.
fn unasked() -> ExitInfo {
    ExitInfo { code: None, timed_out: false, output: String::new() }
}
