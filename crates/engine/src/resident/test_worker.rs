//! Warm JVM that runs the tests of one variant after the other.

use crate::Toolchain;
use crate::cache::digest::Digest;
use crate::compile::javac::join_class_path;
use crate::jvm::java_program::{JavaProgram, program_sources};
use crate::jvm::jvm_process::{Jvm, JvmResponse};
use crate::jvm::request_encoding::{write_path, write_paths, write_text};
use crate::test_execution::runner_report::RunnerReport;
use crate::test_execution::test_order::{RunCondition, TestRequest};
use crate::test_execution::test_run::{RunnerFiles, TestRun, create_temp_dir, temp_dir_option};
use crate::test_execution::test_timeouts::TimeoutMonitor;
use mend_model::{Problem, Result, TestStatus};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::TempDir;

/// Java packages of the program, including the coverage recorder.
const PROGRAM_PACKAGES: [&str; 5] = ["wire", "runner", "classfile", "framework", "testserver"];

/// Limit of the metaspace for the classes of all variants.
const METASPACE_LIMIT_OPTION: &str = "-XX:MaxMetaspaceSize=512m";

/// Number of runs after which a worker is replaced.
const MAX_RUNS_PER_JVM: usize = 500;

/// Exceptions that may occur only in a worker: no memory, no stack, a native library in two class loaders, a system
/// class loader without the tests, or a port that an earlier variant opened.
const SUSPECT_EXCEPTIONS: [&str; 10] = [
    "java.lang.OutOfMemoryError",
    "java.lang.StackOverflowError",
    "java.lang.InternalError",
    "java.lang.UnsatisfiedLinkError",
    "java.lang.LinkageError",
    "java.lang.NoClassDefFoundError",
    "java.lang.ExceptionInInitializerError",
    "java.lang.ClassNotFoundException",
    "java.net.BindException",
    "java.util.ServiceConfigurationError",
];

/// Number of started JVMs from which on a standby JVM is started: most tests never end their JVM.
const FIRST_JVM_WITH_STANDBY: usize = 2;

/// A class without tests: a runner that is asked to run it loads the classes that it needs.
const EMPTY_TEST_CLASS: &str = "java.lang.Object";

/// Maximum number of leftovers in a message.
const MAX_NAMED_LEFTOVERS: usize = 3;

/// Time limit for a standby worker to become ready once it is needed.
const SPARE_WORKER_TIMEOUT: Duration = Duration::from_secs(10);

/// A resident JVM for tests, and a standby one that starts up while the first one works.
#[derive(Default)]
pub(super) struct TestWorker {
    current: Option<RunningJvm>,
    standby: Option<RunningJvm>,
    /// Number of started JVMs; a standby one counts once it is used.
    pub(super) started_jvms: usize,
}

struct RunningJvm {
    jvm: Jvm,
    /// Key of the runs that this JVM can execute.
    compatibility_key: String,
    runs: usize,
    /// True if the response to its warm-up request is still due.
    is_warming: bool,
    /// Folder for temporary files, which is removed after the JVM has ended.
    _temporary: TempDir,
}

/// Result of a test run by a worker.
pub(super) enum WorkerResult {
    /// The tests finished and left no state behind.
    Clean(RunnerReport),
    /// The tests finished, and the listed leftovers were restored.
    Restored(RunnerReport, Vec<String>),
    /// The tests finished with a failure that earlier runs in this JVM may have caused. The JVM has been replaced.
    NeedsRestart,
    /// The tests finished, but a fresh JVM must confirm the result for this reason.
    Unconfirmed(RunnerReport, String),
    /// The tests timed out.
    TimedOut(RunnerReport, String),
    /// The JVM ended, or its response is invalid.
    JvmDied,
}

impl TestWorker {
    /// Runs tests; `folder` belongs to the worker. Method coverage is recorded for classes below `coverage_dir`.
    pub(super) fn run(
        &mut self,
        run: &TestRun<'_>,
        folder: &Path,
        coverage_dir: Option<&Path>,
    ) -> Result<WorkerResult> {
        let mut current = self.take_jvm(run, folder)?;
        current.runs += 1;
        let files = run.prepare_files()?;
        let output_marker = format!("[git-mend {:016x}]", fastrand::u64(..));
        current.jvm.discard_output();
        current.jvm.send_request(encode_request(run, &files, &output_marker, coverage_dir)?);
        if self.started_jvms >= FIRST_JVM_WITH_STANDBY {
            self.prepare_spare(run, folder, &current.compatibility_key)?;
        }
        let mut timeout_monitor = TimeoutMonitor::new(run.per_test_limits, &files.results);
        let result = match current
            .jvm
            .receive_response_until(run.time_limit, &mut || timeout_monitor.has_overdue_test())?
        {
            JvmResponse::Answer(answer) => {
                let (result, is_restored) =
                    classify_run(files.read_report(), &answer, current.runs);
                self.current = is_restored.then_some(current);
                result
            }
            JvmResponse::TimedOut => {
                let output = current.jvm.stop();
                WorkerResult::TimedOut(
                    files.read_report(),
                    output_after_marker(&output, &output_marker),
                )
            }
            JvmResponse::Failed(_) | JvmResponse::Died => {
                current.jvm.stop();
                WorkerResult::JvmDied
            }
        };
        if self.current.is_none() {
            // It starts up while a fresh JVM or the compiler works. The next run reports an error if it cannot be
            // started.
            self.current = self.standby.take().or_else(|| start_fresh(run, folder).ok());
            self.started_jvms += 1;
        }
        Ok(result)
    }

    /// Starts a standby worker if there is none, and has its runner load its classes by running a class without tests.
    fn prepare_spare(
        &mut self,
        run: &TestRun<'_>,
        folder: &Path,
        compatibility_key: &str,
    ) -> Result<()> {
        if self
            .standby
            .as_ref()
            .is_some_and(|standby| standby.compatibility_key == compatibility_key)
        {
            return Ok(());
        }
        self.standby = None;
        let file_with_extension = |end: &str| folder.join(format!("standby.{end}"));
        let files = RunnerFiles {
            requests: file_with_extension("wanted"),
            results: file_with_extension("results"),
        };
        let (class, without) = (EMPTY_TEST_CLASS.to_owned(), Vec::new());
        let request_line = TestRequest {
            class,
            method: None,
            excluded_methods: without,
            condition: RunCondition::Always,
        }
        .encode_line();
        std::fs::write(&files.requests, request_line)
            .map_err(|error| Problem::io(error, &files.requests))?;
        let request = encode_request(run, &files, "", None)?;
        // A missing standby worker only costs time.
        self.standby = start_fresh(run, folder).ok().map(|standby| {
            standby.jvm.send_request(request);
            RunningJvm { is_warming: true, ..standby }
        });
        Ok(())
    }

    /// Takes the running JVM, the standby one, or a new one.
    fn take_jvm(&mut self, run: &TestRun<'_>, folder: &Path) -> Result<RunningJvm> {
        let compatibility_key = jvm_reuse_key(run);
        let is_compatible = |running: &RunningJvm| {
            running.compatibility_key == compatibility_key && running.runs < MAX_RUNS_PER_JVM
        };
        let reusable = self.current.take().filter(is_compatible);
        if let Some(running) = reusable.map(finish_warm_up).transpose()?.flatten() {
            return Ok(running);
        }
        self.started_jvms += 1;
        let standby = self.standby.take().filter(is_compatible);
        match standby.map(finish_warm_up).transpose()?.flatten() {
            Some(standby) => Ok(standby),
            None => start_fresh(run, folder),
        }
    }
}

fn start_fresh(run: &TestRun<'_>, folder: &Path) -> Result<RunningJvm> {
    let temp_dir = create_temp_dir(folder)?;
    let jvm = start_jvm(run, temp_dir.path())?;
    let compatibility_key = jvm_reuse_key(run);
    Ok(RunningJvm { jvm, compatibility_key, runs: 0, is_warming: false, _temporary: temp_dir })
}

/// Returns a worker after its warm-up; `None` if the warm-up left state behind.
fn finish_warm_up(mut worker: RunningJvm) -> Result<Option<RunningJvm>> {
    if !worker.is_warming {
        return Ok(Some(worker));
    }
    let is_clean = match worker.jvm.receive_response(Some(SPARE_WORKER_TIMEOUT))? {
        JvmResponse::Answer(answer) => answer.first() == Some(&1),
        JvmResponse::Failed(_) | JvmResponse::Died | JvmResponse::TimedOut => false,
    };
    worker.is_warming = false;
    Ok(is_clean.then_some(worker))
}

/// Classifies a finished run, and returns true if the JVM can be reused. The response is a byte that is 1 if all state
/// was restored, and a line for each changed state. `run_number` counts the runs of the JVM.
fn classify_run(report: RunnerReport, answer: &[u8], run_number: usize) -> (WorkerResult, bool) {
    let (restored, changes) = answer.split_first().unwrap_or((&0, b"its state\n"));
    let changes: Vec<String> =
        String::from_utf8_lossy(changes).lines().map(str::to_owned).collect();
    let suspect_exception = suspicion(&report);
    let is_restored = *restored == 1 && suspect_exception.is_none();
    let result = match suspect_exception {
        _ if !report.is_finished => WorkerResult::JvmDied,
        Some(_) if run_number > 1 => WorkerResult::NeedsRestart,
        Some(exception) => {
            let reason = format!("they fail with {exception}, which a warm JVM may cause");
            WorkerResult::Unconfirmed(report, reason)
        }
        None if changes.is_empty() => WorkerResult::Clean(report),
        None if is_restored => WorkerResult::Restored(report, changes),
        None => WorkerResult::Unconfirmed(report, describe_leftovers(&changes)),
    };
    (result, is_restored)
}

/// Describes leftovers, for a sentence about the tests.
pub(super) fn describe_leftovers(changes: &[String]) -> String {
    let (named, others) = changes.split_at(changes.len().min(MAX_NAMED_LEFTOVERS));
    let more = if others.is_empty() { "" } else { ", \u{2026}" };
    format!("they leave state behind: {}{more}", named.join(", "))
}

fn suspicion(report: &RunnerReport) -> Option<&str> {
    let failed = report.results.iter().filter_map(|result| match &result.status {
        TestStatus::Failed(failure) => Some(failure.exception.as_str()),
        TestStatus::Passed | TestStatus::Skipped => None,
    });
    failed.into_iter().find(|exception| SUSPECT_EXCEPTIONS.contains(exception))
}

/// Returns the output after a marker, which is that of one variant only.
fn output_after_marker(output: &str, marker: &str) -> String {
    let start = output.rfind(marker).map_or(0, |at| at + marker.len() + 1);
    output.get(start..).unwrap_or_default().to_owned()
}

/// Returns a key that changes if a running JVM cannot be reused: for another folder, other options or changed
/// libraries.
fn jvm_reuse_key(run: &TestRun<'_>) -> String {
    let mut digest = Digest::default();
    digest.add("folder", run.cwd.as_os_str().as_encoded_bytes());
    if let Ok(metadata) = run.cwd.metadata() {
        digest.add("inode", metadata.ino().to_le_bytes());
    }
    run.jvm.add_to(&mut digest);
    run.class_path.iter().for_each(|path| digest.add_file(path));
    digest.finish_hex()
}

/// Returns the folder of the program's classes.
pub(super) fn compile_program(tools: &Toolchain) -> Result<PathBuf> {
    JavaProgram {
        sources: &program_sources(&PROGRAM_PACKAGES),
        options: &[],
        class_path: &[],
        tools,
    }
    .compile_cached("test server")
}

fn start_jvm(run: &TestRun<'_>, temp_dir: &Path) -> Result<Jvm> {
    let tools = run.tools;
    let classes = compile_program(tools)?;
    let mut options = run.jvm_flags();
    options.splice(0..0, [METASPACE_LIMIT_OPTION.into(), temp_dir_option(temp_dir)]);
    let is_own = !run.jvm.options.iter().any(|option| option.starts_with("-Djava.io.tmpdir"));
    options.push(format!("-Dgit-mend.tmpdir={is_own}").into());
    options.extend(["-cp".into(), join_class_path(&[classes]).into()]);
    run.start_jvm(options, "gitmend.testserver.TestServer")
}

fn encode_request(
    run: &TestRun<'_>,
    files: &RunnerFiles,
    output_marker: &str,
    coverage_dir: Option<&Path>,
) -> Result<Vec<u8>> {
    let mut request = Vec::new();
    write_text(&mut request, output_marker)?;
    write_text(&mut request, run.runner.main_class())?;
    write_path(&mut request, &files.results)?;
    write_path(&mut request, &files.requests)?;
    write_path(&mut request, coverage_dir.unwrap_or(Path::new("")))?;
    let (property, value) = run.candidate.map_or_else(Default::default, |candidate| {
        let millis = candidate.time_limit.as_millis();
        (candidate.property, format!("{} {millis}", candidate.number))
    });
    write_text(&mut request, property)?;
    write_text(&mut request, &value)?;
    write_paths(&mut request, &run.full_class_path())?;
    Ok(request)
}

#[cfg(test)]
mod tests {
    use super::*;
    use mend_model::{Failure, TestResult};

    fn first_run(exception: Option<&str>, restored: u8, changed: &[u8]) -> WorkerResult {
        nth_run_result(1, exception, restored, changed)
    }

    fn nth_run_result(
        number: usize,
        thrown: Option<&str>,
        restored: u8,
        changed: &[u8],
    ) -> WorkerResult {
        let failed = thrown.map(|exception| {
            let (exception, message, frames) = (exception.to_owned(), None, Vec::new());
            TestResult::new("a.T", TestStatus::Failed(Failure { exception, message, frames }))
        });
        let results = failed.into_iter().collect();
        let report = RunnerReport { results, is_finished: true, ..RunnerReport::default() };
        classify_run(report, &[&[restored], changed].concat(), number).0
    }

    #[test]
    fn suspect_failure_after_other_runs_needs_a_restart() {
        let exception = Some("java.lang.OutOfMemoryError");
        assert!(matches!(nth_run_result(1, exception, 1, b""), WorkerResult::Unconfirmed(..)));
        assert!(matches!(nth_run_result(2, exception, 1, b""), WorkerResult::NeedsRestart));
        assert!(matches!(
            nth_run_result(2, Some("java.lang.AssertionError"), 1, b""),
            WorkerResult::Clean(_)
        ));
    }

    fn unconfirmed_reason(result: WorkerResult) -> String {
        let WorkerResult::Unconfirmed(_, why) = result else { panic!("nothing is doubted") };
        why
    }

    #[test]
    fn clean_and_restored_runs_are_not_doubted() {
        assert!(matches!(first_run(None, 1, b""), WorkerResult::Clean(_)));
        assert!(matches!(
            first_run(Some("java.lang.AssertionError"), 1, b""),
            WorkerResult::Clean(_)
        ));
        let WorkerResult::Restored(_, leftovers) =
            first_run(None, 1, b"locale\nsystem property a\n")
        else {
            panic!("not restored")
        };
        assert_eq!(leftovers, ["locale", "system property a"]);
    }

    #[test]
    fn unconfirmed_reason_names_leftovers_or_the_exception() {
        let reason = unconfirmed_reason(first_run(None, 0, b"thread a\nthread b\nthread c\n"));
        assert_eq!(reason, "they leave state behind: thread a, thread b, thread c");
        let more = unconfirmed_reason(first_run(None, 0, b"a\nb\nc\nd\n"));
        assert_eq!(more, "they leave state behind: a, b, c, \u{2026}");
        let failed =
            unconfirmed_reason(first_run(Some("java.lang.NoClassDefFoundError"), 1, b"locale\n"));
        assert!(failed.starts_with("they fail with java.lang.NoClassDefFoundError, which"));
    }
}
