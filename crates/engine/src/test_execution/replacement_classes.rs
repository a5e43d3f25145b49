//! Compiled classes in a tree that stand in for those that its sources make.

use std::path::{Path, PathBuf};

/// The folder of a tree with classes that stand in for those that its sources make.
pub const REPLACEMENT_CLASSES_FOLDER: &str = ".git-mend-classes";

/// Returns the folder of such classes in a tree, if it has one.
pub(crate) fn replacement_classes_dir(tree: &Path) -> Option<PathBuf> {
    Some(tree.join(REPLACEMENT_CLASSES_FOLDER)).filter(|folder| folder.is_dir())
}
