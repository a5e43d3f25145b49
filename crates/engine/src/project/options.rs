//! Options of the user about a project.

use super::{BuildKind, LocalRepositories, MavenSettings, ProjectModelFile};
use crate::project::parsed_build::ParsedBuild;
use std::path::PathBuf;
use std::sync::Arc;

/// Options of the user about a project.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProjectOptions {
    /// The kind of build; `Auto` looks.
    pub build: BuildKind,
    /// Folders of main sources, relative to the project's root; they replace what is found.
    pub sources: Vec<PathBuf>,
    /// Folders of test sources, relative to the project's root; they are added to what is found.
    pub test_sources: Vec<PathBuf>,
    /// Jars and class folders, absolute or relative to the tree; they come first.
    pub class_path: Vec<PathBuf>,
    /// Options for `javac`; they come last.
    pub javac_options: Vec<String>,
    /// Local repositories of libraries.
    pub repositories: LocalRepositories,
    /// Settings of the user for all Maven projects.
    pub maven: MavenSettings,
    /// Project model file that replaces the build files.
    pub model_file: Option<Arc<ProjectModelFile>>,
}

impl ProjectOptions {
    /// Removes user-defined folders of main sources that contain tests, so that no file is compiled twice.
    pub(super) fn without_test_folders(&self, build: &ParsedBuild) -> Self {
        let is_test_root =
            |folder: &PathBuf| build.modules.iter().any(|one| one.test_roots.contains(folder));
        let mut sources = self.sources.clone();
        sources.retain(|folder| !is_test_root(folder));
        if sources.is_empty() { self.clone() } else { Self { sources, ..self.clone() } }
    }
}
