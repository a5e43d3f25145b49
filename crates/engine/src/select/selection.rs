//! Selection of test classes by selectors.

use super::wildcard::Wildcard;
use crate::project::find_java_files;
use crate::select::declarations::{JavaSource, JavaType};
use crate::{Framework, Project};
use mend_model::{Problem, Result, Selector};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Maximum number of suggestions for an unknown name.
const MAX_SUGGESTIONS: usize = 3;

/// Tests that one selector selects.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Selection {
    /// Selected classes; at least one.
    pub classes: Vec<TestClass>,
    /// Method name or glob; `None` selects every test.
    pub method: Option<String>,
    /// Classes that do not compile are left out; otherwise the variant is not built then.
    pub is_optional: bool,
}

/// A test class.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TestClass {
    /// Fully qualified name, with `$` before nested names.
    pub name: String,
    /// Source file, relative to the tree.
    pub source: PathBuf,
    /// Test framework.
    pub framework: Framework,
}

/// Finds the selected tests among the sources of a tree: below the test roots, otherwise below the main roots.
///
/// # Errors
/// [`Problem::NoSuchTest`] if a selector matches nothing.
pub fn select_tests(
    project: &Project,
    tree: &Path,
    selectors: &[Selector],
) -> Result<Vec<Selection>> {
    let catalogue = TestCatalogue::new(project, tree);
    selectors.iter().map(|selector| catalogue.resolve_selector(selector)).collect()
}

/// Returns every test class of a tree. Among main sources, only classes that a framework runs count as tests.
pub(crate) fn find_all_tests(project: &Project, tree: &Path) -> Vec<TestClass> {
    let catalogue = TestCatalogue::new(project, tree);
    let any_class = Selector { class: "*".to_owned(), method: None };
    let tests = catalogue.find_matching(&any_class, &catalogue.tests);
    if !tests.is_empty() {
        return tests;
    }
    let mut main_tests = catalogue.find_matching(&any_class, &catalogue.main);
    main_tests.retain(|class| class.framework != Framework::Main);
    main_tests
}

/// Classes of a tree, by the fully qualified name of their file.
struct TestCatalogue<'a> {
    project: &'a Project,
    tree: &'a Path,
    tests: BTreeMap<String, PathBuf>,
    main: BTreeMap<String, PathBuf>,
}

impl<'a> TestCatalogue<'a> {
    fn new(project: &'a Project, tree: &'a Path) -> Self {
        let mut tests = BTreeMap::new();
        for root in &project.test_roots {
            add_files(&mut tests, tree, root, find_java_files(&tree.join(root), &[]));
        }
        let mut main = BTreeMap::new();
        let files = project.main_files(tree);
        for root in &project.main_roots {
            let root_files = files.iter().filter(|file| file.starts_with(tree.join(root)));
            add_files(&mut main, tree, root, root_files.cloned().collect());
        }
        Self { project, tree, tests, main }
    }

    fn resolve_selector(&self, selector: &Selector) -> Result<Selection> {
        let mut classes = Vec::new();
        for files in [&self.tests, &self.main] {
            if classes.is_empty() {
                classes = if selector.is_glob() {
                    self.find_matching(selector, files)
                } else {
                    self.find_exact(&add_package(selector, files), files)?.into_iter().collect()
                };
            }
        }
        if classes.is_empty() {
            let suggestions = self.suggest_classes(&selector.class);
            return Err(Problem::NoSuchTest { selector: selector.to_string(), near: suggestions });
        }
        Ok(Selection { classes, method: selector.method.clone(), is_optional: false })
    }

    fn find_exact(
        &self,
        selector: &Selector,
        files: &BTreeMap<String, PathBuf>,
    ) -> Result<Option<TestClass>> {
        let name = &selector.class;
        let outer = name.split('$').next().unwrap_or(name);
        let Some(file) = files.get(outer) else { return Ok(None) };
        let source = self.parse_source(file);
        let Some(java_type) = source.find_type(simple_name(name)) else { return Ok(None) };
        let framework = match self.detect_framework(&source, java_type, 0) {
            Some(framework) => framework,
            None if java_type.has_main_method() => Framework::Main,
            None => self.guess_framework(),
        };
        if let Some(method) = &selector.method {
            self.check_method(selector, method, &source, java_type, framework)?;
        }
        Ok(Some(TestClass { name: name.clone(), source: file.clone(), framework }))
    }

    fn find_matching(
        &self,
        selector: &Selector,
        files: &BTreeMap<String, PathBuf>,
    ) -> Vec<TestClass> {
        let pattern = Wildcard::new(&selector.class);
        let method = selector.method.as_deref().map(Wildcard::new);
        let has_nested = selector.class.contains('$');
        let outer = Wildcard::new(selector.class.split('$').next().unwrap_or_default());
        let mut classes = Vec::new();
        for (name, file) in files.iter().filter(|(name, _)| outer.matches(name)) {
            let source = self.parse_source(file);
            let package = name.strip_suffix(simple_name(name)).unwrap_or_default();
            for java_type in &source.types {
                let full_name = format!("{package}{}", java_type.name);
                let is_match = pattern.matches(&full_name)
                    && (has_nested || full_name == *name)
                    && !java_type.is_abstract;
                let framework = self.test_framework(&source, java_type).filter(|_| is_match);
                let framework = framework.filter(|_| has_method(java_type, method.as_ref()));
                classes.extend(framework.map(|framework| TestClass {
                    name: full_name,
                    source: file.clone(),
                    framework,
                }));
            }
        }
        // If there are other tests, a class with `main` is a helper program.
        if classes.iter().any(|class| class.framework != Framework::Main) {
            classes.retain(|class| class.framework != Framework::Main);
        }
        classes
    }

    /// Returns the framework of a class that looks like a test.
    fn test_framework(&self, source: &JavaSource, java_type: &JavaType) -> Option<Framework> {
        let nested_prefix = format!("{}$", java_type.name);
        let mut nested_types =
            source.types.iter().filter(|other| other.name.starts_with(&nested_prefix));
        let has_tests = java_type.can_have_tests() || nested_types.any(JavaType::can_have_tests);
        match self.detect_framework(source, java_type, 0) {
            Some(framework) if has_tests => Some(framework),
            None if java_type.has_main_method() => Some(Framework::Main),
            _ => None,
        }
    }

    /// Detects the framework of a class from its file, or from a superclass in the project.
    fn detect_framework(
        &self,
        source: &JavaSource,
        java_type: &JavaType,
        depth: u32,
    ) -> Option<Framework> {
        source.detect_framework().or_else(|| {
            let (file, parent) = self.find_superclass(source, java_type)?;
            let parent = file.find_type(simple_name(&parent))?;
            if depth > 16 { None } else { self.detect_framework(&file, parent, depth + 1) }
        })
    }

    fn find_superclass(
        &self,
        source: &JavaSource,
        java_type: &JavaType,
    ) -> Option<(JavaSource, String)> {
        let name = java_type.superclass.as_ref()?;
        let imported =
            source.imports.iter().find(|import| import.rsplit('.').next() == Some(name.as_str()));
        let same_package = if source.package.is_empty() {
            name.clone()
        } else {
            format!("{}.{name}", source.package)
        };
        let candidates = [imported.cloned(), Some(same_package), Some(name.clone())];
        candidates.into_iter().flatten().find_map(|full| {
            let file = self.tests.get(&full).or_else(|| self.main.get(&full))?;
            Some((self.parse_source(file), full))
        })
    }

    fn check_method(
        &self,
        selector: &Selector,
        method: &str,
        source: &JavaSource,
        java_type: &JavaType,
        framework: Framework,
    ) -> Result<()> {
        let base = method.split('[').next().unwrap_or(method);
        let pattern = Wildcard::new(base);
        let (mut names, is_complete) = self.method_names(source, java_type);
        if framework == Framework::Main {
            names = vec!["main".to_owned()];
        }
        if names.iter().any(|name| pattern.matches(name)) || !is_complete {
            return Ok(());
        }
        let suggestions = suggest_names(base, names.iter().map(String::as_str))
            .into_iter()
            .map(|name| format!("{}#{name}", selector.class))
            .collect();
        Err(Problem::NoSuchTest { selector: selector.to_string(), near: suggestions })
    }

    /// Returns the methods of a class, including inherited ones, and true if these are all: a superclass from a library
    /// may have more.
    fn method_names(&self, source: &JavaSource, java_type: &JavaType) -> (Vec<String>, bool) {
        let mut names: Vec<String> = Vec::new();
        let (mut source, mut java_type) = (source.clone(), java_type.clone());
        for _ in 0..16 {
            names.extend(java_type.methods.iter().map(|method| method.name.clone()));
            let Some(parent) = &java_type.superclass else { return (names, true) };
            if parent == "TestCase" || parent == "Object" {
                return (names, true);
            }
            let Some((file, name)) = self.find_superclass(&source, &java_type) else { break };
            let Some(parent_type) = file.find_type(simple_name(&name)).cloned() else { break };
            (source, java_type) = (file, parent_type);
        }
        (names, false)
    }

    fn guess_framework(&self) -> Framework {
        let has_library = |part: &str| {
            self.project.class_path.iter().any(|path| path.to_string_lossy().contains(part))
        };
        match (has_library("junit-jupiter"), has_library("junit"), has_library("testng")) {
            (false, true, _) => Framework::JUnit4,
            (false, false, true) => Framework::TestNg,
            _ => Framework::JUnitPlatform,
        }
    }

    fn suggest_classes(&self, class: &str) -> Vec<String> {
        let requested_name = simple_name(class);
        let files = if self.tests.is_empty() { &self.main } else { &self.tests };
        let same_simple_name: Vec<String> =
            files.keys().filter(|name| simple_name(name) == requested_name).cloned().collect();
        if same_simple_name.is_empty() {
            suggest_names(class, files.keys().map(String::as_str))
        } else {
            same_simple_name
        }
    }

    fn parse_source(&self, file: &Path) -> JavaSource {
        JavaSource::parse(&std::fs::read(self.tree.join(file)).unwrap_or_default())
    }
}

fn add_files(
    catalogue: &mut BTreeMap<String, PathBuf>,
    tree: &Path,
    root: &Path,
    files: Vec<PathBuf>,
) {
    for file in files {
        let Ok(relative_path) = file.strip_prefix(tree.join(root)) else { continue };
        let components: Vec<_> = relative_path
            .with_extension("")
            .iter()
            .map(|p| p.to_string_lossy().into_owned())
            .collect();
        catalogue.entry(components.join(".")).or_insert_with(|| root.join(relative_path));
    }
}

fn has_method(java_type: &JavaType, pattern: Option<&Wildcard>) -> bool {
    let Some(pattern) = pattern else { return true };
    java_type.superclass.is_some()
        || java_type.methods.iter().any(|method| pattern.matches(&method.name))
}

/// Returns a selector with the package of its class, if that is a simple name that exactly one file has. Build tools
/// also accept simple names.
fn add_package(selector: &Selector, files: &BTreeMap<String, PathBuf>) -> Selector {
    let outer = selector.class.split('$').next().unwrap_or_default();
    let mut same_name = files.keys().filter(|name| simple_name(name) == outer);
    match (same_name.next(), same_name.next()) {
        (Some(name), None) => {
            let class = selector.class.replacen(outer, name, 1);
            Selector { class, method: selector.method.clone() }
        }
        _ => selector.clone(),
    }
}

fn simple_name(class: &str) -> &str {
    class.rsplit('.').next().unwrap_or(class)
}

fn suggest_names<'a>(requested: &str, names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let similarity = |name: &str| strsim::jaro_winkler(simple_name(requested), simple_name(name));
    let mut scored: Vec<_> = names
        .map(|name| (similarity(name), name))
        .filter(|(similarity, _)| *similarity > 0.8)
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0));
    scored.dedup_by_key(|(_, name)| *name);
    scored.into_iter().take(MAX_SUGGESTIONS).map(|(_, name)| name.to_owned()).collect()
}

#[cfg(test)]
mod tests;
