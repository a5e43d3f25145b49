//! Portable form of a process engine, for trials on other machines.

use crate::test_execution::testbed::TestModel;
use crate::{Module, Project, ResourceFolder, Selection, TestJvm, TestOrder};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A process engine for trees with one project model, without machine, files and libraries.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PortableEngine {
    pub(super) model: Arc<TestModel>,
    pub(super) selections: Vec<Selection>,
    pub(super) test_order: TestOrder,
}

impl PortableEngine {
    /// Returns true if both were made from the same project model by the same engine.
    pub fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.model, &other.model)
    }

    /// Returns the existing files and folders outside the tree that the project model names: source and resource
    /// folders, such as those of generated files, and libraries, also in options. None lies below another one.
    pub fn outside_paths(&self) -> BTreeSet<PathBuf> {
        let mut found = OutsidePaths::default();
        visit_model(&mut self.model.as_ref().clone(), &mut found);
        let mut outermost = BTreeSet::new();
        let mut last: Option<&PathBuf> = None;
        for path in &found.0 {
            let exists = path.is_absolute() && (path.is_file() || path.is_dir());
            // A folder precedes what is below it.
            if exists && !last.is_some_and(|folder| path.starts_with(folder)) {
                outermost.insert(path.clone());
                last = Some(path);
            }
        }
        outermost
    }

    /// Returns the names of the environment variables that the build files use.
    pub fn variables(&self) -> &BTreeSet<String> {
        &self.model.project.variables
    }

    /// Returns the same engine on a machine where these paths, and what is below them, have other places.
    #[must_use]
    pub fn with_moved_paths(&self, moved: &BTreeMap<PathBuf, PathBuf>) -> Self {
        let mut result = self.clone();
        visit_model(Arc::make_mut(&mut result.model), &mut MovedPaths(moved));
        result
    }
}

/// Visitor of the places in a project model that can name files outside the tree.
trait PlaceVisitor {
    fn visit_path(&mut self, path: &mut PathBuf);
    fn visit_options(&mut self, options: &mut [String]);
    /// Visits a value of filtered resources, or of an environment variable.
    fn visit_value(&mut self, value: &mut String);
}

fn visit_model(model: &mut TestModel, visitor: &mut dyn PlaceVisitor) {
    visit_project(&mut model.project, visitor);
    for testbed in &mut model.testbeds {
        visit_project(&mut testbed.project, visitor);
        if let Some(setup) = &mut testbed.fallback_setup {
            setup.libraries.iter_mut().for_each(|path| visitor.visit_path(path));
            visitor.visit_options(&mut setup.javac_options);
        }
    }
}

fn visit_project(project: &mut Project, visitor: &mut dyn PlaceVisitor) {
    let Project { main_roots, test_roots, resource_roots, test_resource_roots, class_path, .. } =
        project;
    let paths = [main_roots, test_roots, resource_roots, test_resource_roots, class_path];
    paths.into_iter().flatten().for_each(|path| visitor.visit_path(path));
    let copied =
        [&mut project.templates, &mut project.copied_resources, &mut project.copied_test_resources];
    copied.into_iter().flatten().for_each(|folder| visit_resources(folder, visitor));
    visitor.visit_options(&mut project.javac_options);
    visit_test_jvm(&mut project.test_jvm, visitor);
    for batch in &mut project.batches {
        let paths = batch.roots.iter_mut().chain(&mut batch.class_path);
        paths.for_each(|path| visitor.visit_path(path));
        visitor.visit_options(&mut batch.javac_options);
    }
    project.modules.iter_mut().for_each(|module| visit_module(module, visitor));
}

fn visit_module(module: &mut Module, visitor: &mut dyn PlaceVisitor) {
    let Module { main_roots, test_roots, resource_roots, test_resource_roots, class_path, .. } =
        module;
    let paths = [main_roots, test_roots, resource_roots, test_resource_roots, class_path];
    paths.into_iter().flatten().for_each(|path| visitor.visit_path(path));
    let copied =
        [&mut module.templates, &mut module.copied_resources, &mut module.copied_test_resources];
    copied.into_iter().flatten().for_each(|folder| visit_resources(folder, visitor));
    visitor.visit_options(&mut module.javac_options);
    visitor.visit_options(module.test_javac_options.as_deref_mut().unwrap_or_default());
    visit_test_jvm(&mut module.test_jvm, visitor);
}

fn visit_test_jvm(jvm: &mut TestJvm, visitor: &mut dyn PlaceVisitor) {
    visitor.visit_options(&mut jvm.options);
    jvm.variables.values_mut().for_each(|value| visitor.visit_value(value));
    let libraries = jvm.excluded_libraries.iter_mut().chain(&mut jvm.additional_class_path);
    jvm.working_directory.iter_mut().chain(libraries).for_each(|path| visitor.visit_path(path));
}

fn visit_resources(resources: &mut ResourceFolder, visitor: &mut dyn PlaceVisitor) {
    visitor.visit_path(&mut resources.folder);
    if let Some(values) = &mut resources.values {
        values.files.iter_mut().for_each(|path| visitor.visit_path(path));
        values.texts.values_mut().for_each(|value| visitor.visit_value(value));
    }
}

/// Collects the absolute paths.
#[derive(Default)]
struct OutsidePaths(BTreeSet<PathBuf>);

impl PlaceVisitor for OutsidePaths {
    fn visit_path(&mut self, path: &mut PathBuf) {
        if path.is_absolute() {
            self.0.insert(path.clone());
        }
    }

    fn visit_options(&mut self, options: &mut [String]) {
        self.0.extend(paths_in_options(options));
    }

    /// Texts can name any file, such as the home folder.
    fn visit_value(&mut self, _: &mut String) {}
}

/// Replaces paths by their new places.
struct MovedPaths<'a>(&'a BTreeMap<PathBuf, PathBuf>);

impl PlaceVisitor for MovedPaths<'_> {
    fn visit_path(&mut self, path: &mut PathBuf) {
        let moved = path.ancestors().find_map(|folder| Some((folder, self.0.get(folder)?)));
        if let Some((folder, place)) = moved {
            let below = path.strip_prefix(folder).unwrap_or(Path::new(""));
            *path = if below.as_os_str().is_empty() { place.clone() } else { place.join(below) };
        }
    }

    fn visit_options(&mut self, options: &mut [String]) {
        for option in options {
            self.visit_value(option);
        }
    }

    fn visit_value(&mut self, value: &mut String) {
        let mut result = String::new();
        // A path begins at the start or after a separator, and ends before the next one.
        for part in value.split_inclusive(SEPARATORS) {
            let end = part.trim_end_matches(SEPARATORS);
            if end.starts_with('/') {
                let mut path = PathBuf::from(end);
                self.visit_path(&mut path);
                result += &path.to_string_lossy();
            } else {
                result += end;
            }
            result += &part[end.len()..];
        }
        *value = result;
    }
}

/// Characters around paths in options.
const SEPARATORS: [char; 5] = [':', '=', ',', ';', '!'];

/// Options whose next word is a list of libraries.
const LIBRARY_OPTIONS: [&str; 6] = [
    "-processorpath",
    "--processor-path",
    "-p",
    "--module-path",
    "--upgrade-module-path",
    "--patch-module",
];

/// Returns the libraries in options. Other paths, such as the home folder in a property, are not files to upload.
fn paths_in_options(options: &[String]) -> impl Iterator<Item = PathBuf> {
    let previous = std::iter::once("").chain(options.iter().map(String::as_str));
    let lists = options.iter().zip(previous).filter_map(|(option, previous)| {
        if LIBRARY_OPTIONS.contains(&previous) {
            return Some(option.as_str());
        }
        if let Some(agent) = option.strip_prefix("-javaagent:") {
            return agent.split('=').next();
        }
        let (name, list) = option.split_once('=')?;
        LIBRARY_OPTIONS.contains(&name).then_some(list)
    });
    lists
        .flat_map(|list| list.split([':', '=']))
        .filter(|path| path.starts_with('/'))
        .map(PathBuf::from)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::EngineFixture;
    use crate::{Environment, ProcessEngine};

    const TEST: &str = "import org.junit.Test; public class ATest {
        @Test public void t() { if (new A().one() != 1) throw new Error(); } }";

    fn fixture() -> EngineFixture {
        EngineFixture::new(&[
            ("src/main/java/A.java", "class A { int one() { return 1; } }"),
            ("src/test/java/ATest.java", TEST),
        ])
        .with_libraries(&["junit4", "hamcrest"])
    }

    #[test]
    fn portable_engine_gives_the_same_outcome() {
        let fixture = fixture();
        let engine = fixture.engine(&["ATest"]);
        let json = serde_json::to_string(&engine.to_portable(fixture.tree.path()).unwrap());
        let portable = serde_json::from_str(&json.unwrap()).unwrap();
        let (tools, environment) = (fixture.tools(), Environment::from_process());
        let work_dir = fixture.work_dir.path().join("other");
        let copy = ProcessEngine::from_portable(portable, tools, environment, &work_dir);
        let statuses =
            |engine: &ProcessEngine| crate::testing::test_statuses(fixture.execute(engine).outcome);
        assert_eq!(statuses(&engine), [("ATest#t".to_owned(), "passed")]);
        assert_eq!(statuses(&copy), statuses(&engine));
    }

    #[test]
    fn moved_paths_are_replaced_once() {
        let fixture = fixture();
        let engine = fixture.engine(&["ATest"]);
        let mut portable = engine.to_portable(fixture.tree.path()).unwrap();
        let model = Arc::make_mut(&mut portable.model);
        model.project.class_path = ["/lib/a.jar", "/lib/a.jar.d"].map(PathBuf::from).into();
        model.project.test_jvm.options = vec!["-javaagent:/lib/a.jar=x".to_owned()];
        let moved = ["/lib/a.jar", "/lib/a.jar.d"]
            .map(|path| (PathBuf::from(path), PathBuf::from(format!("/input{path}"))));
        let moved = portable.with_moved_paths(&moved.into());
        let moved = &moved.model.project;
        let expected = ["/input/lib/a.jar", "/input/lib/a.jar.d"].map(PathBuf::from);
        assert_eq!(moved.class_path, expected);
        assert_eq!(moved.test_jvm.options, ["-javaagent:/input/lib/a.jar=x"]);
    }

    #[test]
    fn paths_are_replaced_only_between_separators() {
        let moved = BTreeMap::from([("/src".into(), "/in/src".into())]);
        let replaced = |text: &str| {
            let mut text = text.to_owned();
            MovedPaths(&moved).visit_value(&mut text);
            text
        };
        for (text, expected) in [
            ("-Dx=/src", "-Dx=/in/src"),
            ("-Dx=/src/a:/src:/srcs", "-Dx=/in/src/a:/in/src:/srcs"),
            ("file:/src/a.jar!/b", "file:/in/src/a.jar!/b"),
            ("core/src/main", "core/src/main"),
            ("-Dx=/opt/src/main", "-Dx=/opt/src/main"),
        ] {
            assert_eq!(replaced(text), expected);
        }
        let mut path = PathBuf::from("core/src/main");
        MovedPaths(&moved).visit_path(&mut path);
        assert_eq!(path, Path::new("core/src/main"));
    }

    #[test]
    fn generated_sources_and_resources_can_be_elsewhere() {
        let fixture = EngineFixture::new(&[
            ("src/main/java/A.java", "class A { int one() { return new B().one(); } }"),
            ("src/test/java/ATest.java", TEST),
        ])
        .with_libraries(&["junit4", "hamcrest"]);
        let generated = tempfile::tempdir().unwrap();
        let (here, there) = (generated.path().join("here"), generated.path().join("there"));
        std::fs::create_dir_all(here.join("resources")).unwrap();
        std::fs::write(here.join("B.java"), "class B { int one() { return 1; } }").unwrap();
        let engine = fixture.engine(&["ATest"]);
        let mut portable = engine.to_portable(fixture.tree.path()).unwrap();
        let model = Arc::make_mut(&mut portable.model);
        let testbeds = model.testbeds.iter_mut().map(|testbed| &mut testbed.project);
        for project in std::iter::once(&mut model.project).chain(testbeds) {
            project.main_roots.push(here.clone());
            for batch in &mut project.batches {
                batch.roots.push(here.clone());
            }
            project.resource_roots.push(here.join("resources"));
        }
        let outside = portable.outside_paths();
        assert!(outside.contains(&here), "{outside:?}");
        assert!(!outside.contains(&here.join("resources")), "{outside:?}");
        std::fs::rename(&here, &there).unwrap();
        let moved = portable.with_moved_paths(&BTreeMap::from([(here, there)]));
        let environment = Environment::from_process();
        let work_dir = fixture.work_dir.path().join("other");
        let copy = ProcessEngine::from_portable(moved, fixture.tools(), environment, &work_dir);
        let statuses = crate::testing::test_statuses(fixture.execute(&copy).outcome);
        assert_eq!(statuses, [("ATest#t".to_owned(), "passed")]);
    }

    #[test]
    fn only_libraries_in_options_are_uploaded() {
        let options = [
            "-javaagent:/a/b.jar=x",
            "-Duser.home=/root",
            "-Djava.security.egd=file:/dev/urandom",
            "-processorpath",
            "/c.jar:lib/d.jar:/e.jar",
            "--module-path=/f",
            "--patch-module=m=/g",
        ];
        let options = options.map(str::to_owned);
        let paths: Vec<PathBuf> = paths_in_options(&options).collect();
        assert_eq!(paths, ["/a/b.jar", "/c.jar", "/e.jar", "/f", "/g"].map(PathBuf::from));
    }
}
