//! Replacement classes: compiled classes in a tree that take precedence over those of its sources.

use std::path::{Path, PathBuf};

/// Folder of a tree with replacement classes.
pub const REPLACEMENT_CLASSES_FOLDER: &str = ".git-mend-classes";

/// Returns the folder of replacement classes in a tree, if it exists.
pub(crate) fn replacement_classes_dir(tree: &Path) -> Option<PathBuf> {
    Some(tree.join(REPLACEMENT_CLASSES_FOLDER)).filter(|folder| folder.is_dir())
}
