//! The JVM that runs the tests of one variant after the other.

use crate::Toolchain;
use crate::cache::digest::Digest;
use crate::compile::javac::joined;
use crate::jvm::java_program::{JavaProgram, sources};
use crate::jvm::jvm_process::{Jvm, JvmResponse};
use crate::jvm::request_encoding::{path, paths, text};
use crate::test_execution::runner_report::RunnerReport;
use crate::test_execution::test_order::{RunCondition, TestRequest};
use crate::test_execution::test_run::{RunnerFiles, TestRun, keeping_in, temporary_folder};
use crate::test_execution::test_timeouts::TimeoutMonitor;
use mend_model::{Problem, Result, TestStatus};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::TempDir;

/// Java packages of the program. It counts the methods that the runners cover.
const PACKAGES: [&str; 5] = ["wire", "runner", "classfile", "framework", "state"];

/// Limit of the metaspace for the classes of all variants.
const METASPACE: &str = "-XX:MaxMetaspaceSize=512m";

/// Number of runs after which a worker is replaced.
const LONGEST_LIFE: usize = 500;

/// Errors that only occur in a worker: no memory, no stack, a native library in two loaders, a
/// system class loader without the tests, or a port held by an earlier variant.
const SUSPICIOUS: [&str; 10] = [
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

/// First run of a worker for which a spare worker is started. Earlier it would cost more than it saves.
const FIRST_WITH_SPARE: usize = 2;

/// A class without tests: a runner that is asked for these has loaded what it needs.
const NO_TESTS: &str = "java.lang.Object";

/// Maximum number of leftovers named.
const MOST_NAMED: usize = 3;

/// Time limit for a spare worker to become ready once it is needed.
const PATIENCE: Duration = Duration::from_secs(10);

/// A resident JVM for tests, and another one that gets ready while this one works.
#[derive(Default)]
pub(super) struct TestWorker {
    running: Option<RunningJvm>,
    spare: Option<RunningJvm>,
    /// Number of started JVMs; a spare one counts once it is needed.
    pub(super) started: usize,
}

struct RunningJvm {
    jvm: Jvm,
    /// Key of the runs that this JVM can execute.
    purpose: String,
    runs: usize,
    /// True if the response to its warm-up request is still due.
    is_warming: bool,
    /// Its folder for temporary files, which goes after it.
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
    /// The JVM ended, or means nothing any more.
    JvmDied,
}

impl TestWorker {
    /// Runs tests; `folder` is the worker's own. The methods of classes below `probed` are watched.
    pub(super) fn run(
        &mut self,
        run: &TestRun<'_>,
        folder: &Path,
        probed: Option<&Path>,
    ) -> Result<WorkerResult> {
        let mut running = self.take_running(run, folder)?;
        running.runs += 1;
        let files = run.exchange()?;
        let mark = format!("[git-mend {:016x}]", fastrand::u64(..));
        running.jvm.forget();
        running.jvm.send(request(run, &files, &mark, probed)?);
        if running.runs >= FIRST_WITH_SPARE {
            self.prepare_spare(run, folder, &running.purpose)?;
        }
        let mut lookout = TimeoutMonitor::new(run.each, &files.results);
        let ran = match running.jvm.reply_until(run.limit, &mut || lookout.is_one_overdue())? {
            JvmResponse::Answer(answer) => {
                let (ran, is_restored) = judged(files.read_report(), &answer, running.runs);
                self.running = is_restored.then_some(running);
                ran
            }
            JvmResponse::TimedOut => {
                let output = running.jvm.end();
                WorkerResult::TimedOut(files.read_report(), output_after(&output, &mark))
            }
            JvmResponse::Failed(_) | JvmResponse::Died => {
                running.jvm.end();
                WorkerResult::JvmDied
            }
        };
        if self.running.is_none() {
            // It gets ready while a fresh JVM or the compiler is at work. If it cannot be started, the next run
            // says so.
            self.running = self.spare.take().or_else(|| fresh(run, folder).ok());
            self.started += 1;
        }
        Ok(ran)
    }

    /// Starts another worker, unless there is one, and has its runner run a class without tests.
    fn prepare_spare(&mut self, run: &TestRun<'_>, folder: &Path, purpose: &str) -> Result<()> {
        if self.spare.as_ref().is_some_and(|spare| spare.purpose == purpose) {
            return Ok(());
        }
        self.spare = None;
        let file = |end: &str| folder.join(format!("spare.{end}"));
        let files = RunnerFiles { wanted: file("wanted"), results: file("results") };
        let (class, without) = (NO_TESTS.to_owned(), Vec::new());
        let wanted = TestRequest { class, method: None, without, due: RunCondition::Always }.line();
        std::fs::write(&files.wanted, wanted).map_err(|error| Problem::io(error, &files.wanted))?;
        let request = request(run, &files, "", None)?;
        // If it cannot be started now, nothing is lost.
        self.spare = fresh(run, folder).ok().map(|spare| {
            spare.jvm.send(request);
            RunningJvm { is_warming: true, ..spare }
        });
        Ok(())
    }

    /// The JVM that runs, or a new one where that will not do.
    fn take_running(&mut self, run: &TestRun<'_>, folder: &Path) -> Result<RunningJvm> {
        let purpose = purpose(run);
        let fits = |running: &RunningJvm| running.purpose == purpose && running.runs < LONGEST_LIFE;
        let known = self.running.take().filter(fits);
        if let Some(running) = known.map(ready).transpose()?.flatten() {
            return Ok(running);
        }
        self.started += 1;
        let spare = self.spare.take().filter(fits);
        match spare.map(ready).transpose()?.flatten() {
            Some(spare) => Ok(spare),
            None => fresh(run, folder),
        }
    }
}

fn fresh(run: &TestRun<'_>, folder: &Path) -> Result<RunningJvm> {
    let temporary = temporary_folder(folder)?;
    let jvm = start(run, temporary.path())?;
    let purpose = purpose(run);
    Ok(RunningJvm { jvm, purpose, runs: 0, is_warming: false, _temporary: temporary })
}

/// A worker that has done all that it was to do before; `None` if that left something behind.
fn ready(mut worker: RunningJvm) -> Result<Option<RunningJvm>> {
    if !worker.is_warming {
        return Ok(Some(worker));
    }
    let is_as_new = match worker.jvm.reply(Some(PATIENCE))? {
        JvmResponse::Answer(answer) => answer.first() == Some(&1),
        JvmResponse::Failed(_) | JvmResponse::Died | JvmResponse::TimedOut => false,
    };
    worker.is_warming = false;
    Ok(is_as_new.then_some(worker))
}

/// Classifies a finished run, and returns true if the JVM can be reused. The response is a byte that is 1 if all state
/// was restored, and a line per changed state. `number` counts the runs of the JVM.
fn judged(told: RunnerReport, answer: &[u8], number: usize) -> (WorkerResult, bool) {
    let (restored, changes) = answer.split_first().unwrap_or((&0, b"its state\n"));
    let changes: Vec<String> =
        String::from_utf8_lossy(changes).lines().map(str::to_owned).collect();
    let suspicion = suspicion(&told);
    let is_restored = *restored == 1 && suspicion.is_none();
    let ran = match suspicion {
        _ if !told.is_finished => WorkerResult::JvmDied,
        Some(_) if number > 1 => WorkerResult::NeedsRestart,
        Some(exception) => {
            let why = format!("they fail with {exception}, which a warm JVM may cause");
            WorkerResult::Unconfirmed(told, why)
        }
        None if changes.is_empty() => WorkerResult::Clean(told),
        None if is_restored => WorkerResult::Restored(told, changes),
        None => WorkerResult::Unconfirmed(told, leaving(&changes)),
    };
    (ran, is_restored)
}

/// Describes leftovers in a clause about the tests.
pub(super) fn leaving(changes: &[String]) -> String {
    let (named, others) = changes.split_at(changes.len().min(MOST_NAMED));
    let more = if others.is_empty() { "" } else { ", \u{2026}" };
    format!("they leave state behind: {}{more}", named.join(", "))
}

fn suspicion(told: &RunnerReport) -> Option<&str> {
    let failed = told.results.iter().filter_map(|result| match &result.status {
        TestStatus::Failed(failure) => Some(failure.exception.as_str()),
        TestStatus::Passed | TestStatus::Skipped => None,
    });
    failed.into_iter().find(|exception| SUSPICIOUS.contains(exception))
}

/// Returns the output after a mark: that of one variant only.
fn output_after(output: &str, mark: &str) -> String {
    let start = output.rfind(mark).map_or(0, |at| at + mark.len() + 1);
    output.get(start..).unwrap_or_default().to_owned()
}

/// Returns a key that changes if a running JVM cannot be reused: with another folder, other options or changed
/// libraries.
fn purpose(run: &TestRun<'_>) -> String {
    let mut digest = Digest::default();
    digest.add("folder", run.cwd.as_os_str().as_encoded_bytes());
    if let Ok(metadata) = run.cwd.metadata() {
        digest.add("inode", metadata.ino().to_le_bytes());
    }
    for option in run.jvm_options {
        digest.add("option", option);
    }
    run.class_path.iter().for_each(|path| digest.add_file(path));
    digest.hex()
}

/// The folder of its program's classes.
pub(super) fn compiled(tools: &Toolchain) -> Result<PathBuf> {
    JavaProgram { sources: &sources(&PACKAGES), class_path: &[], tools }.kept("test server")
}

fn start(run: &TestRun<'_>, temporary: &Path) -> Result<Jvm> {
    let tools = run.tools;
    let classes = compiled(tools)?;
    let mut options = run.flags();
    options.splice(0..0, [METASPACE.into(), keeping_in(temporary)]);
    let is_own = !run.jvm_options.iter().any(|option| option.starts_with("-Djava.io.tmpdir"));
    options.push(format!("-Dgit-mend.tmpdir={is_own}").into());
    options.extend(["-cp".into(), joined(&[classes]).into()]);
    tools.start_jvm(run.cwd, options, "gitmend.state.TestServer")
}

fn request(
    run: &TestRun<'_>,
    files: &RunnerFiles,
    mark: &str,
    probed: Option<&Path>,
) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    text(&mut out, mark)?;
    text(&mut out, run.runner.main())?;
    path(&mut out, &files.results)?;
    path(&mut out, &files.wanted)?;
    path(&mut out, probed.unwrap_or(Path::new("")))?;
    paths(&mut out, &run.whole_class_path())?;
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use mend_model::{Failure, TestResult};

    fn ran(thrown: Option<&str>, restored: u8, changed: &[u8]) -> WorkerResult {
        nth_run(1, thrown, restored, changed)
    }

    fn nth_run(number: usize, thrown: Option<&str>, restored: u8, changed: &[u8]) -> WorkerResult {
        let failed = thrown.map(|exception| {
            let (exception, message, frames) = (exception.to_owned(), None, Vec::new());
            TestResult::new("a.T", TestStatus::Failed(Failure { exception, message, frames }))
        });
        let results = failed.into_iter().collect();
        let told = RunnerReport { results, is_finished: true, ..RunnerReport::default() };
        judged(told, &[&[restored], changed].concat(), number).0
    }

    #[test]
    fn what_runs_before_may_have_caused_is_seen_again_in_another_jvm_first() {
        let thrown = Some("java.lang.OutOfMemoryError");
        assert!(matches!(nth_run(1, thrown, 1, b""), WorkerResult::Unconfirmed(..)));
        assert!(matches!(nth_run(2, thrown, 1, b""), WorkerResult::NeedsRestart));
        assert!(matches!(
            nth_run(2, Some("java.lang.AssertionError"), 1, b""),
            WorkerResult::Clean(_)
        ));
    }

    fn doubt(ran: WorkerResult) -> String {
        let WorkerResult::Unconfirmed(_, why) = ran else { panic!("nothing is doubted") };
        why
    }

    #[test]
    fn what_is_left_as_it_was_or_is_so_again_is_not_doubted_here() {
        assert!(matches!(ran(None, 1, b""), WorkerResult::Clean(_)));
        assert!(matches!(ran(Some("java.lang.AssertionError"), 1, b""), WorkerResult::Clean(_)));
        let WorkerResult::Restored(_, left) = ran(None, 1, b"locale\nsystem property a\n") else {
            panic!("not restored")
        };
        assert_eq!(left, ["locale", "system property a"]);
    }

    #[test]
    fn why_a_fresh_jvm_must_say_whether_it_is_true_is_a_clause_about_the_tests() {
        let left = doubt(ran(None, 0, b"thread a\nthread b\nthread c\n"));
        assert_eq!(left, "they leave state behind: thread a, thread b, thread c");
        let more = doubt(ran(None, 0, b"a\nb\nc\nd\n"));
        assert_eq!(more, "they leave state behind: a, b, c, \u{2026}");
        let failed = doubt(ran(Some("java.lang.NoClassDefFoundError"), 1, b"locale\n"));
        assert!(failed.starts_with("they fail with java.lang.NoClassDefFoundError, which"));
    }
}
