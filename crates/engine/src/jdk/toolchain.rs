//! Toolchain: the user's JDK, and the files that are generated once for it.

use crate::compile::annotation_processors::ProcessorDetector;
use crate::compile::compiler_pool::CompilerPool;
use crate::jdk::cds_archive;
use crate::jdk::cds_archive::map_options;
use crate::jvm::jvm_process::{Jvm, JvmCommand};
use crate::jvm::options::FAST_START_OPTIONS;
use crate::project::{FailedGenerators, IncompleteModels};
use crate::{Jdk, Launcher};
use mend_model::{NoProgress, ProgressListener, Result};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// A JDK with a launcher, and caches of compiled programs and warm compilers.
#[derive(Clone)]
pub struct Toolchain {
    /// The JDK.
    pub jdk: Jdk,
    /// Launcher of its programs.
    pub launcher: Arc<dyn Launcher>,
    /// Folder of the compiled Java programs, kept between runs.
    pub(crate) program_cache: PathBuf,
    /// True if the compiler uses a class archive, which takes seconds to write.
    pub(crate) uses_class_archive: bool,
    /// Lock of the thread that writes the compiler's class archive.
    pub(crate) archive_writer: Arc<Mutex<()>>,
    /// Pool of warm compilers.
    pub(crate) compilers: CompilerPool,
    /// Detector of annotation processors.
    pub(crate) processors: ProcessorDetector,
    /// Generators of builds that failed.
    pub(crate) failed_generators: FailedGenerators,
    /// Models of builds that lack libraries.
    pub(crate) incomplete_models: IncompleteModels,
    /// Listener of the progress of slow preparations.
    pub(crate) progress: Arc<dyn ProgressListener>,
}

impl Toolchain {
    /// Creates the toolchain of a JDK; its cache is below `home`, a folder that outlives a run.
    pub fn new(jdk: Jdk, launcher: Arc<dyn Launcher>, home: &Path) -> Self {
        Self {
            jdk,
            launcher,
            program_cache: home.join("runtime"),
            uses_class_archive: true,
            archive_writer: Arc::default(),
            compilers: CompilerPool::default(),
            processors: ProcessorDetector::default(),
            failed_generators: FailedGenerators::default(),
            incomplete_models: IncompleteModels::default(),
            progress: Arc::new(NoProgress),
        }
    }

    /// Returns the same toolchain with a listener of the progress of slow preparations.
    #[must_use]
    pub fn with_progress(self, progress: Arc<dyn ProgressListener>) -> Self {
        Self { progress, ..self }
    }

    /// Returns the same toolchain with another JDK, without anything that belongs to the old one.
    #[must_use]
    pub(crate) fn with_jdk(self, jdk: Jdk) -> Self {
        Self {
            jdk,
            archive_writer: Arc::default(),
            compilers: CompilerPool::default(),
            processors: ProcessorDetector::default(),
            failed_generators: FailedGenerators::default(),
            incomplete_models: IncompleteModels::default(),
            ..self
        }
    }

    /// Returns the same toolchain without class archive, for a cache that is soon removed.
    #[must_use]
    pub fn without_class_archive(self) -> Self {
        Self { uses_class_archive: false, ..self }
    }

    /// Returns the path of the compiler's class archive, which need not exist; `None` if it uses none or this JDK
    /// supports none.
    pub(crate) fn class_archive(&self) -> Option<PathBuf> {
        let archive = || cds_archive::archive_path(&self.jdk, &self.program_cache);
        self.uses_class_archive.then(archive).flatten()
    }

    /// Returns the JVM options for the compiler.
    pub(crate) fn compiler_flags(&self) -> Vec<OsString> {
        let mut flags: Vec<OsString> = FAST_START_OPTIONS.iter().map(Into::into).collect();
        if let Some(archive) = self.class_archive().filter(|archive| archive.is_file()) {
            flags.extend(map_options(&archive));
        }
        flags
    }

    /// Starts a JVM that serves requests; `options` include the class path.
    ///
    /// # Errors
    /// [`mend_model::Problem::ProgramMissing`] if it cannot be started.
    pub(crate) fn start_jvm(&self, cwd: &Path, options: Vec<OsString>, main: &str) -> Result<Jvm> {
        let (java, launcher) = (self.jdk.java(), &*self.launcher);
        JvmCommand { java, launcher, cwd, variables: Vec::new(), options, main }.start()
    }
}
