//! Source files that may contain selected tests, by their names.

use super::module::find_java_files;
use crate::select::wildcard::Wildcard;
use mend_model::Selector;
use std::path::{Path, PathBuf};

/// Returns the Java files below a folder that may contain a selected test, relative to the folder.
pub fn find_selected_sources(folder: &Path, tests: &[Selector]) -> Vec<PathBuf> {
    if tests.is_empty() {
        return Vec::new();
    }
    let names: Vec<Wildcard> = tests.iter().flat_map(file_names).collect();
    let files = find_java_files(folder, &[]).into_iter();
    let relative = files.filter_map(|file| file.strip_prefix(folder).ok().map(Path::to_owned));
    relative.filter(|file| has_any_name(file, &names)).collect()
}

/// Returns the names that the file of a class may have: its own, and those of the classes around it.
fn file_names(selector: &Selector) -> Vec<Wildcard> {
    let class = selector.class.split('$').next().unwrap_or_default();
    if selector.is_glob() {
        return vec![Wildcard::new(class)];
    }
    std::iter::successors(Some(class), |class| outer_class(class)).map(Wildcard::new).collect()
}

/// Returns the qualified name of the class around another one, whose parts are separated by dots.
fn outer_class(class: &str) -> Option<&str> {
    let (outer, _) = class.rsplit_once('.')?;
    let name = outer.rsplit('.').next().unwrap_or(outer);
    name.starts_with(char::is_uppercase).then_some(outer)
}

/// Returns true if the path ends with the path of a class with one of the names.
fn has_any_name(file: &Path, names: &[Wildcard]) -> bool {
    let class = file.with_extension("").to_string_lossy().replace('/', ".");
    let starts = class.match_indices('.').map(|(dot, _)| dot + 1);
    let mut candidates = std::iter::once(0).chain(starts).map(|start| &class[start..]);
    candidates.any(|name| names.iter().any(|one| one.matches(name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_found_by_the_name_of_the_class() {
        let folder = tempfile::tempdir().unwrap();
        let test = "app/src/test/java/a/b/CTest.java";
        for file in [test, "app/src/test/java/a/b/DTest.java", "app/src/test/java/a/CTests.java"] {
            let path = folder.path().join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "").unwrap();
        }
        for selector in ["a.b.CTest", "CTest#m", "a.b.CTest$Inner", "a.b.CTest.A.B", "a.*.C?est"] {
            let selectors = [selector.parse().unwrap()];
            let found = find_selected_sources(folder.path(), &selectors);
            assert_eq!(found, [PathBuf::from(test)], "{selector}");
        }
        assert!(find_selected_sources(folder.path(), &[]).is_empty());
    }
}
