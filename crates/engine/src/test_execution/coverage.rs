//! Method coverage of test classes.

use crate::select::outline::{ChangedCode, Outline};
use crate::test_execution::replacement_classes::SWAPPED_CLASSES;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use walkdir::WalkDir;

/// The methods that the tests of one version enter, and the sources of that version. It helps to find an order of
/// tests, and says nothing about which of them are needed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Coverage {
    /// The test classes.
    tests: Vec<String>,
    /// Indices of the test classes that execute a method, by `pkg.Class#method`.
    entered: BTreeMap<String, BTreeSet<usize>>,
    /// Outline of each source, by path in the tree.
    outlines: BTreeMap<String, Outline>,
}

/// A test class, and the methods that it enters.
pub(crate) type ClassCoverage = (String, Vec<String>);

impl Coverage {
    pub(crate) fn new(covered: Vec<ClassCoverage>, outlines: BTreeMap<String, Outline>) -> Self {
        let mut coverage = Self { outlines, ..Self::default() };
        for (test, methods) in covered {
            let known = coverage.tests.iter().position(|known| *known == test);
            let place = known.unwrap_or_else(|| {
                coverage.tests.push(test);
                coverage.tests.len() - 1
            });
            for method in methods {
                coverage.entered.entry(method).or_default().insert(place);
            }
        }
        coverage
    }

    /// Returns the number of executed methods.
    pub fn methods(&self) -> usize {
        self.entered.len()
    }

    /// Returns the test classes that execute methods changed by a variant; `files` are the main
    /// sources in its tree.
    pub(crate) fn concerned(&self, tree: &Path, files: &[PathBuf]) -> BTreeSet<String> {
        let mut gone: BTreeSet<&String> = self.outlines.keys().collect();
        let mut tests = self.entering(&swapped(tree));
        for file in files {
            let below = Self::name_of(file, tree);
            gone.remove(&below);
            let text = std::fs::read(file).unwrap_or_default();
            let known = self.outlines.get(&below).filter(|outline| !outline.is_of(&text));
            let changed = known.map(|outline| outline.changed(&Outline::parse(&text)));
            tests.extend(changed.into_iter().flat_map(|changed| self.entering(&changed)));
        }
        let gone = gone.into_iter().filter_map(|file| self.outlines.get(file));
        tests.extend(gone.flat_map(|outline| self.entering(&outline.all_types())));
        tests
    }

    /// Returns the key of a main source: its path relative to the tree.
    pub(crate) fn name_of(file: &Path, tree: &Path) -> String {
        file.strip_prefix(tree).unwrap_or(file).to_string_lossy().into_owned()
    }

    fn entering(&self, changed: &ChangedCode) -> BTreeSet<String> {
        let methods = changed.methods.iter().filter_map(|method| self.entered.get(method));
        let inside = |start: String| {
            let from_there = self.entered.range(start.clone()..);
            from_there
                .take_while(move |(method, _)| method.starts_with(&start))
                .map(|(_, tests)| tests)
        };
        let starts =
            changed.types.iter().flat_map(|name| ['#', '$'].map(|end| format!("{name}{end}")));
        let places: BTreeSet<&usize> = methods.chain(starts.flat_map(inside)).flatten().collect();
        places.into_iter().filter_map(|place| self.tests.get(*place).cloned()).collect()
    }
}

/// The types whose classes a tree replaces.
fn swapped(tree: &Path) -> ChangedCode {
    let folder = tree.join(SWAPPED_CLASSES);
    let files = WalkDir::new(&folder).into_iter().flatten();
    let types = files.filter_map(|entry| {
        let below = entry.path().strip_prefix(&folder).ok()?.with_extension("");
        entry.file_type().is_file().then(|| below.to_string_lossy().replace('/', "."))
    });
    ChangedCode { methods: BTreeSet::new(), types: types.collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(sum: &str, other: &str) -> String {
        format!("package a; class B {{ int sum() {{ {sum} }} void other() {{ {other} }} }}")
    }

    #[test]
    fn tests_are_concerned_by_what_they_enter() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        let covered = [
            ("t.Sum", vec!["a.B#<init>", "a.B#sum"]),
            ("t.Other", vec!["a.B#<init>", "a.B#other", "a.B$1#run"]),
            ("t.Far", vec!["a.Bx#far"]),
        ];
        let owned = |(test, methods): (&str, Vec<&str>)| {
            (test.to_owned(), methods.into_iter().map(str::to_owned).collect())
        };
        let outlines = [("B.java", text("", "")), ("Bx.java", "package a; class Bx {}".to_owned())]
            .map(|(file, text)| (file.into(), Outline::parse(text.as_bytes())));
        let coverage = Coverage::new(covered.map(owned).to_vec(), outlines.into());
        std::fs::write(at("Bx.java"), "package a; class Bx {}").unwrap();
        let concerned = |text: &str| {
            std::fs::write(at("B.java"), text).unwrap();
            let tests = coverage.concerned(dir.path(), &[at("B.java"), at("Bx.java")]);
            tests.into_iter().collect::<Vec<_>>().join(" ")
        };
        assert_eq!(concerned(&text("", "")), "");
        assert_eq!(concerned(&text("return;", "")), "t.Sum");
        assert_eq!(concerned(&text("", "return;")), "t.Other");
        assert_eq!(
            concerned(&text("", "").replace("class B {", "class B { int x;")),
            "t.Other t.Sum"
        );
        std::fs::create_dir_all(at(SWAPPED_CLASSES).join("a")).unwrap();
        std::fs::write(at(SWAPPED_CLASSES).join("a/Bx.class"), "").unwrap();
        assert_eq!(concerned(&text("", "")), "t.Far");
        let tests = coverage.concerned(dir.path(), &[at("Bx.java")]);
        assert_eq!(tests.len(), 3);
    }
}
