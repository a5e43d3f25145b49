//! What compiles and runs Java: the user's JDK, and what is made for it once and kept.

use super::class_archive::mapping;
use super::processors::Processors;
use super::resident_compiler::ResidentCompilers;
use super::{Jdk, Launch};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A JDK, how its programs are started, and where our own programs are kept that it compiled.
#[derive(Clone)]
pub struct Toolchain {
    /// The JDK.
    pub jdk: Jdk,
    /// What starts its programs.
    pub launcher: Arc<dyn Launch>,
    /// Where our own programs are kept from run to run.
    pub(super) kept: PathBuf,
    /// The warm compilers.
    pub(super) compilers: ResidentCompilers,
    /// Which libraries process annotations.
    pub(super) processors: Processors,
}

impl Toolchain {
    /// A JDK with what is kept for it below `home`, a folder that outlives a run.
    pub fn new(jdk: Jdk, launcher: Arc<dyn Launch>, home: &Path) -> Self {
        let (compilers, processors) = Default::default();
        Self { jdk, launcher, kept: home.join("runtime"), compilers, processors }
    }

    /// The options of a JVM that holds the compiler.
    pub(super) fn compiler_flags(&self) -> Vec<OsString> {
        let mut flags: Vec<OsString> = QUICK.iter().map(Into::into).collect();
        if let Some(archive) = self.class_archive().filter(|archive| archive.is_file()) {
            flags.extend(mapping(&archive));
        }
        flags
    }
}

/// The options of every JVM of ours: it lives for seconds, so that what starts quickly wins.
pub(super) const QUICK: [&str; 2] = ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"];
