//! Method coverage of test classes, and the tests affected by a change.

use crate::select::outline::{ChangedCode, Outline};
use crate::test_execution::replacement_classes::REPLACEMENT_CLASSES_FOLDER;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use walkdir::WalkDir;

/// Methods that the tests of one version execute, and outlines of its sources. Coverage determines the order of tests,
/// not which of them are needed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Coverage {
    /// Test classes.
    tests: Vec<String>,
    /// Indices of the test classes that execute a method, by `pkg.Class#method`.
    entered: BTreeMap<String, BTreeSet<usize>>,
    /// Outline of each source, by path in the tree.
    outlines: BTreeMap<String, Outline>,
}

/// A test class, and the methods that it executes.
pub(crate) type ClassCoverage = (String, Vec<String>);

impl Coverage {
    pub(crate) fn new(covered: Vec<ClassCoverage>, outlines: BTreeMap<String, Outline>) -> Self {
        let mut coverage = Self { outlines, ..Self::default() };
        for (test, methods) in covered {
            let position = coverage.tests.iter().position(|known| *known == test);
            let index = position.unwrap_or_else(|| {
                coverage.tests.push(test);
                coverage.tests.len() - 1
            });
            for method in methods {
                coverage.entered.entry(method).or_default().insert(index);
            }
        }
        coverage
    }

    /// Returns the number of executed methods.
    pub fn method_count(&self) -> usize {
        self.entered.len()
    }

    /// Returns the test classes that execute methods changed by a variant; `files` are the main
    /// sources in its tree.
    pub(crate) fn affected_tests(&self, tree: &Path, files: &[PathBuf]) -> BTreeSet<String> {
        let mut removed_sources: BTreeSet<&String> = self.outlines.keys().collect();
        let mut tests = self.tests_entering(&replaced_types(tree));
        for file in files {
            let source_key = Self::source_key(file, tree);
            removed_sources.remove(&source_key);
            let text = std::fs::read(file).unwrap_or_default();
            let outdated =
                self.outlines.get(&source_key).filter(|outline| !outline.matches_text(&text));
            let changed = outdated.map(|outline| outline.diff(&Outline::parse(&text)));
            tests.extend(changed.into_iter().flat_map(|changed| self.tests_entering(&changed)));
        }
        let removed_sources =
            removed_sources.into_iter().filter_map(|file| self.outlines.get(file));
        tests.extend(removed_sources.flat_map(|outline| self.tests_entering(&outline.all_types())));
        tests
    }

    /// Returns the key of a main source: its path relative to the tree.
    pub(crate) fn source_key(file: &Path, tree: &Path) -> String {
        file.strip_prefix(tree).unwrap_or(file).to_string_lossy().into_owned()
    }

    fn tests_entering(&self, changed: &ChangedCode) -> BTreeSet<String> {
        let methods = changed.methods.iter().filter_map(|method| self.entered.get(method));
        let tests_with_prefix = |start: String| {
            let following = self.entered.range(start.clone()..);
            following
                .take_while(move |(method, _)| method.starts_with(&start))
                .map(|(_, tests)| tests)
        };
        let prefixes =
            changed.types.iter().flat_map(|name| ['#', '$'].map(|end| format!("{name}{end}")));
        let test_indices: BTreeSet<&usize> =
            methods.chain(prefixes.flat_map(tests_with_prefix)).flatten().collect();
        test_indices.into_iter().filter_map(|place| self.tests.get(*place).cloned()).collect()
    }
}

/// Returns the types whose classes a tree replaces.
fn replaced_types(tree: &Path) -> ChangedCode {
    let folder = tree.join(REPLACEMENT_CLASSES_FOLDER);
    let files = WalkDir::new(&folder).into_iter().flatten();
    let types = files.filter_map(|entry| {
        let relative_path = entry.path().strip_prefix(&folder).ok()?.with_extension("");
        entry.file_type().is_file().then(|| relative_path.to_string_lossy().replace('/', "."))
    });
    ChangedCode { methods: BTreeSet::new(), types: types.collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source_with_bodies(sum: &str, other: &str) -> String {
        format!("package a; class B {{ int sum() {{ {sum} }} void other() {{ {other} }} }}")
    }

    #[test]
    fn tests_are_affected_by_methods_they_enter() {
        let dir = tempfile::tempdir().unwrap();
        let path_of = |name: &str| dir.path().join(name);
        let covered = [
            ("t.Sum", vec!["a.B#<init>", "a.B#sum"]),
            ("t.Other", vec!["a.B#<init>", "a.B#other", "a.B$1#run"]),
            ("t.Far", vec!["a.Bx#far"]),
        ];
        let owned = |(test, methods): (&str, Vec<&str>)| {
            (test.to_owned(), methods.into_iter().map(str::to_owned).collect())
        };
        let outlines = [
            ("B.java", source_with_bodies("", "")),
            ("Bx.java", "package a; class Bx {}".to_owned()),
        ]
        .map(|(file, text)| (file.into(), Outline::parse(text.as_bytes())));
        let coverage = Coverage::new(covered.map(owned).to_vec(), outlines.into());
        std::fs::write(path_of("Bx.java"), "package a; class Bx {}").unwrap();
        let affected = |text: &str| {
            std::fs::write(path_of("B.java"), text).unwrap();
            let tests =
                coverage.affected_tests(dir.path(), &[path_of("B.java"), path_of("Bx.java")]);
            tests.into_iter().collect::<Vec<_>>().join(" ")
        };
        assert_eq!(affected(&source_with_bodies("", "")), "");
        assert_eq!(affected(&source_with_bodies("return;", "")), "t.Sum");
        assert_eq!(affected(&source_with_bodies("", "return;")), "t.Other");
        assert_eq!(
            affected(&source_with_bodies("", "").replace("class B {", "class B { int x;")),
            "t.Other t.Sum"
        );
        std::fs::create_dir_all(path_of(REPLACEMENT_CLASSES_FOLDER).join("a")).unwrap();
        std::fs::write(path_of(REPLACEMENT_CLASSES_FOLDER).join("a/Bx.class"), "").unwrap();
        assert_eq!(affected(&source_with_bodies("", "")), "t.Far");
        let tests = coverage.affected_tests(dir.path(), &[path_of("Bx.java")]);
        assert_eq!(tests.len(), 3);
    }
}
