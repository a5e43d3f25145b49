//! Running the tests of one framework in a JVM of their own.

use crate::compile::javac::joined;
use crate::jvm::java_program::JavaProgram;
use crate::jvm::options::QUICK;
use crate::test_execution::runner_report::RunnerReport;
use crate::test_execution::test_order::TestRequest;
use crate::test_execution::test_timeouts::{TestTimeouts, TimeoutMonitor};
use crate::{ExitInfo, Framework, LaunchSpec, Toolchain};
use mend_model::{Problem, Result};
use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::TempDir;

/// A runner for one framework, compiled.
#[derive(Clone, Debug)]
pub(crate) struct TestRunner {
    framework: Framework,
    classes: PathBuf,
}

impl TestRunner {
    /// Compiles the runner against a class path into a folder below `kept`, unless it is there.
    /// `Err` inside is what the compiler said.
    pub(crate) fn compiled(
        framework: Framework,
        class_path: &[PathBuf],
        tools: &Toolchain,
        kept: &Path,
    ) -> Result<Result<Self, String>> {
        let program = JavaProgram { sources: &framework.sources(), class_path, tools };
        Ok(program.compiled(kept)?.map(|classes| Self { framework, classes }))
    }
}

impl TestRunner {
    /// Its class.
    pub(crate) fn main(&self) -> &'static str {
        self.framework.runner()
    }
}

/// Parameters of a test run.
pub(crate) struct TestRun<'a> {
    pub(crate) tools: &'a Toolchain,
    pub(crate) runner: &'a TestRunner,
    pub(crate) class_path: &'a [PathBuf],
    pub(crate) jvm_options: &'a [String],
    /// The folder that the tests see as theirs.
    pub(crate) cwd: &'a Path,
    pub(crate) wanted: &'a [TestRequest],
    /// A folder for what the runner reads and writes.
    pub(crate) exchange: &'a Path,
    pub(crate) limit: Option<Duration>,
    /// Time limits of single tests; `limit` applies to all of them together.
    pub(crate) each: &'a TestTimeouts,
}

/// The files that pass the request to a runner and the results back.
pub(crate) struct RunnerFiles {
    pub(crate) wanted: PathBuf,
    pub(crate) results: PathBuf,
}

impl RunnerFiles {
    /// Returns the runner's results so far.
    pub(crate) fn read_report(&self) -> RunnerReport {
        let told = std::fs::read(&self.results).unwrap_or_default();
        RunnerReport::parse(&String::from_utf8_lossy(&told))
    }
}

impl TestRun<'_> {
    pub(crate) fn run(&self) -> Result<(RunnerReport, ExitInfo)> {
        let files = self.exchange()?;
        let temporary = temporary_folder(self.exchange)?;
        let command = LaunchSpec::new(self.tools.jdk.java(), self.cwd)
            .arg(keeping_in(temporary.path()))
            .args(self.flags())
            .args(["-cp", &joined(&self.whole_class_path()), self.runner.main()])
            .args([&files.results, &files.wanted])
            .limit(self.limit);
        let mut lookout = TimeoutMonitor::new(self.each, &files.results);
        let ended = self.tools.launcher.run_until(&command, &mut || lookout.is_one_overdue())?;
        Ok((files.read_report(), ended))
    }

    /// Writes the request, and deletes the results of an earlier run.
    pub(crate) fn exchange(&self) -> Result<RunnerFiles> {
        let file = |end: &str| self.exchange.join(format!("{}.{end}", self.runner.framework));
        let (wanted, results) = (file("wanted"), file("results"));
        let lines = self.wanted.iter().map(TestRequest::line);
        std::fs::write(&wanted, lines.collect::<String>())
            .map_err(|error| Problem::io(error, &wanted))?;
        match std::fs::remove_file(&results) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(Problem::io(error, &results)),
            _ => Ok(RunnerFiles { wanted, results }),
        }
    }

    /// The JVM's options, without the class path and the folder for temporary files.
    pub(crate) fn flags(&self) -> Vec<OsString> {
        let mut base = OsString::from("-Dbasedir=");
        base.push(self.cwd);
        let usual = QUICK.iter().chain([&"-ea"]).map(OsString::from);
        let own = self.jvm_options.iter().map(OsString::from);
        usual.chain([base]).chain(own).collect()
    }

    /// The runner's classes and those of the tests.
    pub(crate) fn whole_class_path(&self) -> Vec<PathBuf> {
        [std::slice::from_ref(&self.runner.classes), self.class_path].concat()
    }
}

/// A folder for the temporary files of tests, which goes with them: what one run leaves, another one would find.
pub(crate) fn temporary_folder(place: &Path) -> Result<TempDir> {
    let folder = tempfile::Builder::new().prefix("tmp-").tempdir_in(place);
    folder.map_err(|error| Problem::io(error, place))
}

/// The option that has a JVM keep temporary files in a folder. What the project says about it comes later, and wins.
pub(crate) fn keeping_in(folder: &Path) -> OsString {
    let mut option = OsString::from("-Djava.io.tmpdir=");
    option.push(folder);
    option
}
