//! What the checks look at.

use crate::{Environment, Launch, ProjectOptions};
use std::path::{Path, PathBuf};

/// What is looked at.
pub struct Checkup<'a> {
    /// The project's root.
    pub root: &'a Path,
    /// What the user says about the project.
    pub options: &'a ProjectOptions,
    /// Where the project's model is written.
    pub record: Option<&'a Path>,
    /// Where runs and scratch trees go.
    pub home: &'a Path,
    /// The variables that lead to programs.
    pub environment: &'a Environment,
    /// Starts git and asks for packages.
    pub launcher: &'a dyn Launch,
}

impl Checkup<'_> {
    /// Where a program lies on `PATH`.
    pub(super) fn on_path(&self, program: &str) -> Option<PathBuf> {
        let path = self.environment.get("PATH").unwrap_or_default();
        std::env::split_paths(path).map(|folder| folder.join(program)).find(|file| file.is_file())
    }
}
