//! Runs tests of one framework in a fresh JVM, and prepares runs in warm ones.

use crate::compile::fresh_compiler::FreshCompiler;
use crate::compile::javac::join_class_path;
use crate::jvm::java_program::JavaProgram;
use crate::jvm::jvm_process::{Jvm, JvmCommand};
use crate::jvm::options::FAST_START_OPTIONS;
use crate::project::TestJvm;
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

/// A compiled runner of one framework.
#[derive(Clone, Debug)]
pub(crate) struct TestRunner {
    framework: Framework,
    classes: PathBuf,
}

impl TestRunner {
    /// Compiles the runner against a class path into a folder below `cache_dir`, unless it is cached. The inner `Err`
    /// is the compiler output.
    pub(crate) fn compile(
        framework: Framework,
        class_path: &[PathBuf],
        tools: &Toolchain,
        cache_dir: &Path,
    ) -> Result<Result<Self, String>> {
        let program =
            JavaProgram { sources: &framework.runner_sources(), options: &[], class_path, tools };
        // The versions of a project may have many versions of a framework. The compiler of the project is warm by now.
        let classes = program.compile_into_with(cache_dir, |compilation, files| {
            FreshCompiler::default().compile(compilation, files)
        })?;
        Ok(classes.map(|classes| Self { framework, classes }))
    }
}

impl TestRunner {
    /// Returns the name of its main class.
    pub(crate) fn main_class(&self) -> &'static str {
        self.framework.runner_class()
    }
}

/// Candidate of a mutant schema that a system property selects.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SelectedCandidate<'a> {
    pub(crate) property: &'a str,
    pub(crate) number: usize,
    pub(crate) time_limit: Duration,
}

/// Parameters of a test run.
#[derive(Clone, Copy)]
pub(crate) struct TestRun<'a> {
    pub(crate) tools: &'a Toolchain,
    pub(crate) runner: &'a TestRunner,
    pub(crate) class_path: &'a [PathBuf],
    /// Settings of the JVM, with the tree's folder in place of its placeholder.
    pub(crate) jvm: &'a TestJvm,
    /// Folder of the tests' module.
    pub(crate) module_folder: &'a Path,
    /// Working directory of the tests.
    pub(crate) cwd: &'a Path,
    pub(crate) requests: &'a [TestRequest],
    /// Folder for the files that the runner reads and writes.
    pub(crate) exchange_dir: &'a Path,
    pub(crate) time_limit: Option<Duration>,
    /// Time limits of single tests; `time_limit` applies to all of them together.
    pub(crate) per_test_limits: &'a TestTimeouts,
    /// Candidate to test, if the version is a mutant schema. Only warm JVMs support it.
    pub(crate) candidate: Option<SelectedCandidate<'a>>,
}

/// Files with the request to a runner and its results.
pub(crate) struct RunnerFiles {
    pub(crate) requests: PathBuf,
    pub(crate) results: PathBuf,
}

impl RunnerFiles {
    /// Returns the runner's results so far.
    pub(crate) fn read_report(&self) -> RunnerReport {
        let bytes = std::fs::read(&self.results).unwrap_or_default();
        RunnerReport::parse(&String::from_utf8_lossy(&bytes))
    }
}

impl TestRun<'_> {
    pub(crate) fn run(&self) -> Result<(RunnerReport, ExitInfo)> {
        let files = self.prepare_files()?;
        let temp_dir = create_temp_dir(self.exchange_dir)?;
        let mut command = LaunchSpec::new(self.tools.jdk.java(), self.cwd)
            .arg(temp_dir_option(temp_dir.path()))
            .args(self.jvm_flags())
            .args(["-cp", &join_class_path(&self.full_class_path()), self.runner.main_class()])
            .args([&files.results, &files.requests])
            .with_time_limit(self.time_limit);
        command.env = self.jvm.environment();
        let mut timeout_monitor = TimeoutMonitor::new(self.per_test_limits, &files.results);
        let exit =
            self.tools.launcher.run_until(&command, &mut || timeout_monitor.has_overdue_test())?;
        Ok((files.read_report(), exit))
    }

    /// Starts a JVM that serves runs with these settings; `options` include the class path.
    ///
    /// # Errors
    /// [`Problem::ProgramMissing`] if it cannot be started.
    pub(crate) fn start_jvm(&self, options: Vec<OsString>, main: &str) -> Result<Jvm> {
        let (java, launcher) = (self.tools.jdk.java(), &*self.tools.launcher);
        let variables = self.jvm.environment();
        JvmCommand { java, launcher, cwd: self.cwd, variables, options, main }.start()
    }

    /// Writes the request, and deletes the results of an earlier run.
    pub(crate) fn prepare_files(&self) -> Result<RunnerFiles> {
        let file_with_extension =
            |end: &str| self.exchange_dir.join(format!("{}.{end}", self.runner.framework));
        let (requests, results) = (file_with_extension("wanted"), file_with_extension("results"));
        let lines = self.requests.iter().map(TestRequest::encode_line);
        std::fs::write(&requests, lines.collect::<String>())
            .map_err(|error| Problem::io(error, &requests))?;
        match std::fs::remove_file(&results) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(Problem::io(error, &results)),
            _ => Ok(RunnerFiles { requests, results }),
        }
    }

    /// Returns the JVM options, without class path and temporary folder.
    pub(crate) fn jvm_flags(&self) -> Vec<OsString> {
        let mut basedir_option = OsString::from("-Dbasedir=");
        basedir_option.push(self.module_folder);
        let default_flags = FAST_START_OPTIONS.iter().chain([&"-ea"]).map(OsString::from);
        let project_flags = self.jvm.options.iter().map(OsString::from);
        default_flags.chain([basedir_option]).chain(project_flags).collect()
    }

    /// Returns the class path of the runner and the tests.
    pub(crate) fn full_class_path(&self) -> Vec<PathBuf> {
        [std::slice::from_ref(&self.runner.classes), self.class_path].concat()
    }
}

/// Creates a folder for the temporary files of one run, so that no run finds those of another.
pub(crate) fn create_temp_dir(parent: &Path) -> Result<TempDir> {
    let folder = tempfile::Builder::new().prefix("tmp-").tempdir_in(parent);
    folder.map_err(|error| Problem::io(error, parent))
}

/// Returns the JVM option for the temporary folder. A later option of the project overrides it.
pub(crate) fn temp_dir_option(folder: &Path) -> OsString {
    let mut option = OsString::from("-Djava.io.tmpdir=");
    option.push(folder);
    option
}
