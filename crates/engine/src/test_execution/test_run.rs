//! Running the tests of one framework in a JVM of their own.

use crate::compile::javac::joined;
use crate::jvm::java_program::Program;
use crate::jvm::options::QUICK;
use crate::test_execution::runner_report::Told;
use crate::test_execution::test_order::Wanted;
use crate::test_execution::test_timeouts::{Lookout, TestLimits};
use crate::{Ended, Framework, Launched, Toolchain};
use mend_model::{Problem, Result};
use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::TempDir;

/// A runner for one framework, compiled.
#[derive(Clone, Debug)]
pub(crate) struct Runner {
    framework: Framework,
    classes: PathBuf,
}

impl Runner {
    /// Compiles the runner against a class path into a folder below `kept`, unless it is there.
    /// `Err` inside is what the compiler said.
    pub(crate) fn compiled(
        framework: Framework,
        class_path: &[PathBuf],
        tools: &Toolchain,
        kept: &Path,
    ) -> Result<Result<Self, String>> {
        let program = Program { sources: &framework.sources(), class_path, tools };
        Ok(program.compiled(kept)?.map(|classes| Self { framework, classes }))
    }
}

impl Runner {
    /// Its class.
    pub(crate) fn main(&self) -> &'static str {
        self.framework.runner()
    }
}

/// What is run, and where.
pub(crate) struct TestRun<'a> {
    pub(crate) tools: &'a Toolchain,
    pub(crate) runner: &'a Runner,
    pub(crate) class_path: &'a [PathBuf],
    pub(crate) jvm_options: &'a [String],
    /// The folder that the tests see as theirs.
    pub(crate) cwd: &'a Path,
    pub(crate) wanted: &'a [Wanted],
    /// A folder for what the runner reads and writes.
    pub(crate) exchange: &'a Path,
    pub(crate) limit: Option<Duration>,
    /// How long each test may take; `limit` is for all of them together.
    pub(crate) each: &'a TestLimits,
}

/// The files that pass the request to a runner and the results back.
pub(crate) struct Exchange {
    pub(crate) wanted: PathBuf,
    pub(crate) results: PathBuf,
}

impl Exchange {
    /// Returns the runner's results so far.
    pub(crate) fn told(&self) -> Told {
        let told = std::fs::read(&self.results).unwrap_or_default();
        Told::parse(&String::from_utf8_lossy(&told))
    }
}

impl TestRun<'_> {
    pub(crate) fn run(&self) -> Result<(Told, Ended)> {
        let files = self.exchange()?;
        let temporary = temporary_folder(self.exchange)?;
        let command = Launched::new(self.tools.jdk.java(), self.cwd)
            .arg(keeping_in(temporary.path()))
            .args(self.flags())
            .args(["-cp", &joined(&self.whole_class_path()), self.runner.main()])
            .args([&files.results, &files.wanted])
            .limit(self.limit);
        let mut lookout = Lookout::new(self.each, &files.results);
        let ended = self.tools.launcher.run_until(&command, &mut || lookout.is_one_overdue())?;
        Ok((files.told(), ended))
    }

    /// Writes the request, and deletes the results of an earlier run.
    pub(crate) fn exchange(&self) -> Result<Exchange> {
        let file = |end: &str| self.exchange.join(format!("{}.{end}", self.runner.framework));
        let (wanted, results) = (file("wanted"), file("results"));
        let lines = self.wanted.iter().map(Wanted::line);
        std::fs::write(&wanted, lines.collect::<String>())
            .map_err(|error| Problem::io(error, &wanted))?;
        match std::fs::remove_file(&results) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(Problem::io(error, &results)),
            _ => Ok(Exchange { wanted, results }),
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
