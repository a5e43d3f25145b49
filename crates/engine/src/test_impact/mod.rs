//! Test impact analysis: finds the affected test classes by the names in sources.

mod dependency_graph;
mod identifiers;

use super::project::is_build_file;
use super::{Project, TestClass};
use crate::select::outline::Outline;
use crate::select::selection::all_tests;
use crate::test_impact::dependency_graph::DependencyGraph;
use crate::test_impact::identifiers::FileIdentifiers;
use mend_model::{FileChange, FileState, RepoPath};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The affected test classes, the nearest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AffectedTests {
    /// The affected classes.
    pub tests: Vec<TestClass>,
    /// Total number of test classes.
    pub all: usize,
}

/// Returns true if a file with this path may affect tests.
pub fn may_matter(change: &FileChange) -> bool {
    let is_near = |path: &RepoPath| {
        let path = String::from_utf8_lossy(path.as_bytes());
        let is_source_folder = |part: &str| ["src", "test", "tests", "resources"].contains(&part);
        path.ends_with(".java") || is_build_file(&path) || path.split('/').any(is_source_folder)
    };
    change.old.iter().chain(&change.new).any(|(path, _)| is_near(path))
}

/// Finds the test classes of a tree affected by a change. A change outside sources affects all of
/// them.
pub fn reached(project: &Project, tree: &Path, changes: &[FileChange]) -> AffectedTests {
    let tests = all_tests(project, tree);
    let change = ChangedSources::from_changes(project, changes);
    let files = [project.main_files(tree), project.test_files(tree)].concat();
    let files: Vec<PathBuf> = files.into_iter().collect::<BTreeSet<_>>().into_iter().collect();
    let read = |file: &PathBuf| FileIdentifiers::parse(&std::fs::read(file).unwrap_or_default());
    let sources: Vec<FileIdentifiers> = files.iter().map(read).collect();
    let place = |path: &PathBuf| files.binary_search(&tree.join(path)).ok();
    let changed: Vec<usize> = change.files.iter().filter_map(place).collect();
    let steps = DependencyGraph::new(&sources).steps(&changed, &change.gone);
    let all = tests.len();
    let mut ranked: Vec<(TestRank, TestClass)> = Vec::new();
    for test in tests {
        let at = place(&test.source);
        let step = at.and_then(|at| steps[at]);
        if step.is_some() || change.is_everywhere {
            let words = at.map(|at| &sources[at]);
            ranked.push((change.rank(&test, step, words), test));
        }
    }
    ranked.sort_by(|a, b| a.0.cmp(&b.0));
    AffectedTests { tests: ranked.into_iter().map(|(_, test)| test).collect(), all }
}

/// The smaller, the nearer: whether it is an integration test, which build tools run apart because it takes long; steps
/// to the change, whether no changed method is named, whether the test is not named after a changed type, and the
/// test's name.
type TestRank = (bool, usize, bool, bool, String);

/// Changed sources, types and methods.
#[derive(Debug, Default)]
struct ChangedSources {
    /// Sources that differ and are there.
    files: Vec<PathBuf>,
    /// Types whose files are not there any more.
    gone: Vec<String>,
    /// Simple names of methods that differ.
    methods: BTreeSet<String>,
    /// True if a changed file, such as a build file or resource, may affect any test.
    is_everywhere: bool,
}

impl ChangedSources {
    fn from_changes(project: &Project, changes: &[FileChange]) -> Self {
        let mut changed = Self::default();
        for change in changes {
            for (path, _) in change.old.iter().chain(&change.new) {
                changed.is_everywhere |= is_for_all(project, path);
            }
            let is_source = |side: &&(RepoPath, FileState)| is_source(project, &side.0);
            let [old, new] = [&change.old, &change.new].map(|side| side.as_ref().filter(is_source));
            changed.add(old, new);
        }
        changed
    }

    fn add(&mut self, old: Option<&(RepoPath, FileState)>, new: Option<&(RepoPath, FileState)>) {
        let type_of = |path: &RepoPath| {
            path.to_fs_path().file_stem().map(|stem| stem.to_string_lossy().into_owned())
        };
        self.files.extend(new.map(|(path, _)| path.to_fs_path()));
        let stays = |path: &RepoPath| new.is_some_and(|(other, _)| type_of(other) == type_of(path));
        let gone = old.filter(|(path, _)| !stays(path));
        self.gone.extend(gone.and_then(|(path, _)| type_of(path)));
        if let (Some((_, old)), Some((_, new))) = (old, new) {
            let changed = Outline::parse(&old.content).changed(&Outline::parse(&new.content));
            let simple = |name: &String| name.rsplit('#').next().unwrap_or_default().to_owned();
            self.methods.extend(changed.methods.iter().map(simple));
        }
    }

    fn rank(
        &self,
        test: &TestClass,
        step: Option<usize>,
        words: Option<&FileIdentifiers>,
    ) -> TestRank {
        let names = |method: &String| words.is_some_and(|words| words.all.contains(method));
        let simple = test.name.rsplit('.').next().unwrap_or_default();
        let stems = self.files.iter().filter_map(|file| file.file_stem());
        let is_after = stems.map(|stem| stem.to_string_lossy()).any(|stem| simple.contains(&*stem));
        let names_method = self.methods.iter().any(names);
        let is_apart = ["IT", "ITCase"].iter().any(|end| simple.ends_with(end));
        (is_apart, step.unwrap_or(usize::MAX), !names_method, !is_after, test.name.clone())
    }
}

fn is_source(project: &Project, path: &RepoPath) -> bool {
    let mut roots = project.main_roots.iter().chain(&project.test_roots);
    path.is_java() && roots.any(|root| path.to_fs_path().starts_with(root))
}

/// Returns true if the file may affect any test.
fn is_for_all(project: &Project, path: &RepoPath) -> bool {
    let file = path.to_fs_path();
    let name = String::from_utf8_lossy(path.as_bytes());
    let roots = [
        &project.resource_roots,
        &project.test_resource_roots,
        &project.main_roots,
        &project.test_roots,
    ];
    // At the top of a project lie its papers too.
    let is_below = |root: &PathBuf| !root.as_os_str().is_empty() && file.starts_with(root);
    let is_resource = !path.is_java() && roots.into_iter().flatten().any(is_below);
    is_build_file(&name) || name.ends_with("module-info.java") || is_resource
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Jdk, ProjectOptions};

    const CART: &str =
        "package a; public class Cart { int total() { return 1; } int size() { return 2; } }";

    fn tree() -> tempfile::TempDir {
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
        let side = |text: Option<&str>| {
            text.map(|text| (path.into(), FileState::regular(text.as_bytes())))
        };
        FileChange { old: side(old), new: side(new) }
    }

    fn names(change: FileChange) -> String {
        let tree = tree();
        let jdk = Jdk { home: "/jdk".into(), version: 17, full: "17".into() };
        let project = Project::discover(tree.path(), &ProjectOptions::default(), &jdk).unwrap();
        let found = reached(&project, tree.path(), &[change]);
        assert_eq!(found.all, 6);
        found.tests.iter().map(|test| test.name[2..].to_owned()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn tests_that_name_the_changed_method_come_first_and_strangers_not_at_all() {
        let old = CART.replace("return 1", "return 3");
        let cart = change("src/main/java/a/Cart.java", Some(&old), Some(CART));
        assert_eq!(names(cart), "TotalTest CartTest SizeTest ShopTest CartIT");
    }

    #[test]
    fn a_test_that_changed_comes_upon_itself() {
        let far = change("src/test/java/a/FarTest.java", None, Some(""));
        assert_eq!(names(far), "FarTest");
    }

    #[test]
    fn what_is_no_source_may_concern_every_test() {
        let all = "CartTest FarTest ShopTest SizeTest TotalTest CartIT";
        assert_eq!(names(change("src/main/java/a/list.txt", None, Some("x"))), all);
        assert_eq!(names(change("pom.xml", None, Some("x"))), all);
        assert_eq!(names(change("docs/Cart.java", None, Some("x"))), "");
    }

    #[test]
    fn papers_make_no_difference_to_tests() {
        for (path, matters) in [
            ("README.md", false),
            ("docs/guide.adoc", false),
            ("examples/A.java", true),
            ("pom.xml", true),
            ("core/build.gradle.kts", true),
            ("src/main/resources/x.properties", true),
        ] {
            assert_eq!(may_matter(&change(path, None, Some("x"))), matters, "{path}");
        }
    }
}
