//! Libraries of a variant that replace those of its build.

use super::unique::unique;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// File of a variant that names its replaced libraries. It is part of no version and no patch.
pub const REPLACED_LIBRARIES_FILE: &str = ".git-mend-libraries.json";

/// Libraries of a variant that replace those of its build.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReplacedLibraries {
    /// New files by the file of the build, which is removed if there is none.
    pub replacements: BTreeMap<PathBuf, Option<PathBuf>>,
    /// Files at the end of each class path.
    pub additions: Vec<PathBuf>,
}

impl ReplacedLibraries {
    /// Reads the replaced libraries of a tree; none for a version of the project.
    pub(super) fn read(tree: &Path) -> Self {
        let json = std::fs::read(tree.join(REPLACED_LIBRARIES_FILE)).unwrap_or_default();
        serde_json::from_slice(&json).unwrap_or_default()
    }

    /// Returns a class path of the build with the replacements.
    pub(super) fn apply_to(&self, class_path: Vec<PathBuf>) -> Vec<PathBuf> {
        let replace = |library: PathBuf| match self.replacements.get(&library) {
            Some(replacement) => replacement.clone(),
            None => Some(library),
        };
        let replaced = class_path.into_iter().filter_map(replace);
        unique(replaced.chain(self.additions.iter().cloned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_are_replaced_removed_and_added() {
        let tree = tempfile::tempdir().unwrap();
        let path = PathBuf::from;
        let class_path = || ["a1", "b1", "c"].map(path).to_vec();
        assert_eq!(ReplacedLibraries::read(tree.path()).apply_to(class_path()), class_path());
        let replaced = ReplacedLibraries {
            replacements: [(path("a1"), Some(path("a2"))), (path("b1"), None)].into(),
            additions: vec![path("d")],
        };
        let json = serde_json::to_string(&replaced).unwrap();
        std::fs::write(tree.path().join(REPLACED_LIBRARIES_FILE), json).unwrap();
        let replaced = ReplacedLibraries::read(tree.path());
        assert_eq!(replaced.apply_to(class_path()), ["a2", "c", "d"].map(path));
    }
}
