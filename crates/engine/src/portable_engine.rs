//! Portable form of a process engine, for trials on other machines.

use crate::test_execution::testbed::TestModel;
use crate::{Project, Selection, TestOrder};
use anyhow::Context as _;
use mend_model::Result;
use regex::{Captures, Regex};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::cmp::Reverse;
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

    /// Returns the existing files and folders outside the tree that the project model names: libraries, and paths in
    /// options.
    pub fn outside_paths(&self) -> BTreeSet<PathBuf> {
        let mut paths = BTreeSet::new();
        for testbed in &self.model.testbeds {
            add_outside_paths(&testbed.project, &mut paths);
            if let Some(setup) = &testbed.fallback_setup {
                paths.extend(setup.libraries.iter().cloned());
                paths.extend(paths_in_options(&setup.javac_options));
            }
        }
        add_outside_paths(&self.model.project, &mut paths);
        paths.retain(|path| path.is_absolute() && (path.is_file() || path.is_dir()));
        paths
    }

    /// Returns the names of the environment variables that the build files use.
    pub fn variables(&self) -> &BTreeSet<String> {
        &self.model.project.variables
    }

    /// Returns the same engine on a machine where these paths have other places.
    ///
    /// # Errors
    /// [`mend_model::Problem::Internal`] if a path is not UTF-8.
    pub fn with_moved_paths(&self, moved: &BTreeMap<PathBuf, PathBuf>) -> Result<Self> {
        let texts = |path: &Path| path.to_str().map(str::to_owned);
        let moved: Option<BTreeMap<String, String>> =
            moved.iter().map(|(from, to)| Some((texts(from)?, texts(to)?))).collect();
        let moved = moved.context("a path that is not UTF-8")?;
        if moved.is_empty() {
            return Ok(self.clone());
        }
        // Of two paths with a common beginning, the longer one counts.
        let mut paths: Vec<&String> = moved.keys().collect();
        paths.sort_by_key(|path| Reverse(path.len()));
        let alternatives: Vec<String> = paths.iter().map(|path| regex::escape(path)).collect();
        let pattern = Regex::new(&alternatives.join("|")).context("replacing paths")?;
        let mut json = serde_json::to_value(self).context("writing an engine")?;
        replace_in_texts(&mut json, &pattern, &moved);
        Ok(serde_json::from_value(json).context("reading an engine")?)
    }
}

fn add_outside_paths(project: &Project, paths: &mut BTreeSet<PathBuf>) {
    let batches = &project.batches;
    paths.extend(project.class_path.iter().cloned());
    paths.extend(batches.iter().flat_map(|batch| batch.class_path.iter().cloned()));
    paths.extend(paths_in_options(&project.javac_options));
    paths.extend(paths_in_options(&project.jvm_options));
    paths.extend(batches.iter().flat_map(|batch| paths_in_options(&batch.javac_options)));
    for module in &project.modules {
        paths.extend(module.class_path.iter().cloned());
        paths.extend(paths_in_options(&module.javac_options));
        paths.extend(paths_in_options(module.test_javac_options.as_deref().unwrap_or_default()));
        paths.extend(paths_in_options(&module.jvm_options));
    }
}

/// Options whose next word is a list of libraries.
const LIBRARY_OPTIONS: [&str; 4] = ["-processorpath", "--processor-path", "-p", "--module-path"];

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
    lists.flat_map(|list| list.split(':')).filter(|path| path.starts_with('/')).map(PathBuf::from)
}

fn replace_in_texts(value: &mut Value, pattern: &Regex, texts: &BTreeMap<String, String>) {
    match value {
        Value::String(text) => {
            let replacement = |found: &Captures<'_>| texts[&found[0]].clone();
            *text = pattern.replace_all(text, replacement).into_owned();
        }
        Value::Array(values) => {
            for value in values {
                replace_in_texts(value, pattern, texts);
            }
        }
        Value::Object(fields) => {
            for value in fields.values_mut() {
                replace_in_texts(value, pattern, texts);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
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
    fn moved_paths_are_replaced_once_and_longest_first() {
        let fixture = fixture();
        let engine = fixture.engine(&["ATest"]);
        let mut portable = engine.to_portable(fixture.tree.path()).unwrap();
        let model = Arc::make_mut(&mut portable.model);
        model.project.class_path = ["/lib/a.jar", "/lib/a.jar.d"].map(PathBuf::from).into();
        model.project.jvm_options = vec!["-javaagent:/lib/a.jar=x".to_owned()];
        let moved = ["/lib/a.jar", "/lib/a.jar.d"]
            .map(|path| (PathBuf::from(path), PathBuf::from(format!("/input{path}"))));
        let moved = portable.with_moved_paths(&moved.into()).unwrap();
        let moved = &moved.model.project;
        let expected = ["/input/lib/a.jar", "/input/lib/a.jar.d"].map(PathBuf::from);
        assert_eq!(moved.class_path, expected);
        assert_eq!(moved.jvm_options, ["-javaagent:/input/lib/a.jar=x"]);
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
        ];
        let options = options.map(str::to_owned);
        let paths: Vec<PathBuf> = paths_in_options(&options).collect();
        assert_eq!(paths, ["/a/b.jar", "/c.jar", "/e.jar", "/f"].map(PathBuf::from));
    }
}
