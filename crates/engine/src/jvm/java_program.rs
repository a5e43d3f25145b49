//! Embedded Java programs, which the user's JDK compiles once.

use crate::cache::fingerprint::base_digest;
use crate::compile::javac::{Compilation, CompileResult};
use crate::jdk::cds_archive;
use crate::jdk::cds_archive::dump_option;
use crate::jvm::options::FAST_START_OPTIONS;
use crate::{Environment, Toolchain};
use anyhow::anyhow;
use mend_model::{Problem, Result};
use std::fs::DirEntry;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Time after which an unfinished program folder counts as abandoned.
const ABANDONED_AFTER: Duration = Duration::from_secs(24 * 60 * 60);

/// A source file of a program: its path below the root package, and its text.
pub(crate) type ProgramSource = (&'static str, &'static str);

/// All files of `java/src/main/java`, as listed by the build script.
const JAVA_SOURCES: &[ProgramSource] = include!(concat!(env!("OUT_DIR"), "/java_sources.rs"));

/// Returns the sources of these packages below `gitmend`, without those of their subpackages.
pub(crate) fn program_sources(packages: &[&str]) -> Vec<ProgramSource> {
    let package = |path: &'static str| {
        path.strip_prefix("gitmend/")?.rsplit_once('/').map(|(package, _)| package)
    };
    let is_in_packages = |(path, _): &&ProgramSource| {
        package(path).is_some_and(|package| packages.contains(&package))
    };
    JAVA_SOURCES.iter().filter(is_in_packages).copied().collect()
}

/// A Java program of git-mend.
pub(crate) struct JavaProgram<'a> {
    pub(crate) sources: &'a [ProgramSource],
    /// Options for its compilation.
    pub(crate) options: &'a [String],
    /// Class path for its compilation.
    pub(crate) class_path: &'a [PathBuf],
    pub(crate) tools: &'a Toolchain,
}

impl JavaProgram<'_> {
    /// Returns the folder of its classes below `cache_dir`, after compiling them with the `javac` command if they are
    /// not cached. The inner `Err` is the compiler output.
    pub(crate) fn compile_into(&self, cache_dir: &Path) -> Result<Result<PathBuf, String>> {
        self.compile_into_with(cache_dir, run_command)
    }

    /// Does the same with another compiler.
    pub(crate) fn compile_into_with(
        &self,
        cache_dir: &Path,
        compile: impl FnOnce(&Compilation<'_>, &[PathBuf]) -> Result<CompileResult>,
    ) -> Result<Result<PathBuf, String>> {
        let classes = cache_dir.join(self.cache_key());
        if classes.is_dir() {
            return Ok(Ok(classes));
        }
        let cache_dir = create_folder(cache_dir.to_owned())?;
        remove_abandoned(&cache_dir);
        let temp_dir =
            tempfile::tempdir_in(&cache_dir).map_err(|error| Problem::io(error, &cache_dir))?;
        let output = create_folder(temp_dir.path().join("classes"))?;
        let files = self.write_sources(temp_dir.path())?;
        let compilation = Compilation {
            tools: self.tools,
            cwd: temp_dir.path(),
            output: &output,
            class_path: self.class_path,
            source_path: &[],
            encoding: Some("UTF-8"),
            options: [&["-proc:none".to_owned()], self.options].concat(),
            is_fail_fast: false,
            time_limit: None,
        };
        if !self.compile_with_archive(&compilation, &files)?
            && let CompileResult::Failed(diagnostics) | CompileResult::TimedOut(diagnostics) =
                compile(&compilation, &files)?
        {
            return Ok(Err(diagnostics));
        }
        match std::fs::rename(&output, &classes) {
            // Another process was faster.
            Err(_) if classes.is_dir() => Ok(Ok(classes)),
            Err(error) => Err(Problem::io(error, classes)),
            Ok(()) => Ok(Ok(classes)),
        }
    }

    /// Returns the folder of its classes in the program cache. `name` describes the program if the compiler rejects it.
    pub(crate) fn compile_cached(&self, name: &str) -> Result<PathBuf> {
        let classes = self.compile_into(&self.tools.program_cache)?;
        Ok(classes.map_err(|output| anyhow!("the compiler rejects our {name}: {output}"))?)
    }

    /// Compiles in a JVM that also writes a CDS archive of the compiler's classes, unless there is one or another thread
    /// writes it; `false` if nothing was compiled.
    fn compile_with_archive(
        &self,
        compilation: &Compilation<'_>,
        files: &[PathBuf],
    ) -> Result<bool> {
        let missing = self.tools.class_archive().filter(|archive| !archive.is_file());
        let Some(archive) = missing else { return Ok(false) };
        let Ok(_writer) = self.tools.archive_writer.try_lock() else { return Ok(false) };
        create_folder(self.tools.program_cache.clone())?;
        let new_archive = compilation.cwd.join("new.jsa");
        // A JVM cannot map an archive, which another run may have written meanwhile, and write one.
        let flags =
            FAST_START_OPTIONS.iter().map(Into::into).chain([dump_option(&new_archive)]).collect();
        let is_compiled = match compilation.run_with_flags(flags, files) {
            Ok(compiled) => compiled == CompileResult::Ok,
            Err(Problem::Interrupted) => return Err(Problem::Interrupted),
            // An error here, such as a full disk, may concern only the archive, which is optional.
            Err(_) => false,
        };
        if is_compiled && new_archive.is_file() {
            cds_archive::install_if_usable(
                &new_archive,
                &archive,
                &self.tools.jdk,
                &*self.tools.launcher,
            );
        }
        Ok(is_compiled)
    }

    fn write_sources(&self, folder: &Path) -> Result<Vec<PathBuf>> {
        let write = |(name, text): &ProgramSource| {
            let file = folder.join(name);
            create_folder(file.parent().unwrap_or(folder).to_owned())?;
            std::fs::write(&file, text).map_err(|error| Problem::io(error, &file))?;
            Ok(file)
        };
        self.sources.iter().map(write).collect()
    }

    fn cache_key(&self) -> String {
        // Environment variables can affect the compiler's output.
        let mut digest = base_digest(&Environment::from_process());
        digest.add("jdk", &self.tools.jdk.full_version);
        for (name, text) in self.sources {
            digest.add(name, text);
        }
        for option in self.options {
            digest.add("option", option);
        }
        for path in self.class_path {
            // The target of a link is the same in every tree.
            digest.add_file(&path.canonicalize().unwrap_or_else(|_| path.clone()));
        }
        digest.finish_hex()
    }
}

fn run_command(compilation: &Compilation<'_>, files: &[PathBuf]) -> Result<CompileResult> {
    compilation.run(files)
}

/// Removes unfinished folders of killed runs.
fn remove_abandoned(cache_dir: &Path) {
    let is_old = |entry: &DirEntry| {
        let changed = entry.metadata().and_then(|metadata| metadata.modified()).ok();
        changed.and_then(|time| time.elapsed().ok()).is_some_and(|age| age > ABANDONED_AFTER)
    };
    for entry in std::fs::read_dir(cache_dir).into_iter().flatten().flatten() {
        let is_unfinished = entry.file_name().as_encoded_bytes().starts_with(b".tmp");
        if is_unfinished && is_old(&entry) {
            // The next run tries again.
            drop(std::fs::remove_dir_all(entry.path()));
        }
    }
}

/// Creates a folder with its parents.
pub(crate) fn create_folder(folder: PathBuf) -> Result<PathBuf> {
    match std::fs::create_dir_all(&folder) {
        Ok(()) => Ok(folder),
        Err(error) => Err(Problem::io(error, folder)),
    }
}
