//! Test sources from which the members are removed that a version cannot compile.

use crate::reduced_tests::error_location::ErrorLocation;
use crate::reduced_tests::required_code::{RequiredClass, RequiredCode};
use crate::reduced_tests::source_index::SourceIndex;
use crate::reduced_tests::test_file::{DeclarationKind, TestFile};
use mend_model::{Problem, Result};
use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

/// Folder of reduced test sources below the output folder of their classes.
pub(crate) const REDUCED_SOURCES_FOLDER: &str = "reduced-sources";

/// Test sources of a tree, without what was removed so far.
pub(crate) struct ReducedSources<'a> {
    tree: &'a Path,
    roots: &'a [PathBuf],
    /// The files to compile, relative to the tree.
    tests: Vec<PathBuf>,
    index: SourceIndex<'a>,
    required: RequiredCode,
    removed: BTreeMap<PathBuf, BTreeSet<usize>>,
}

/// Reduced sources in a folder.
pub(crate) struct WrittenSources {
    /// The files to compile.
    pub(crate) files: Vec<PathBuf>,
    /// The test folders.
    pub(crate) roots: Vec<PathBuf>,
}

impl<'a> ReducedSources<'a> {
    /// Starts with all test sources of a tree. The test folders and the files to compile are relative to it.
    pub(crate) fn new(
        tree: &'a Path,
        roots: &'a [PathBuf],
        tests: Vec<PathBuf>,
        classes: &[RequiredClass],
    ) -> Self {
        let index = SourceIndex::new(tree, roots, &tests);
        let required = RequiredCode::find(&index, classes);
        Self { tree, roots, tests, index, required, removed: BTreeMap::new() }
    }

    /// Removes the declarations with errors of one compilation.
    ///
    /// # Errors
    /// The messages of errors in code that the selected tests need.
    pub(crate) fn remove(&mut self, errors: &[ErrorLocation]) -> Result<(), String> {
        let mut unremovable = String::new();
        let mut removable = Vec::new();
        for error in errors {
            match self.removable_declaration(error) {
                Some(place) => removable.push(place),
                None => unremovable.push_str(&error.message),
            }
        }
        for (path, at) in removable {
            self.removed.entry(path).or_default().insert(at);
        }
        if unremovable.is_empty() { Ok(()) } else { Err(unremovable) }
    }

    /// Returns the outermost declaration at an error that the selected tests do not need.
    fn removable_declaration(&self, error: &ErrorLocation) -> Option<(PathBuf, usize)> {
        let (path, byte) = self.locate(error)?;
        let (path, file) = (path.as_path(), self.index.file(&path)?);
        let at = file.declarations_at(byte).find(|at| !self.required.contains(path, *at))?;
        // What was removed before has no errors: the position is wrong.
        let is_removed = self.removed.get(path).is_some_and(|removed| removed.contains(&at));
        (!is_removed).then(|| (path.to_owned(), at))
    }

    /// Returns the file of an error, and its byte offset there.
    fn locate(&self, error: &ErrorLocation) -> Option<(PathBuf, usize)> {
        let path = error.file.strip_prefix(self.tree).unwrap_or(&error.file);
        let named = self.index.file(path)?;
        let offset_in = |path: &PathBuf| {
            let file = self.index.file(path)?;
            Some((path.clone(), error.byte_offset_in_other(&named.text, &file.text)?))
        };
        let mut others = error.is_misplaced(&named.text).then(|| self.index.read_paths());
        let other = others.iter_mut().flatten().find_map(|path| offset_in(path));
        other.or_else(|| Some((path.to_owned(), error.byte_offset(&named.text)?)))
    }

    /// Writes all sources to a folder, at their paths in the tree. Lines keep their numbers.
    pub(crate) fn write(&self, folder: &Path) -> Result<WrittenSources> {
        if folder.is_dir() {
            std::fs::remove_dir_all(folder).map_err(|error| Problem::io(error, folder))?;
        }
        for path in self.index.paths().filter(|path| !self.is_file_removed(path)) {
            let target = folder.join(path);
            let parent = target.parent().unwrap_or(folder);
            let written =
                std::fs::create_dir_all(parent).and_then(|()| match self.reduced_text(path) {
                    Some(text) => std::fs::write(&target, text),
                    None => symlink(self.tree.join(path), &target),
                });
            written.map_err(|error| Problem::io(error, &target))?;
        }
        let files = self.tests.iter().filter(|path| !self.is_file_removed(path));
        Ok(WrittenSources {
            files: files.map(|path| folder.join(path)).collect(),
            roots: self.roots.iter().map(|root| folder.join(root)).collect(),
        })
    }

    /// Returns the text of a file without what was removed; `None` if that is nothing.
    fn reduced_text(&self, path: &Path) -> Option<Vec<u8>> {
        let removed = self.removed.get(path)?;
        let file = self.index.file(path)?;
        let mut text = file.text.clone();
        for at in removed {
            for byte in &mut text[file.declarations[*at].bytes.clone()] {
                if !matches!(*byte, b'\n' | b'\r') {
                    *byte = b' ';
                }
            }
        }
        Some(text)
    }

    /// Returns true if all types of a file were removed.
    fn is_file_removed(&self, path: &Path) -> bool {
        let (Some(removed), Some(file)) = (self.removed.get(path), self.index.file(path)) else {
            return false;
        };
        file.types().all(|(at, _)| file.declarations[at].parent.is_some() || removed.contains(&at))
    }

    /// Returns true if a type of a file was removed, alone or with the type around it.
    pub(crate) fn is_type_removed(&self, path: &Path, class: &str) -> bool {
        let (Some(removed), Some(file)) = (self.removed.get(path), self.index.file(path)) else {
            return false;
        };
        let is_in_class = |name: &str| {
            class.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('$'))
        };
        removed
            .iter()
            .any(|at| file.type_header(*at).is_some() && is_in_class(&file.full_name(*at)))
    }

    /// Returns the full names of the members and classes that were removed from the files to compile.
    pub(crate) fn left_out(&self) -> BTreeSet<String> {
        let mut names = BTreeSet::new();
        for path in &self.tests {
            let (Some(removed), Some(file)) = (self.removed.get(path), self.index.file(path))
            else {
                continue;
            };
            let is_named = |at: &usize| is_member_or_type(&file, *at);
            names.extend(removed.iter().copied().filter(is_named).map(|at| file.full_name(at)));
        }
        names
    }
}

fn is_member_or_type(file: &TestFile, declaration: usize) -> bool {
    !matches!(file.declarations[declaration].kind, DeclarationKind::Import)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    const TEST: &str = "package p;\nimport x.Gone;\n\nclass T {\n    @Test void t() {}\n    @Test void u() {\n        \
        new Gone();\n    }\n    class In { Gone gone; }\n}\n";

    fn error(file: &str, line: usize) -> ErrorLocation {
        ErrorLocation::parse_all(&format!("{file}:{line}: error: wrong\n")).remove(0)
    }

    #[test]
    fn removed_members_leave_their_lines_empty() {
        let tree = tempfile::tempdir().unwrap();
        fs::create_dir_all(tree.path().join("test/p")).unwrap();
        for (name, text) in
            [("T", TEST), ("Help", "package p;\nclass Help {}\n"), ("Bad", "class Bad {}")]
        {
            fs::write(tree.path().join(format!("test/p/{name}.java")), text).unwrap();
        }
        let test = PathBuf::from("test/p/T.java");
        let classes = [RequiredClass {
            name: "p.T".to_owned(),
            source: test.clone(),
            method: Some("t".to_owned()),
        }];
        let roots = ["test".into()];
        let mut sources = ReducedSources::new(tree.path(), &roots, vec![test.clone()], &classes);
        let errors = [2, 7, 9].map(|line| error("test/p/T.java", line));
        assert_eq!(sources.remove(&errors), Ok(()));
        assert_eq!(sources.remove(&[error("test/p/Bad.java", 1)]), Ok(()));
        let written = sources.write(&tree.path().join("out")).unwrap();
        assert_eq!(written.files, [tree.path().join("out/test/p/T.java")]);
        let text = fs::read_to_string(&written.files[0]).unwrap();
        let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
        let expected =
            ["package p;", "", "", "class T {", "    @Test void t() {}", "", "", "", "", "}"];
        assert_eq!(lines, expected);
        assert!(tree.path().join("out/test/p/Help.java").exists());
        assert!(!tree.path().join("out/test/p/Bad.java").exists());
        let names: Vec<_> = sources.left_out().into_iter().collect();
        assert_eq!(names, ["p.T#u", "p.T$In"]);
        assert!(sources.is_type_removed(&test, "p.T$In") && !sources.is_type_removed(&test, "p.T"));
    }

    #[test]
    fn errors_in_required_code_are_returned() {
        let tree = tempfile::tempdir().unwrap();
        fs::write(tree.path().join("T.java"), TEST).unwrap();
        let source = PathBuf::from("T.java");
        let (name, method) = ("p.T".to_owned(), Some("u".to_owned()));
        let classes = [RequiredClass { name, source: source.clone(), method }];
        let mut sources = ReducedSources::new(tree.path(), &[], vec![source], &classes);
        let errors = [("T.java", 2), ("T.java", 5), ("T.java", 7), ("Main.java", 1)];
        let errors = errors.map(|(file, line)| error(file, line));
        let message = "T.java:2: error: wrong\nT.java:7: error: wrong\nMain.java:1: error: wrong\n";
        assert_eq!(sources.remove(&errors), Err(message.to_owned()));
        // There is no progress with an error in what was removed.
        assert_eq!(sources.remove(&errors[1..2]), Err("T.java:5: error: wrong\n".to_owned()));
    }
}
