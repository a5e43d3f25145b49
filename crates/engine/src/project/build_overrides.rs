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
    /// Libraries of class paths.
    pub libraries: PathOverrides,
    /// Libraries of the paths of annotation processors.
    pub processors: PathOverrides,
    /// Versions of plugins, by `group:artifact`.
    pub plugins: BTreeMap<String, String>,
    /// Language levels of modules.
    pub levels: Vec<LevelOverride>,
}

/// Changes of the files of paths.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PathOverrides {
    /// New files by the file of the build, which is removed if there is none.
    pub replacements: BTreeMap<PathBuf, Option<PathBuf>>,
    /// Files at the end of each path.
    pub additions: Vec<PathBuf>,
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

    /// Returns a path of annotation processors with the changes. A library that is also on the class path changes on both.
    pub(super) fn apply_to_processors(&self, path: Vec<PathBuf>) -> Vec<PathBuf> {
        let Self { libraries, processors, .. } = self;
        let replacement = |file: &PathBuf| {
            processors.replacements.get(file).or_else(|| libraries.replacements.get(file))
        };
        replace_files(path, replacement, &processors.additions)
    }
}

impl PathOverrides {
    /// Returns a path of the build with the changes.
    pub(super) fn apply_to(&self, path: Vec<PathBuf>) -> Vec<PathBuf> {
        replace_files(path, |file| self.replacements.get(file), &self.additions)
    }
}

fn replace_files<'a>(
    path: Vec<PathBuf>,
    replacement: impl Fn(&PathBuf) -> Option<&'a Option<PathBuf>>,
    additions: &[PathBuf],
) -> Vec<PathBuf> {
    let replace = |file: PathBuf| replacement(&file).map_or(Some(file.clone()), Clone::clone);
    unique(path.into_iter().filter_map(replace).chain(additions.iter().cloned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_are_replaced_removed_and_added() {
        let tree = tempfile::tempdir().unwrap();
        let path = PathBuf::from;
        let class_path = || ["a1", "b1", "c"].map(path).to_vec();
        let unchanged = BuildOverrides::read(tree.path());
        assert_eq!(unchanged.libraries.apply_to(class_path()), class_path());
        let libraries = PathOverrides {
            replacements: [(path("a1"), Some(path("a2"))), (path("b1"), None)].into(),
            additions: vec![path("d")],
        };
        let processors = PathOverrides {
            replacements: [(path("c"), Some(path("c2")))].into(),
            additions: vec![path("e")],
        };
        let replaced = BuildOverrides { libraries, processors, ..BuildOverrides::default() };
        let json = serde_json::to_string(&replaced).unwrap();
        std::fs::write(tree.path().join(BUILD_OVERRIDES_FILE), json).unwrap();
        let replaced = BuildOverrides::read(tree.path());
        assert_eq!(replaced.libraries.apply_to(class_path()), ["a2", "c", "d"].map(path));
        assert_eq!(replaced.apply_to_processors(class_path()), ["a2", "c2", "e"].map(path));
    }
}
