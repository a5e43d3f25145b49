//! The JVM that runs the tests of one variant after the other.

use crate::Toolchain;
use crate::cache::digest::Digest;
use crate::compile::javac::joined;
use crate::jvm::java_program::{Program, sources};
use crate::jvm::jvm_process::{Jvm, Reply};
use crate::jvm::request_encoding::{path, paths, text};
use crate::test_execution::runner_report::Told;
use crate::test_execution::test_order::{Due, Wanted};
use crate::test_execution::test_run::{Exchange, TestRun, keeping_in, temporary_folder};
use crate::test_execution::test_timeouts::Lookout;
use mend_model::{Problem, Result, TestStatus};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::TempDir;

/// Java packages of the program. It counts the methods that the runners cover.
const PACKAGES: [&str; 5] = ["wire", "runner", "classfile", "framework", "state"];

/// What the classes of all variants together may take.
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

/// From which run of a worker on there is a spare one: before that it would cost more than it may bring.
const FIRST_WITH_SPARE: usize = 2;

/// A class without tests: a runner that is asked for these has loaded what it needs.
const NO_TESTS: &str = "java.lang.Object";

/// Of what tests leave behind so much is named.
const MOST_NAMED: usize = 3;

/// How long a spare worker may take to get ready once it is needed.
const PATIENCE: Duration = Duration::from_secs(10);

/// A resident JVM for tests, and another one that gets ready while this one works.
#[derive(Default)]
pub(super) struct TestWorker {
    running: Option<Running>,
    spare: Option<Running>,
    /// How many JVMs were started; a spare one counts once it is needed.
    pub(super) started: usize,
}

struct Running {
    jvm: Jvm,
    /// What it was started for; nothing else can be run in it.
    purpose: String,
    runs: usize,
    /// Whether it still owes an answer about what it did to get ready.
    is_warming: bool,
    /// Its folder for temporary files, which goes after it.
    _temporary: TempDir,
}

/// How a run of tests by a worker went.
pub(super) enum Ran {
    /// To its end, with nothing left behind that was not there before.
    Clean(Told),
    /// To its end, and all that they left behind, which stands beside it, is as it was again.
    Restored(Told, Vec<String>),
    /// To its end, with a failure that those before it in this JVM may have caused. There is another one now.
    Worn,
    /// To its end, but a fresh JVM must say whether it is true; and why, as a clause about the tests.
    Dubious(Told, String),
    /// Not to its end: the tests took too long.
    TimedOut(Told, String),
    /// The JVM ended, or means nothing any more.
    Ended,
}

impl TestWorker {
    /// Runs tests; `folder` is the worker's own. The methods of classes below `probed` are watched.
    pub(super) fn run(
        &mut self,
        run: &TestRun<'_>,
        folder: &Path,
        probed: Option<&Path>,
    ) -> Result<Ran> {
        let mut running = self.taken(run, folder)?;
        running.runs += 1;
        let files = run.exchange()?;
        let mark = format!("[git-mend {:016x}]", fastrand::u64(..));
        running.jvm.forget();
        running.jvm.send(request(run, &files, &mark, probed)?);
        if running.runs >= FIRST_WITH_SPARE {
            self.prepare_spare(run, folder, &running.purpose)?;
        }
        let mut lookout = Lookout::new(run.each, &files.results);
        let ran = match running.jvm.reply_until(run.limit, &mut || lookout.is_one_overdue())? {
            Reply::Answer(answer) => {
                let (ran, is_restored) = judged(files.told(), &answer, running.runs);
                self.running = is_restored.then_some(running);
                ran
            }
            Reply::TimedOut => {
                let output = running.jvm.end();
                Ran::TimedOut(files.told(), after(&output, &mark))
            }
            Reply::Failed(_) | Reply::Died => {
                running.jvm.end();
                Ran::Ended
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
        let files = Exchange { wanted: file("wanted"), results: file("results") };
        let (class, without) = (NO_TESTS.to_owned(), Vec::new());
        let wanted = Wanted { class, method: None, without, due: Due::Always }.line();
        std::fs::write(&files.wanted, wanted).map_err(|error| Problem::io(error, &files.wanted))?;
        let request = request(run, &files, "", None)?;
        // If it cannot be started now, nothing is lost.
        self.spare = fresh(run, folder).ok().map(|spare| {
            spare.jvm.send(request);
            Running { is_warming: true, ..spare }
        });
        Ok(())
    }

    /// The JVM that runs, or a new one where that will not do.
    fn taken(&mut self, run: &TestRun<'_>, folder: &Path) -> Result<Running> {
        let purpose = purpose(run);
        let fits = |running: &Running| running.purpose == purpose && running.runs < LONGEST_LIFE;
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

fn fresh(run: &TestRun<'_>, folder: &Path) -> Result<Running> {
    let temporary = temporary_folder(folder)?;
    let jvm = start(run, temporary.path())?;
    let purpose = purpose(run);
    Ok(Running { jvm, purpose, runs: 0, is_warming: false, _temporary: temporary })
}

/// A worker that has done all that it was to do before; `None` if that left something behind.
fn ready(mut worker: Running) -> Result<Option<Running>> {
    if !worker.is_warming {
        return Ok(Some(worker));
    }
    let is_as_new = match worker.jvm.reply(Some(PATIENCE))? {
        Reply::Answer(answer) => answer.first() == Some(&1),
        Reply::Failed(_) | Reply::Died | Reply::TimedOut => false,
    };
    worker.is_warming = false;
    Ok(is_as_new.then_some(worker))
}

/// What to make of tests that ran, and whether the JVM is as it was. Its answer is a byte that says whether all
/// could be restored, and a line for each thing that had changed. It was the JVM's run of this number.
fn judged(told: Told, answer: &[u8], number: usize) -> (Ran, bool) {
    let (restored, changes) = answer.split_first().unwrap_or((&0, b"its state\n"));
    let changes: Vec<String> =
        String::from_utf8_lossy(changes).lines().map(str::to_owned).collect();
    let suspicion = suspicion(&told);
    let is_restored = *restored == 1 && suspicion.is_none();
    let ran = match suspicion {
        _ if !told.is_finished => Ran::Ended,
        Some(_) if number > 1 => Ran::Worn,
        Some(exception) => {
            let why = format!("they fail with {exception}, which a warm JVM may cause");
            Ran::Dubious(told, why)
        }
        None if changes.is_empty() => Ran::Clean(told),
        None if is_restored => Ran::Restored(told, changes),
        None => Ran::Dubious(told, leaving(&changes)),
    };
    (ran, is_restored)
}

/// That tests leave something behind, as a clause about them.
pub(super) fn leaving(changes: &[String]) -> String {
    let (named, others) = changes.split_at(changes.len().min(MOST_NAMED));
    let more = if others.is_empty() { "" } else { ", \u{2026}" };
    format!("they leave state behind: {}{more}", named.join(", "))
}

fn suspicion(told: &Told) -> Option<&str> {
    let failed = told.results.iter().filter_map(|result| match &result.status {
        TestStatus::Failed(failure) => Some(failure.exception.as_str()),
        TestStatus::Passed | TestStatus::Skipped => None,
    });
    failed.into_iter().find(|exception| SUSPICIOUS.contains(exception))
}

/// What one variant printed, without what those before it did.
fn after(output: &str, mark: &str) -> String {
    let start = output.rfind(mark).map_or(0, |at| at + mark.len() + 1);
    output.get(start..).unwrap_or_default().to_owned()
}

/// A text that is another where a JVM that runs already would not do: its folder is another one, or a library
/// that it holds open has changed.
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
    Program { sources: &sources(&PACKAGES), class_path: &[], tools }.kept("test server")
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
    files: &Exchange,
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

    fn ran(thrown: Option<&str>, restored: u8, changed: &[u8]) -> Ran {
        nth_run(1, thrown, restored, changed)
    }

    fn nth_run(number: usize, thrown: Option<&str>, restored: u8, changed: &[u8]) -> Ran {
        let failed = thrown.map(|exception| {
            let (exception, message, frames) = (exception.to_owned(), None, Vec::new());
            TestResult::new("a.T", TestStatus::Failed(Failure { exception, message, frames }))
        });
        let results = failed.into_iter().collect();
        let told = Told { results, is_finished: true, ..Told::default() };
        judged(told, &[&[restored], changed].concat(), number).0
    }

    #[test]
    fn what_runs_before_may_have_caused_is_seen_again_in_another_jvm_first() {
        let thrown = Some("java.lang.OutOfMemoryError");
        assert!(matches!(nth_run(1, thrown, 1, b""), Ran::Dubious(..)));
        assert!(matches!(nth_run(2, thrown, 1, b""), Ran::Worn));
        assert!(matches!(nth_run(2, Some("java.lang.AssertionError"), 1, b""), Ran::Clean(_)));
    }

    fn doubt(ran: Ran) -> String {
        let Ran::Dubious(_, why) = ran else { panic!("nothing is doubted") };
        why
    }

    #[test]
    fn what_is_left_as_it_was_or_is_so_again_is_not_doubted_here() {
        assert!(matches!(ran(None, 1, b""), Ran::Clean(_)));
        assert!(matches!(ran(Some("java.lang.AssertionError"), 1, b""), Ran::Clean(_)));
        let Ran::Restored(_, left) = ran(None, 1, b"locale\nsystem property a\n") else {
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
