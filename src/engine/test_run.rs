//! Running the tests of one framework in a JVM of their own.

use super::compiler::{Compilation, Compiled, joined};
use super::fingerprint::Digest;
use super::result_lines::Told;
use super::{Ended, Framework, Jdk, Launch, Launched};
use crate::model::{Problem, Result};
use std::ffi::OsString;
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
        let classes = work.join("runtime").join(key(framework, class_path, jdk));
        let runner = Self { framework, classes: classes.clone() };
        if classes.is_dir() {
            return Ok(Ok(runner));
        }
        let runtime = create(work.join("runtime"))?;
        let fresh = tempfile::tempdir_in(&runtime).map_err(|error| Problem::io(error, &runtime))?;
        let output = create(fresh.path().join("classes"))?;
        let files = written(framework, fresh.path())?;
        let compilation = Compilation {
            jdk,
            launcher,
            cwd: fresh.path(),
            output: &output,
            class_path,
            source_path: &[],
            encoding: Some("UTF-8"),
            options: &["-proc:none".to_owned()],
            limit: None,
        };
        if let Compiled::Failed(said) | Compiled::TimedOut(said) = compilation.run(&files)? {
            return Ok(Err(said));
        }
        match std::fs::rename(&output, &classes) {
            // Somebody else was faster.
            Err(_) if classes.is_dir() => Ok(Ok(runner)),
            Err(error) => Err(Problem::io(error, classes)),
            Ok(()) => Ok(Ok(runner)),
        }
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

/// Creates a folder and those above it.
pub(super) fn create(folder: PathBuf) -> Result<PathBuf> {
    match std::fs::create_dir_all(&folder) {
        Ok(()) => Ok(folder),
        Err(error) => Err(Problem::io(error, folder)),
    }
}

fn written(framework: Framework, folder: &Path) -> Result<Vec<PathBuf>> {
    let write = |(name, text): (&str, &str)| {
        let file = folder.join(name);
        std::fs::write(&file, text).map_err(|error| Problem::io(error, &file))?;
        Ok(file)
    };
    framework.sources().map(write).collect()
}

fn key(framework: Framework, class_path: &[PathBuf], jdk: &Jdk) -> String {
    let mut digest = Digest::default();
    digest.add("jdk", &jdk.full);
    for (name, text) in framework.sources() {
        digest.add(name, text);
    }
    for path in class_path {
        digest.add_file(path);
    }
    digest.hex()
}
