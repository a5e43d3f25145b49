//! Test classes that are needed only by their names: in string literals, such as those of `@MethodSource`, and in service
//! files. The compiler does not find them.

use regex::Regex;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// Start of a string literal that is the name of a class in a package, or of one of its members.
static CLASS_NAME_LITERAL: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r#""(\w+(?:\.\w+)+)"#).ok());

/// Folder of the files that name the implementations of services.
const SERVICES_FOLDER: &str = "META-INF/services";

/// Adds the test files whose classes the files or the service files name, and those that these name in turn.
pub(super) fn add_named_classes(
    mut files: Vec<PathBuf>,
    test_roots: &[PathBuf],
    resource_roots: &[PathBuf],
) -> Vec<PathBuf> {
    let mut known: BTreeSet<PathBuf> = files.iter().cloned().collect();
    let mut searched_names = BTreeSet::new();
    let named_by_services = resource_roots.iter().flat_map(|root| classes_in_service_files(root));
    let mut names: Vec<String> = named_by_services.collect();
    let mut read_count = 0;
    loop {
        names.retain(|name| searched_names.insert(name.clone()));
        let new = names.iter().filter_map(|name| find_source(name, test_roots));
        files.extend(new.filter(|file| known.insert(file.clone())));
        let Some(file) = files.get(read_count) else { return files };
        names = classes_in_literals(&read_text(file));
        read_count += 1;
    }
}

fn classes_in_literals(text: &str) -> Vec<String> {
    let literals = CLASS_NAME_LITERAL.iter().flat_map(|regex| regex.captures_iter(text));
    literals.map(|literal| literal[1].to_owned()).collect()
}

fn classes_in_service_files(resource_root: &Path) -> Vec<String> {
    let files = std::fs::read_dir(resource_root.join(SERVICES_FOLDER)).into_iter().flatten();
    let texts = files.flatten().map(|file| read_text(&file.path()));
    let without_comment = |line: &str| line.split('#').next().unwrap_or_default().trim().to_owned();
    let names = texts.flat_map(|text| text.lines().map(without_comment).collect::<Vec<_>>());
    names.filter(|name| !name.is_empty()).collect()
}

/// Reads a file of any encoding, because names of classes are usually ASCII. A missing one is empty.
fn read_text(file: &Path) -> String {
    String::from_utf8_lossy(&std::fs::read(file).unwrap_or_default()).into_owned()
}

/// Returns the source file of a class, or of the class that contains a member with this name.
fn find_source(name: &str, roots: &[PathBuf]) -> Option<PathBuf> {
    let top_level = name.split('$').next()?;
    let ends = top_level.match_indices('.').map(|(at, _)| at).chain([top_level.len()]);
    let paths: Vec<String> =
        ends.map(|end| format!("{}.java", top_level[..end].replace('.', "/"))).collect();
    let files = paths.iter().rev().flat_map(|path| roots.iter().map(move |root| root.join(path)));
    files.into_iter().find(|file| file.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the names of the test files that a selected file needs by name.
    fn named_classes<T: AsRef<[u8]>>(files: &[(&str, T)], selected: &str) -> Vec<String> {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let (tests, resources) = (folder.path().join("java"), folder.path().join("resources"));
        let roots = std::slice::from_ref(&tests);
        let all = add_named_classes(vec![tests.join(selected)], roots, &[resources]);
        let relative = all[1..].iter().map(|file| file.strip_prefix(&tests).unwrap());
        relative.map(|file| file.display().to_string()).collect()
    }

    #[test]
    fn class_of_a_method_source_is_needed() {
        let files = [
            ("java/p/ATest.java", r#"@MethodSource("p.Data#numbers") class ATest {}"#),
            ("java/p/Data.java", "class Data {}"),
            ("java/p/Other.java", "class Other {}"),
        ];
        assert_eq!(named_classes(&files, "p/ATest.java"), ["p/Data.java"]);
    }

    #[test]
    fn encoding_of_a_test_does_not_matter() {
        let files = [
            (
                "java/p/ATest.java",
                &b"/* \xfc */ @MethodSource(\"p.Data#numbers\") class ATest {}"[..],
            ),
            ("java/p/Data.java", b"class Data {}"),
        ];
        assert_eq!(named_classes(&files, "p/ATest.java"), ["p/Data.java"]);
    }

    #[test]
    fn names_are_followed_from_class_to_class() {
        let files = [
            ("java/p/ATest.java", r#"class ATest { Object o = Class.forName("p.q.B$Inner"); }"#),
            ("java/p/q/B.java", r#"class B { String other = "p.C.NAME"; }"#),
            ("java/p/C.java", r#"class C { String first = "p.ATest", none = "p.D"; }"#),
        ];
        assert_eq!(named_classes(&files, "p/ATest.java"), ["p/q/B.java", "p/C.java"]);
    }

    #[test]
    fn implementation_of_a_service_is_needed() {
        let files = [
            ("java/p/ATest.java", "class ATest {}"),
            ("java/p/Impl.java", "class Impl {}"),
            ("resources/META-INF/services/p.Service", "# comment\np.Impl # default\nq.Missing\n"),
        ];
        assert_eq!(named_classes(&files, "p/ATest.java"), ["p/Impl.java"]);
    }
}
