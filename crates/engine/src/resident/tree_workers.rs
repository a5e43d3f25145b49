//! Workers of one tree: compiler, test JVMs and their caches.

use super::test_worker::{WorkerResult, describe_leftovers};
use crate::build_and_test::{
    BatchRun, Build, BuildAndTest, FailedBuild, MAIN_CLASSES_FOLDER, Stop, TestPhase,
    unfinished_outcome,
};
use crate::compile::compile_worker::{CompileWorker, WarmCompileResult};
use crate::process_engine::ProcessEngine;
use crate::resident::circuit_breaker::CircuitBreaker;
use crate::resident::known_pollution::KnownPollution;
use crate::resident::resource_snapshot::ResourceSnapshot;
use crate::resident::result_cache::{CompiledClasses, ResultCache, TestInputs};
use crate::resident::test_worker_pool::TestWorkerPool;
use crate::resident::warm_execution::{
    Confirmation, Repetition, WarmBatch, WarmExecution, WarmResult,
};
use crate::test_execution::runner_report::RunnerReport;
use crate::test_execution::test_order::TestBatch;
use crate::test_execution::test_run::{SelectedCandidate, TestRun};
use crate::{Execution, ExecutionMode, ExitInfo, Limits, SchemaRequest, SchemaRun};
use mend_java::facts::CompileError;
use mend_model::{Outcome, Result, TestResult};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Workers that test the variants of one tree, one after the other.
pub(super) struct TreeWorkers {
    compiler: CompileWorker,
    test_workers: TestWorkerPool,
    /// Cache of results; `None` if every run must be executed.
    result_cache: Option<Arc<ResultCache>>,
    resource_snapshot: ResourceSnapshot,
    circuit_breaker: CircuitBreaker,
    known_pollution: Arc<KnownPollution>,
    /// The folder is dropped after the workers that use it.
    work_dir: TempDir,
}

/// Time in which an exception of a mutant schema can end its tests after their time limit, before the JVM is stopped.
const SCHEMA_TIME_ALLOWANCE: Duration = Duration::from_secs(1);

/// Time limit of a mutant schema whose tests have none.
const UNLIMITED_TIME: Duration = Duration::from_secs(1_000_000);

/// Purpose of a test run.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum TestPurpose {
    /// Test a variant.
    Verdict,
    /// Test a variant; a clean build follows in any case.
    Checked,
    /// Measure method coverage.
    Coverage,
    /// Run tests that record data themselves. Their verdicts are known and need no confirmation.
    Record,
}

/// Reason why a variant was not built.
enum NoBuild {
    /// The variant does not compile; `errors` lists the compile errors individually.
    NotBuilt { outcome: Outcome, errors: Vec<CompileError> },
    /// The warm compiler does not support it.
    Unsupported(String),
}

impl FailedBuild for NoBuild {
    fn outcome_mut(&mut self) -> Option<&mut Outcome> {
        match self {
            Self::NotBuilt { outcome, .. } => Some(outcome),
            Self::Unsupported(_) => None,
        }
    }
}

impl TreeWorkers {
    pub(super) fn new(
        folder: TempDir,
        memory: Option<Arc<ResultCache>>,
        known_pollution: Arc<KnownPollution>,
    ) -> Self {
        Self {
            compiler: CompileWorker::default(),
            test_workers: TestWorkerPool::default(),
            result_cache: memory,
            resource_snapshot: ResourceSnapshot::default(),
            circuit_breaker: CircuitBreaker::default(),
            known_pollution,
            work_dir: folder,
        }
    }

    /// Builds the variant in a tree, calls `before_tests`, and runs the tests.
    pub(super) fn run(
        &mut self,
        process: &ProcessEngine,
        tree: &Path,
        limits: &Limits,
        purpose: TestPurpose,
        before_tests: &dyn Fn(),
    ) -> Result<WarmResult> {
        let folder = self.work_dir.path().to_owned();
        let mode = ExecutionMode::Jvm;
        let order = match purpose {
            TestPurpose::Record => process.recording_order(),
            TestPurpose::Verdict | TestPurpose::Checked | TestPurpose::Coverage => {
                process.test_order()
            }
        };
        let attempt = match process.attempt(tree, &folder, order) {
            Ok(attempt) => attempt,
            Err(stop) => {
                let execution = Execution { mode, ..stop.into_execution()? };
                return Ok(WarmResult::Tested(Box::new(WarmExecution::without_tests(execution))));
            }
        };
        let begun = Instant::now();
        let built = self.build(&attempt, limits);
        let build = Some(begun.elapsed());
        match built {
            Ok(built) => {
                before_tests();
                let mut tested = self.test_build(&attempt, &built, limits, purpose)?;
                tested.execution.build = build;
                tested.execution.adaptation = built.adaptation();
                Ok(WarmResult::Tested(Box::new(tested)))
            }
            Err(Stop::Early(NoBuild::NotBuilt { outcome, errors: compile_errors })) => {
                let execution = attempt.execution(outcome);
                let execution = Execution { build, mode, compile_errors, ..execution };
                Ok(WarmResult::Tested(Box::new(WarmExecution::without_tests(execution))))
            }
            Err(Stop::Early(NoBuild::Unsupported(reason))) => Ok(WarmResult::Unsupported(reason)),
            Err(Stop::Problem(problem)) => Err(problem),
        }
    }

    /// Builds a mutant schema in a tree, and runs the tests for each candidate.
    pub(super) fn run_schema(
        &mut self,
        process: &ProcessEngine,
        tree: &Path,
        request: &SchemaRequest<'_>,
    ) -> Result<SchemaRun> {
        let folder = self.work_dir.path().to_owned();
        let attempt = match process.attempt(tree, &folder, process.test_order()) {
            Ok(attempt) => attempt,
            Err(Stop::Early(_)) => return Ok(SchemaRun::Unsupported),
            Err(Stop::Problem(problem)) => return Err(problem),
        };
        let begun = Instant::now();
        let built = match self.build(&attempt, request.limits) {
            Ok(built) => built,
            Err(Stop::Early(NoBuild::NotBuilt { errors, .. })) => {
                return Ok(SchemaRun::NotBuilt(errors));
            }
            Err(Stop::Early(NoBuild::Unsupported(_))) => return Ok(SchemaRun::Unsupported),
            Err(Stop::Problem(problem)) => return Err(problem),
        };
        let candidate_count = u32::try_from(request.candidates.len()).unwrap_or(u32::MAX).max(1);
        let build = Some(begun.elapsed() / candidate_count);
        let adaptation = built.adaptation();
        let (batches, mut executions) = (attempt.batches(), Vec::new());
        for number in request.candidates.iter().copied() {
            if (request.is_over)() {
                break;
            }
            let tested = self.test_candidate(&attempt, &built, &batches, request, number)?;
            executions.extend(tested.map(|execution| {
                (number, Execution { build, adaptation: adaptation.clone(), ..execution })
            }));
        }
        Ok(SchemaRun::Tested(executions))
    }

    /// Runs the tests of a candidate of a mutant schema; `None` if a fresh JVM must decide.
    fn test_candidate(
        &mut self,
        attempt: &BuildAndTest<'_>,
        build: &Build<'_, CompiledClasses>,
        batches: &[TestBatch],
        request: &SchemaRequest<'_>,
        number: usize,
    ) -> Result<Option<Execution>> {
        let (begun, started) = (Instant::now(), self.test_workers.started_jvms);
        let time_limit = request.limits.test.unwrap_or(UNLIMITED_TIME);
        let candidate = SelectedCandidate { property: request.property, number, time_limit };
        // An exception of the schema ends most endless loops.
        let test = request.limits.test.map(|limit| limit + SCHEMA_TIME_ALLOWANCE);
        let limits = Limits { test, ..request.limits.clone() };
        let TestPhase { outcome, details } =
            attempt.run_tests(&build.tests, batches, &limits, |run| {
                let run = TestRun { candidate: Some(candidate), ..*run };
                let result = self.test_workers.run(&run, self.work_dir.path(), None)?;
                Ok(self.to_certain_run(result, request.timeout_exception))
            })?;
        let execution = attempt.execution(outcome);
        let is_certain = !details.is_empty() && details.into_iter().all(|is_certain| is_certain);
        Ok(is_certain.then(|| Execution {
            test: begun.elapsed(),
            jvms: self.test_workers.started_jvms - started,
            mode: ExecutionMode::Schema,
            ..execution
        }))
    }

    /// Returns a run, and true if it needs no confirmation by a fresh JVM.
    fn to_certain_run(&self, result: WorkerResult, timeout_exception: &str) -> BatchRun<bool> {
        let (mut report, mut has_timed_out, output, is_certain) = match result {
            WorkerResult::Clean(report) => (report, false, String::new(), true),
            WorkerResult::TimedOut(report, output) => (report, true, output, true),
            WorkerResult::Restored(report, left) => {
                (report, false, String::new(), self.known_pollution.contains_all(&left))
            }
            WorkerResult::Unconfirmed(report, _) => (report, false, String::new(), false),
            WorkerResult::JvmDied | WorkerResult::NeedsRestart => {
                (RunnerReport::default(), false, String::new(), false)
            }
        };
        let is_timeout = |result: &&TestResult| {
            result.failure().is_some_and(|one| one.exception.ends_with(timeout_exception))
        };
        if let Some(test) = report.results.iter().find(is_timeout).map(|result| result.test.clone())
        {
            (report.is_finished, report.running_test, has_timed_out) = (false, Some(test), true);
        }
        let exit = ExitInfo { code: None, has_timed_out, output };
        BatchRun { report, exit, details: is_certain }
    }

    fn build<'a>(
        &mut self,
        attempt: &'a BuildAndTest<'_>,
        limits: &Limits,
    ) -> Result<Build<'a, CompiledClasses>, Stop<NoBuild>> {
        let compiler = &mut self.compiler;
        attempt.build(limits, |compilation, files| {
            let no_build = match compiler.compile(compilation, files)? {
                WarmCompileResult::Ok(digest) => {
                    return Ok(CompiledClasses { folder: compilation.output.to_owned(), digest });
                }
                WarmCompileResult::Failed(said, errors) => {
                    let errors = errors.into_iter().map(|error| attempt.with_path_in_tree(error));
                    let outcome = attempt.not_compiled(&said);
                    NoBuild::NotBuilt { outcome, errors: errors.collect() }
                }
                WarmCompileResult::TimedOut => {
                    let outcome = attempt.compiler_timed_out("");
                    NoBuild::NotBuilt { outcome, errors: Vec::new() }
                }
                WarmCompileResult::Unsupported(reason) => NoBuild::Unsupported(reason),
            };
            Err(Stop::Early(no_build))
        })
    }

    /// Runs the tests of a built variant, unless their results are cached.
    fn test_build(
        &mut self,
        attempt: &BuildAndTest<'_>,
        build: &Build<'_, CompiledClasses>,
        limits: &Limits,
        purpose: TestPurpose,
    ) -> Result<WarmExecution> {
        let begun = Instant::now();
        let batches = attempt.batches();
        let inputs = TestInputs { attempt, build, batches: &batches };
        let key = self.cache_key(&inputs, purpose);
        if let Some(results) = self.cached_results(key.as_deref()) {
            let execution = attempt.execution(Outcome::Tests { results });
            let (test, mode) = (begun.elapsed(), ExecutionMode::Same);
            return Ok(WarmExecution::without_tests(Execution { test, mode, ..execution }));
        }
        let started = self.test_workers.started_jvms;
        let TestPhase { outcome, details: batches } =
            attempt.run_tests(&build.tests, &batches, limits, |run| self.test(run, purpose))?;
        let is_fresh = |batch: &&WarmBatch| batch.mode == ExecutionMode::Jvm;
        let jvms =
            self.test_workers.started_jvms - started + batches.iter().filter(is_fresh).count();
        self.cache_results(key, &outcome, &batches);
        let modes = batches.iter().map(|batch| batch.mode);
        let mode = modes.max().unwrap_or(ExecutionMode::Jvm);
        let execution = attempt.execution(outcome);
        let execution = Execution { test: begun.elapsed(), jvms, mode, ..execution };
        Ok(WarmExecution::from_batches(execution, batches))
    }

    /// Returns the cache key of the results; `None` if they must not be cached.
    fn cache_key(&mut self, inputs: &TestInputs<'_>, purpose: TestPurpose) -> Option<String> {
        let is_judged = matches!(purpose, TestPurpose::Verdict | TestPurpose::Checked);
        (is_judged && self.result_cache.is_some())
            .then(|| inputs.cache_key(&mut self.resource_snapshot))
            .flatten()
    }

    fn cached_results(&self, key: Option<&str>) -> Option<Vec<TestResult>> {
        self.result_cache.as_ref()?.get(key?)
    }

    /// Caches the results of a warm run. Results that need a fresh JVM may differ the next time and are not cached.
    fn cache_results(&self, key: Option<String>, outcome: &Outcome, batches: &[WarmBatch]) {
        let is_sure = |batch: &WarmBatch| {
            batch.mode == ExecutionMode::Loader
                && matches!(batch.confirmation, Confirmation::NotNeeded)
        };
        if let (Some(memory), Some(key), Outcome::Tests { results }) =
            (&self.result_cache, key, outcome)
            && !batches.is_empty()
            && batches.iter().all(is_sure)
        {
            memory.insert(key, results.clone());
        }
    }

    /// Runs one batch of tests.
    fn test(&mut self, run: &TestRun<'_>, purpose: TestPurpose) -> Result<BatchRun<WarmBatch>> {
        match purpose {
            TestPurpose::Coverage => {
                let classes = self.work_dir.path().join(MAIN_CLASSES_FOLDER);
                return self.record(run, Some(&classes));
            }
            TestPurpose::Record => return self.record(run, None),
            TestPurpose::Verdict | TestPurpose::Checked => {}
        }
        if self.circuit_breaker.is_open() {
            return run_fresh(run, None);
        }
        let (result, mode) = self.run_warm(run, None)?;
        let (report, timed_out, output) = match result {
            WorkerResult::Clean(report) => (report, false, String::new()),
            WorkerResult::TimedOut(report, output) => (report, true, output),
            WorkerResult::JvmDied | WorkerResult::NeedsRestart => {
                let note = self.count_doubtful_run("they end the JVM");
                return run_fresh(run, note);
            }
            WorkerResult::Restored(report, left) if self.known_pollution.contains_all(&left) => {
                (report, false, String::new())
            }
            WorkerResult::Restored(report, left) => {
                let dubious = DubiousRun { report, mode, why: &describe_leftovers(&left) };
                let mut ran = self.confirm(run, dubious, purpose)?;
                ran.details.left = left;
                return Ok(ran);
            }
            WorkerResult::Unconfirmed(report, why) => {
                return self.confirm(run, DubiousRun { report, mode, why: &why }, purpose);
            }
        };
        self.circuit_breaker.reset();
        let exit = ExitInfo { code: None, has_timed_out: timed_out, output };
        Ok(BatchRun { report, exit, details: WarmBatch::undisputed(mode) })
    }

    /// Runs tests in a warm JVM, and in a restarted one if earlier runs may have caused a failure.
    fn run_warm(
        &mut self,
        run: &TestRun<'_>,
        probed: Option<&Path>,
    ) -> Result<(WorkerResult, ExecutionMode)> {
        match self.test_workers.run(run, self.work_dir.path(), probed)? {
            WorkerResult::NeedsRestart => {
                let again = self.test_workers.run(run, self.work_dir.path(), probed)?;
                Ok((again, ExecutionMode::Recycled))
            }
            result => Ok((result, ExecutionMode::Loader)),
        }
    }

    /// Runs tests whose results are ignored: only the recorded data count.
    fn record(&mut self, run: &TestRun<'_>, probed: Option<&Path>) -> Result<BatchRun<WarmBatch>> {
        let (result, mode) = self.run_warm(run, probed)?;
        let mut report = match result {
            WorkerResult::Clean(report)
            | WorkerResult::Restored(report, _)
            | WorkerResult::Unconfirmed(report, _) => report,
            WorkerResult::TimedOut(..) | WorkerResult::JvmDied | WorkerResult::NeedsRestart => {
                RunnerReport::default()
            }
        };
        let covered = std::mem::take(&mut report.coverage);
        let details = WarmBatch { covered, ..WarmBatch::undisputed(mode) };
        Ok(BatchRun { report, exit: unspecified_exit(), details })
    }

    /// Repeats a doubtful run in a fresh JVM, unless a clean build follows anyway.
    fn confirm(
        &mut self,
        run: &TestRun<'_>,
        dubious: DubiousRun<'_>,
        purpose: TestPurpose,
    ) -> Result<BatchRun<WarmBatch>> {
        let DubiousRun { report, mode, why: reason } = dubious;
        let note = self.count_doubtful_run(reason);
        if purpose == TestPurpose::Checked {
            let confirmation = Confirmation::Pending;
            let details = WarmBatch { confirmation, note, ..WarmBatch::undisputed(mode) };
            return Ok(BatchRun { report, exit: unspecified_exit(), details });
        }
        let mut ran = run_fresh(run, note)?;
        let fresh = unfinished_outcome(&ran.report, &ran.exit);
        let fresh = fresh.unwrap_or(Outcome::Tests { results: ran.report.results.clone() });
        let warm = Outcome::Tests { results: report.results };
        ran.details.confirmation = Confirmation::Done(Repetition { warm, fresh });
        Ok(ran)
    }

    /// Counts a run that needs a fresh JVM. Returns a note if warm JVMs are skipped from now on.
    fn count_doubtful_run(&mut self, why: &str) -> Option<String> {
        let is_rest = self.circuit_breaker.record_failure();
        is_rest.then(|| format!("tests run in fresh JVMs for a while because {why}"))
    }
}

/// A run in a warm JVM whose results a fresh JVM must confirm.
struct DubiousRun<'a> {
    report: RunnerReport,
    mode: ExecutionMode,
    why: &'a str,
}

/// Runs tests in a fresh JVM.
fn run_fresh(run: &TestRun<'_>, note: Option<String>) -> Result<BatchRun<WarmBatch>> {
    let (report, exit) = run.run()?;
    let details = WarmBatch { note, ..WarmBatch::undisputed(ExecutionMode::Jvm) };
    Ok(BatchRun { report, exit, details })
}

/// Returns the exit of a run of which only the test results count.
fn unspecified_exit() -> ExitInfo {
    ExitInfo { code: None, has_timed_out: false, output: String::new() }
}
