//! Project options of the user.

use super::{BuildKind, LocalRepositories, MavenSettings, ModelSource, ProjectModelFile};
use crate::project::parsed_build::ParsedBuild;
use mend_model::Selector;
use std::path::PathBuf;
use std::sync::Arc;

/// Project options of the user, which override or extend the build files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProjectOptions {
    /// Kind of build; `Auto` detects it.
    pub build: BuildKind,
    /// Main source folders, relative to the project's root; they replace the detected ones.
    pub sources: Vec<PathBuf>,
    /// Test source folders, relative to the project's root, in addition to the detected ones.
    pub test_sources: Vec<PathBuf>,
    /// Jars and class folders, absolute or relative to the tree; they precede the libraries.
    pub class_path: Vec<PathBuf>,
    /// Options for `javac`, after those of the build.
    pub javac_options: Vec<String>,
    /// Local repositories.
    pub repositories: LocalRepositories,
    /// Settings of the user for all Maven projects.
    pub maven: MavenSettings,
    /// Where the project model comes from.
    pub model: ModelSource,
    /// True if the build tool must not download anything.
    pub is_offline: bool,
    /// Project model file that replaces the build files.
    pub model_file: Option<Arc<ProjectModelFile>>,
    /// Selected tests. Sources and resources are generated only for their modules; if empty, for all modules.
    pub tests: Vec<Selector>,
    /// The user's working directory, relative to the tree. It decides between several builds if the root has none.
    pub working_directory: PathBuf,
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
