//! Running the tests of one framework in a JVM of their own.

use super::compiler::joined;
use super::result_lines::Told;
use super::runtime::Program;
use super::{Ended, Framework, Jdk, Launch, Launched};
use crate::model::{Problem, Result};
use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A runner for one framework, compiled.
#[derive(Clone, Debug)]
pub(super) struct Runner {
    framework: Framework,
    classes: PathBuf,
}

impl Runner {
    /// Compiles the runner against a class path into a folder below `work`, unless it is there.
    /// `Err` inside is what the compiler said.
    pub(super) fn compiled(
        framework: Framework,
        class_path: &[PathBuf],
        jdk: &Jdk,
        launcher: &dyn Launch,
        work: &Path,
    ) -> Result<Result<Self, String>> {
        let program = Program { sources: &framework.sources(), class_path, jdk, launcher };
        Ok(program.compiled(work)?.map(|classes| Self { framework, classes }))
    }
}

/// What is run, and where.
pub(super) struct TestRun<'a> {
    pub(super) jdk: &'a Jdk,
    pub(super) launcher: &'a dyn Launch,
    pub(super) runner: &'a Runner,
    pub(super) class_path: &'a [PathBuf],
    pub(super) jvm_options: &'a [String],
    /// The folder that the tests see as theirs.
    pub(super) cwd: &'a Path,
    /// Classes, and which of their methods.
    pub(super) wanted: &'a [(String, Option<String>)],
    /// A folder for what the runner reads and writes.
    pub(super) exchange: &'a Path,
    pub(super) limit: Option<Duration>,
}

impl TestRun<'_> {
    pub(super) fn run(&self) -> Result<(Told, Ended)> {
        let file = |end: &str| self.exchange.join(format!("{}.{end}", self.runner.framework));
        let (wanted, results) = (file("wanted"), file("results"));
        let lines = self
            .wanted
            .iter()
            .map(|(class, method)| format!("{class}\t{}\n", method.as_deref().unwrap_or_default()));
        std::fs::write(&wanted, lines.collect::<String>())
            .map_err(|error| Problem::io(error, &wanted))?;
        // What an earlier run told would be taken for what this one tells.
        if let Err(error) = std::fs::remove_file(&results)
            && error.kind() != ErrorKind::NotFound
        {
            return Err(Problem::io(error, &results));
        }
        let mut base = OsString::from("-Dbasedir=");
        base.push(self.cwd);
        let class_path = [std::slice::from_ref(&self.runner.classes), self.class_path].concat();
        let command = Launched::new(self.jdk.java(), self.cwd)
            .args(["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-ea"])
            .arg(base)
            .args(self.jvm_options)
            .args(["-cp", &joined(&class_path), self.runner.framework.runner()])
            .args([&results, &wanted])
            .limit(self.limit);
        let ended = self.launcher.run(&command)?;
        let told = std::fs::read(&results).unwrap_or_default();
        Ok((Told::parse(&String::from_utf8_lossy(&told)), ended))
    }
}
