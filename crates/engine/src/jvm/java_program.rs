//! The small Java runtime: programs of ours that the user's JDK compiles once.

use crate::cache::fingerprint::engine_digest;
use crate::compile::javac::{Compilation, CompileResult};
use crate::jdk::cds_archive;
use crate::jdk::cds_archive::writing;
use crate::jvm::options::QUICK;
use crate::{Environment, Toolchain};
use anyhow::anyhow;
use mend_model::{Problem, Result};
use std::fs::DirEntry;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Time after which an unfinished program folder counts as abandoned.
const ABANDONED: Duration = Duration::from_secs(24 * 60 * 60);

/// A source file of a program: its path below the root package, and its text.
pub(crate) type ProgramSource = (&'static str, &'static str);

/// All files of `java/src/main/java`, as listed by the build script.
const SOURCES: &[ProgramSource] = include!(concat!(env!("OUT_DIR"), "/java_sources.rs"));

/// Returns the sources of these packages below `gitmend`, without those of their subpackages.
pub(crate) fn sources(packages: &[&str]) -> Vec<ProgramSource> {
    let package = |path: &'static str| {
        path.strip_prefix("gitmend/")?.rsplit_once('/').map(|(package, _)| package)
    };
    let is_asked = |(path, _): &&ProgramSource| {
        package(path).is_some_and(|package| packages.contains(&package))
    };
    SOURCES.iter().filter(is_asked).copied().collect()
}

/// A program of the runtime.
pub(crate) struct JavaProgram<'a> {
    pub(crate) sources: &'a [ProgramSource],
    /// Class path for its compilation.
    pub(crate) class_path: &'a [PathBuf],
    pub(crate) tools: &'a Toolchain,
}

impl JavaProgram<'_> {
    /// The folder of its classes below `kept`; they are compiled unless they are there. `Err` inside is
    /// what the compiler said.
    pub(crate) fn compiled(&self, kept: &Path) -> Result<Result<PathBuf, String>> {
        let classes = kept.join(self.key());
        if classes.is_dir() {
            return Ok(Ok(classes));
        }
        let kept = create(kept.to_owned())?;
        sweep(&kept);
        let fresh = tempfile::tempdir_in(&kept).map_err(|error| Problem::io(error, &kept))?;
        let output = create(fresh.path().join("classes"))?;
        let files = self.written(fresh.path())?;
        let compilation = Compilation {
            tools: self.tools,
            cwd: fresh.path(),
            output: &output,
            class_path: self.class_path,
            source_path: &[],
            encoding: Some("UTF-8"),
            options: vec!["-proc:none".to_owned()],
            is_hasty: false,
            limit: None,
        };
        if !self.archived(&compilation, &files)?
            && let CompileResult::Failed(said) | CompileResult::TimedOut(said) =
                compilation.run(&files)?
        {
            return Ok(Err(said));
        }
        match std::fs::rename(&output, &classes) {
            // Another process was faster.
            Err(_) if classes.is_dir() => Ok(Ok(classes)),
            Err(error) => Err(Problem::io(error, classes)),
            Ok(()) => Ok(Ok(classes)),
        }
    }

    /// The folder of its classes among those that are kept from run to run. `what` names it where the compiler refuses
    /// it.
    pub(crate) fn kept(&self, what: &str) -> Result<PathBuf> {
        let classes = self.compiled(&self.tools.kept)?;
        Ok(classes.map_err(|said| anyhow!("the compiler rejects our {what}: {said}"))?)
    }

    /// Compiles in a JVM that leaves an archive of the compiler's classes behind, unless there is one; `false`
    /// if that does not compile it.
    fn archived(&self, compilation: &Compilation<'_>, files: &[PathBuf]) -> Result<bool> {
        let missing = self.tools.class_archive().filter(|archive| !archive.is_file());
        let Some(archive) = missing else { return Ok(false) };
        create(self.tools.kept.clone())?;
        let new = compilation.cwd.join("new.jsa");
        // Another run may have left one meanwhile, which would not go with writing one.
        let flags = QUICK.iter().map(Into::into).chain([writing(&new)]).collect();
        let is_compiled = match compilation.run_in(flags, files) {
            Ok(compiled) => compiled == CompileResult::Ok,
            Err(Problem::Interrupted) => return Err(Problem::Interrupted),
            // An error here, such as a full disk, may be about the archive, which only saves time.
            Err(_) => false,
        };
        if is_compiled && new.is_file() {
            cds_archive::adopt(&new, &archive, &self.tools.jdk, &*self.tools.launcher);
        }
        Ok(is_compiled)
    }

    fn written(&self, folder: &Path) -> Result<Vec<PathBuf>> {
        let write = |(name, text): &ProgramSource| {
            let file = folder.join(name);
            create(file.parent().unwrap_or(folder).to_owned())?;
            std::fs::write(&file, text).map_err(|error| Problem::io(error, &file))?;
            Ok(file)
        };
        self.sources.iter().map(write).collect()
    }

    fn key(&self) -> String {
        // Variables can have the compiler make other classes.
        let mut digest = engine_digest(&Environment::of_this_process());
        digest.add("jdk", &self.tools.jdk.full);
        for (name, text) in self.sources {
            digest.add(name, text);
        }
        for path in self.class_path {
            // What a link leads to is the same in every tree.
            digest.add_file(&path.canonicalize().unwrap_or_else(|_| path.clone()));
        }
        digest.hex()
    }
}

/// Removes what was being made when a run was killed.
fn sweep(kept: &Path) {
    let is_old = |entry: &DirEntry| {
        let changed = entry.metadata().and_then(|metadata| metadata.modified()).ok();
        changed.and_then(|time| time.elapsed().ok()).is_some_and(|age| age > ABANDONED)
    };
    for entry in std::fs::read_dir(kept).into_iter().flatten().flatten() {
        let is_being_made = entry.file_name().as_encoded_bytes().starts_with(b".tmp");
        if is_being_made && is_old(&entry) {
            // Another time will do.
            drop(std::fs::remove_dir_all(entry.path()));
        }
    }
}

/// Creates a folder and those above it.
pub(crate) fn create(folder: PathBuf) -> Result<PathBuf> {
    match std::fs::create_dir_all(&folder) {
        Ok(()) => Ok(folder),
        Err(error) => Err(Problem::io(error, folder)),
    }
}
