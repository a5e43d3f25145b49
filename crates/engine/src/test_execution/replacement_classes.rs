//! Compiled classes in a tree that stand in for those that its sources make.

use std::path::{Path, PathBuf};

/// The folder of a tree with classes that stand in for those that its sources make.
pub const SWAPPED_CLASSES: &str = ".git-mend-classes";

/// Returns the folder of such classes in a tree, if it has one.
pub(crate) fn swapped_classes(tree: &Path) -> Option<PathBuf> {
    Some(tree.join(SWAPPED_CLASSES)).filter(|folder| folder.is_dir())
}
