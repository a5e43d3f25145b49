//! Context of the doctor's checks.

use crate::{Environment, Launcher, ProjectOptions};
use mend_model::ProgressListener;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Context of the doctor's checks.
pub struct DoctorContext<'a> {
    /// The project's root.
    pub root: &'a Path,
    /// Project options of the user.
    pub options: &'a ProjectOptions,
    /// File to which the project model is written, if requested.
    pub model_file: Option<&'a Path>,
    /// Folder of runs and scratch trees.
    pub home: &'a Path,
    /// Environment variables that locate programs.
    pub environment: &'a Environment,
    /// Launcher for git and for package queries.
    pub launcher: Arc<dyn Launcher>,
    /// Listener of the progress of slow checks.
    pub progress: Arc<dyn ProgressListener>,
}

impl DoctorContext<'_> {
    /// Finds a program on `PATH`.
    pub(super) fn find_on_path(&self, program: &str) -> Option<PathBuf> {
        let path = self.environment.get("PATH").unwrap_or_default();
        std::env::split_paths(path).map(|folder| folder.join(program)).find(|file| file.is_file())
    }
}
