//! Test overlay: replaces the test code of every variant by that of bad, so that all variants run the same tests.

use mend_git::{ObjectStore, TreeEntry};
use mend_model::{FileState, Problem, RepoPath, Result, TreeId};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use walkdir::WalkDir;

/// Common names of test folders, for projects whose build names none.
const TEST_FOLDERS: [&str; 6] =
    ["test", "tests", "testFixtures", "integrationTest", "androidTest", "it"];

/// Rule and list that identify test code.
#[derive(Clone, Debug)]
pub(crate) struct TestCode {
    test_code_rule: TestCodeRule,
    /// Files that are test code regardless of the rule.
    files: BTreeSet<RepoPath>,
}

/// Rule that separates test code from other code.
#[derive(Clone, Debug)]
pub(crate) enum TestCodeRule {
    /// Files below one of these folders.
    Roots(Vec<RepoPath>),
    /// Files below a folder with a common name for tests.
    FolderNames,
    /// Only the files in the list.
    FilesOnly,
}

impl TestCode {
    pub(crate) fn new(rule: TestCodeRule, files: impl IntoIterator<Item = RepoPath>) -> Self {
        Self { test_code_rule: rule, files: files.into_iter().collect() }
    }

    pub(crate) fn contains(&self, path: &RepoPath) -> bool {
        self.files.contains(path)
            || match &self.test_code_rule {
                TestCodeRule::Roots(roots) => roots.iter().any(|root| path.is_under(root)),
                TestCodeRule::FolderNames => {
                    let parts: Vec<_> = path.components().collect();
                    let folders = &parts[..parts.len() - 1];
                    folders.iter().any(|part| TEST_FOLDERS.iter().any(|name| part == name))
                }
                TestCodeRule::FilesOnly => false,
            }
    }
}

/// Test code of bad, to apply to other trees.
pub(crate) struct TestOverlay {
    test_code: TestCode,
    entries: BTreeMap<RepoPath, TreeEntry>,
}

impl TestOverlay {
    /// Extracts the test code of a tree.
    pub(crate) fn from_tree(code: TestCode, source: &TreeId, store: &ObjectStore) -> Result<Self> {
        // All its files will be needed, and other trees may only name files that are there.
        store.complete_tree(source)?;
        let mut entries = store.read_tree(source)?;
        entries.retain(|path, _| code.contains(path));
        Ok(Self { test_code: code, entries })
    }

    /// Returns true if a file is test code.
    pub(crate) fn contains(&self, path: &RepoPath) -> bool {
        self.test_code.contains(path)
    }

    /// Returns true if a class is declared in test code. Nested classes belong to the outer one.
    pub(crate) fn declares_class(&self, class: &str) -> bool {
        let outer = class.split('$').next().unwrap_or_default();
        let file = format!("{}.java", outer.replace('.', "/"));
        let is_file = |path: &RepoPath| {
            let rest = path.as_bytes().strip_suffix(file.as_bytes());
            rest.is_some_and(|folder| folder.is_empty() || folder.ends_with(b"/"))
        };
        self.entries.keys().any(is_file)
    }

    /// Replaces all test code of a tree by that of the overlay.
    pub(crate) fn apply_to(&self, tree: &TreeId, store: &ObjectStore) -> Result<TreeId> {
        let entries_of_tree = store.read_tree(tree)?;
        let mut changes = BTreeMap::new();
        for path in entries_of_tree.keys() {
            if self.test_code.contains(path) && !self.entries.contains_key(path) {
                changes.insert(path, None);
            }
        }
        for (path, entry) in &self.entries {
            if entries_of_tree.get(path) != Some(entry) {
                changes.insert(path, Some(entry));
            }
        }
        store.replace_entries(tree, &changes)
    }
}

/// Reads a folder of tests, with paths below `root`.
pub(crate) fn read_test_folder(
    folder: &Path,
    root: &RepoPath,
) -> Result<BTreeMap<RepoPath, FileState>> {
    let mut files = BTreeMap::new();
    for entry in WalkDir::new(folder)
        .sort_by_file_name()
        .into_iter()
        .filter_entry(|e| e.file_name() != ".git")
    {
        let entry = entry.map_err(|error| Problem::Usage {
            message: format!("cannot read --test-source: {error}"),
            remedy: "pass a folder of Java sources with one folder per package".to_owned(),
        })?;
        if !entry.file_type().is_file() {
            continue;
        }
        let content =
            std::fs::read(entry.path()).map_err(|error| Problem::io(error, entry.path()))?;
        let relative_path = entry.path().strip_prefix(folder).unwrap_or(entry.path());
        files.insert(root.join(&to_repo_path(relative_path)), FileState::regular(content));
    }
    Ok(files)
}

/// Converts a relative path of the file system to a repository path.
pub(crate) fn to_repo_path(path: &Path) -> RepoPath {
    let parts: Vec<&[u8]> = path
        .components()
        .filter_map(|part| match part {
            std::path::Component::Normal(name) => Some(name.as_encoded_bytes()),
            _ => None,
        })
        .collect();
    RepoPath::new(parts.join(&b'/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_code_is_identified_by_folder() {
        let code = TestCode::new(TestCodeRule::FolderNames, []);
        assert!(code.contains(&"core/src/test/java/a/B.java".into()));
        assert!(!code.contains(&"src/main/java/test.java".into()));
        let code =
            TestCode::new(TestCodeRule::Roots(vec!["spec".into()]), ["src/BTest.java".into()]);
        assert!(code.contains(&"spec/a/B.java".into()) && code.contains(&"src/BTest.java".into()));
        assert!(!code.contains(&"src/test/java/B.java".into()));
    }

    #[test]
    fn overlay_changes_only_test_code() {
        let dir = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = dir.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        for (side, files) in [
            ("good", [("src/A", "1"), ("test/Same", "1"), ("test/Gone", "1")]),
            ("bad", [("src/A", "2"), ("test/Same", "2"), ("test/Came", "2")]),
        ] {
            for (name, text) in files {
                write(&format!("{side}/{name}"), text);
            }
        }
        let store = ObjectStore::create(&dir.path().join("store"), None).unwrap();
        let tree = |side: &str| store.import_folder(&dir.path().join(side)).unwrap();
        let overlay = TestOverlay::from_tree(
            TestCode::new(TestCodeRule::FolderNames, []),
            &tree("bad"),
            &store,
        )
        .unwrap();
        let overlaid = overlay.apply_to(&tree("good"), &store).unwrap();
        let content = |path: &str| {
            let file = store.read_file(&overlaid, &path.into()).unwrap();
            file.map(|file| String::from_utf8(file.content.to_vec()).unwrap())
        };
        let contents = ["src/A", "test/Same", "test/Came", "test/Gone"].map(content);
        assert_eq!(contents, [Some("1".into()), Some("2".into()), Some("2".into()), None]);
    }
}
