//! Test impact analysis: finds the test classes affected by a change, by the identifiers in sources.

mod dependency_graph;
mod identifiers;

use super::project::is_build_file;
use super::{Project, TestClass};
use crate::select::outline::Outline;
use crate::select::selection::find_all_tests;
use crate::test_impact::dependency_graph::DependencyGraph;
use crate::test_impact::identifiers::FileIdentifiers;
use mend_model::{FileChange, FileState, RepoPath};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Affected test classes, the nearest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AffectedTests {
    /// Affected classes, the nearest first.
    pub tests: Vec<TestClass>,
    /// Total number of test classes.
    pub total_tests: usize,
}

/// Returns true if a file with this path may affect tests.
pub fn can_affect_tests(change: &FileChange) -> bool {
    let is_relevant = |path: &RepoPath| {
        let path = String::from_utf8_lossy(path.as_bytes());
        let is_source_folder = |part: &str| ["src", "test", "tests", "resources"].contains(&part);
        path.ends_with(".java") || is_build_file(&path) || path.split('/').any(is_source_folder)
    };
    change.old.iter().chain(&change.new).any(|(path, _)| is_relevant(path))
}

/// Finds the test classes of a tree affected by a change. A change outside sources affects all of
/// them.
pub fn find_affected_tests(
    project: &Project,
    tree: &Path,
    changes: &[FileChange],
) -> AffectedTests {
    let tests = find_all_tests(project, tree);
    let change = ChangedSources::from_changes(project, changes);
    let files = [project.main_files(tree), project.test_files(tree)].concat();
    let files: Vec<PathBuf> = files.into_iter().collect::<BTreeSet<_>>().into_iter().collect();
    let parse_file =
        |file: &PathBuf| FileIdentifiers::parse(&std::fs::read(file).unwrap_or_default());
    let sources: Vec<FileIdentifiers> = files.iter().map(parse_file).collect();
    let index_of = |path: &PathBuf| files.binary_search(&tree.join(path)).ok();
    let changed: Vec<usize> = change.files.iter().filter_map(index_of).collect();
    let distances = DependencyGraph::new(&sources).distances(&changed, &change.removed_types);
    let total_tests = tests.len();
    let mut ranked: Vec<(TestRank, TestClass)> = Vec::new();
    for test in tests {
        let index = index_of(&test.source);
        let distance = index.and_then(|index| distances[index]);
        if distance.is_some() || change.is_global {
            let identifiers = index.map(|index| &sources[index]);
            ranked.push((change.rank(&test, distance, identifiers), test));
        }
    }
    ranked.sort_by(|a, b| a.0.cmp(&b.0));
    AffectedTests { tests: ranked.into_iter().map(|(_, test)| test).collect(), total_tests }
}

/// Rank of a test; lower ranks run first. In order: true for an integration test, distance to the change, true if no
/// changed method is named, true if the test is not named after a changed type, and the name.
type TestRank = (bool, usize, bool, bool, String);

/// Changed sources, types and methods.
#[derive(Debug, Default)]
struct ChangedSources {
    /// Changed or added sources.
    files: Vec<PathBuf>,
    /// Types whose files were removed.
    removed_types: Vec<String>,
    /// Simple names of changed methods.
    methods: BTreeSet<String>,
    /// True if a changed file, such as a build file or resource, may affect any test.
    is_global: bool,
}

impl ChangedSources {
    fn from_changes(project: &Project, changes: &[FileChange]) -> Self {
        let mut changed = Self::default();
        for change in changes {
            for (path, _) in change.old.iter().chain(&change.new) {
                changed.is_global |= is_global_input(project, path);
            }
            let is_source_side = |side: &&(RepoPath, FileState)| is_source(project, &side.0);
            let [old, new] =
                [&change.old, &change.new].map(|side| side.as_ref().filter(is_source_side));
            changed.add_change(old, new);
        }
        changed
    }

    fn add_change(
        &mut self,
        old: Option<&(RepoPath, FileState)>,
        new: Option<&(RepoPath, FileState)>,
    ) {
        let type_name = |path: &RepoPath| {
            path.to_fs_path().file_stem().map(|stem| stem.to_string_lossy().into_owned())
        };
        self.files.extend(new.map(|(path, _)| path.to_fs_path()));
        let is_kept =
            |path: &RepoPath| new.is_some_and(|(other, _)| type_name(other) == type_name(path));
        let removed = old.filter(|(path, _)| !is_kept(path));
        self.removed_types.extend(removed.and_then(|(path, _)| type_name(path)));
        if let (Some((_, old)), Some((_, new))) = (old, new) {
            let changed_code = Outline::parse(&old.content).diff(&Outline::parse(&new.content));
            let simple_name =
                |name: &String| name.rsplit('#').next().unwrap_or_default().to_owned();
            self.methods.extend(changed_code.methods.iter().map(simple_name));
        }
    }

    fn rank(
        &self,
        test: &TestClass,
        distance: Option<usize>,
        identifiers: Option<&FileIdentifiers>,
    ) -> TestRank {
        let is_named = |method: &String| {
            identifiers
                .is_some_and(|source_identifiers| source_identifiers.identifiers.contains(method))
        };
        let simple_name = test.name.rsplit('.').next().unwrap_or_default();
        let stems = self.files.iter().filter_map(|file| file.file_stem());
        let is_named_after =
            stems.map(|stem| stem.to_string_lossy()).any(|stem| simple_name.contains(&*stem));
        let names_method = self.methods.iter().any(is_named);
        let is_integration_test = ["IT", "ITCase"].iter().any(|end| simple_name.ends_with(end));
        (
            is_integration_test,
            distance.unwrap_or(usize::MAX),
            !names_method,
            !is_named_after,
            test.name.clone(),
        )
    }
}

fn is_source(project: &Project, path: &RepoPath) -> bool {
    let mut roots = project.main_roots.iter().chain(&project.test_roots);
    path.is_java() && roots.any(|root| path.to_fs_path().starts_with(root))
}

/// Returns true if the file may affect any test.
fn is_global_input(project: &Project, path: &RepoPath) -> bool {
    let file = path.to_fs_path();
    let name = String::from_utf8_lossy(path.as_bytes());
    let roots = [
        &project.resource_roots,
        &project.test_resource_roots,
        &project.main_roots,
        &project.test_roots,
    ];
    // The root of a project also contains documents.
    let is_below_root = |root: &PathBuf| !root.as_os_str().is_empty() && file.starts_with(root);
    let is_resource = !path.is_java() && roots.into_iter().flatten().any(is_below_root);
    is_build_file(&name) || name.ends_with("module-info.java") || is_resource
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Jdk, ProjectOptions};

    const CART: &str =
        "package a; public class Cart { int total() { return 1; } int size() { return 2; } }";

    fn create_tree() -> tempfile::TempDir {
        let tree = tempfile::tempdir().unwrap();
        let test = |name: &str, body: &str| {
            format!(
                "package a; import org.junit.Test; public class {name} {{ @Test public void t() {{ {body} }} }}"
            )
        };
        for (file, text) in [
            ("src/main/java/a/Cart.java", CART.to_owned()),
            ("src/main/java/a/Shop.java", "package a; class Shop { Cart cart; }".to_owned()),
            ("src/test/java/a/SizeTest.java", test("SizeTest", "new Cart().size();")),
            ("src/test/java/a/CartTest.java", test("CartTest", "new Cart();")),
            ("src/test/java/a/TotalTest.java", test("TotalTest", "new Cart().total();")),
            ("src/test/java/a/ShopTest.java", test("ShopTest", "new Shop();")),
            ("src/test/java/a/FarTest.java", test("FarTest", "")),
            ("src/test/java/a/CartIT.java", test("CartIT", "new Cart().total();")),
        ] {
            let path = tree.path().join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        tree
    }

    fn change(path: &str, old: Option<&str>, new: Option<&str>) -> FileChange {
        let file_side = |text: Option<&str>| {
            text.map(|text| (path.into(), FileState::regular(text.as_bytes())))
        };
        FileChange { old: file_side(old), new: file_side(new) }
    }

    fn affected_test_names(change: FileChange) -> String {
        let tree = create_tree();
        let jdk = Jdk { home: "/jdk".into(), version: 17, full_version: "17".into() };
        let project = Project::read_files(tree.path(), &ProjectOptions::default(), &jdk).unwrap();
        let affected = find_affected_tests(&project, tree.path(), &[change]);
        assert_eq!(affected.total_tests, 6);
        affected.tests.iter().map(|test| test.name[2..].to_owned()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn tests_naming_the_changed_method_come_first() {
        let old = CART.replace("return 1", "return 3");
        let cart = change("src/main/java/a/Cart.java", Some(&old), Some(CART));
        assert_eq!(affected_test_names(cart), "TotalTest CartTest SizeTest ShopTest CartIT");
    }

    #[test]
    fn changed_test_affects_itself() {
        let far = change("src/test/java/a/FarTest.java", None, Some(""));
        assert_eq!(affected_test_names(far), "FarTest");
    }

    #[test]
    fn changed_resource_or_build_file_affects_all_tests() {
        let all = "CartTest FarTest ShopTest SizeTest TotalTest CartIT";
        assert_eq!(affected_test_names(change("src/main/java/a/list.txt", None, Some("x"))), all);
        assert_eq!(affected_test_names(change("pom.xml", None, Some("x"))), all);
        assert_eq!(affected_test_names(change("docs/Cart.java", None, Some("x"))), "");
    }

    #[test]
    fn documentation_does_not_affect_tests() {
        for (path, matters) in [
            ("README.md", false),
            ("docs/guide.adoc", false),
            ("examples/A.java", true),
            ("pom.xml", true),
            ("core/build.gradle.kts", true),
            ("src/main/resources/x.properties", true),
        ] {
            assert_eq!(can_affect_tests(&change(path, None, Some("x"))), matters, "{path}");
        }
    }
}
