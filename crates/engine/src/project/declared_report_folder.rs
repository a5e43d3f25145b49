//! Folder of test reports in a build file.

use super::module::normalise_path;
use std::path::{Path, PathBuf};

/// Folder of test reports as a build file sets it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct DeclaredReportFolder {
    /// Folder of the module, absolute.
    pub(super) module: PathBuf,
    /// Path, absolute or relative to the module. It may contain placeholders that could not be resolved.
    pub(super) path: String,
}

impl DeclaredReportFolder {
    /// Returns the path relative to the module or the project; `None` if there is none.
    pub(super) fn relative_to(&self, root: &Path) -> Option<PathBuf> {
        if self.path.contains("${") || self.path.contains(char::is_control) {
            return None;
        }
        let folder = normalise_path(&self.module.join(&self.path));
        let relative_path =
            folder.strip_prefix(&self.module).or_else(|_| folder.strip_prefix(root)).ok()?;
        (!relative_path.as_os_str().is_empty()).then(|| relative_path.to_owned())
    }
}
