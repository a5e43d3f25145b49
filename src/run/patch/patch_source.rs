//! Forms of a patch before it is applied.

use std::path::{Path, PathBuf};

/// Form of a patch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PatchSource {
    Diff(PathBuf),
    Folder(PathBuf),
    /// Unreadable patch, with the reason.
    Unreadable(String),
}

/// Returns true if the file name is that of a diff.
pub(crate) fn is_diff(path: &Path) -> bool {
    path.extension().is_some_and(|end| end == "patch" || end == "diff")
}
