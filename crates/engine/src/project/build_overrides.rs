//! Parts of a variant's build that replace those of its build files: libraries, versions of plugins, language levels.

use super::unique::unique;
use crate::jdk::source_level::SourceLevel;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// File of a variant with the replaced parts of its build. It is part of no version and no patch.
pub const BUILD_OVERRIDES_FILE: &str = ".git-mend-build.json";

/// Parts of a variant's build that replace those of its build files.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BuildOverrides {
    /// New files by the file of the build, which is removed if there is none.
    pub replacements: BTreeMap<PathBuf, Option<PathBuf>>,
    /// Files at the end of each class path.
    pub additions: Vec<PathBuf>,
    /// Versions of Maven plugins, by `group:artifact`.
    pub plugins: BTreeMap<String, String>,
    /// Language levels of modules.
    pub levels: Vec<LevelOverride>,
}

/// Language level of the sources of a module.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LevelOverride {
    /// The sources.
    pub module_sources: ModuleSources,
    /// The level.
    pub level: SourceLevel,
}

/// Main or test sources of a module, which can have a language level of their own.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ModuleSources {
    /// Name of the module.
    pub module: String,
    /// True for the test sources.
    pub is_for_tests: bool,
}

impl BuildOverrides {
    /// Reads the replaced parts of a tree; none for a version of the project.
    pub(super) fn read(tree: &Path) -> Self {
        let json = std::fs::read(tree.join(BUILD_OVERRIDES_FILE)).unwrap_or_default();
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
        assert_eq!(BuildOverrides::read(tree.path()).apply_to(class_path()), class_path());
        let replaced = BuildOverrides {
            replacements: [(path("a1"), Some(path("a2"))), (path("b1"), None)].into(),
            additions: vec![path("d")],
            ..BuildOverrides::default()
        };
        let json = serde_json::to_string(&replaced).unwrap();
        std::fs::write(tree.path().join(BUILD_OVERRIDES_FILE), json).unwrap();
        let replaced = BuildOverrides::read(tree.path());
        assert_eq!(replaced.apply_to(class_path()), ["a2", "c", "d"].map(path));
    }
}
