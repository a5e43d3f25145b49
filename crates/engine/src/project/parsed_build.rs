//! Contents of build files.

use super::Module;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Contents of build files.
#[derive(Debug, Default)]
pub(crate) struct ParsedBuild {
    pub(super) modules: Vec<Module>,
    pub(super) notes: Vec<String>,
    pub(super) variables: BTreeSet<String>,
    /// The build tool that described the build, with versions; `None` if the build files were read.
    pub(super) tool: Option<String>,
    /// Versions of the Maven plugins that generate sources or resources, by `group:artifact`.
    pub(super) plugins: BTreeMap<String, String>,
    /// True if the model contains generated sources or resources, which depend on other files than build files.
    pub(super) has_generated_files: bool,
    /// Note for the user if the build tool failed and the model is that of similar build files.
    pub(super) borrowed_model: Option<String>,
}

impl ParsedBuild {
    /// Returns the build in a folder of a tree, with paths relative to the tree, and a note on the folder.
    pub(super) fn below(self, folder: &Path, note: Option<&String>) -> Self {
        let notes = note.into_iter().chain(&self.notes).cloned().collect();
        if folder.as_os_str().is_empty() {
            return Self { notes, ..self };
        }
        let modules = self.modules.into_iter().map(|module| module.below(folder));
        Self { modules: modules.collect(), notes, ..self }
    }
}
