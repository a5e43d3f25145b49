//! Projects for the tests of engines.

use super::{
    Engine, Environment, Execution, Jdk, Limits, LocalRepositories, ModelSource, ProcessEngine,
    Project, ProjectOptions, RunRequest, Toolchain, select_tests,
};
use crate::test_support::PlainLauncher;
use mend_model::{Failure, Outcome, TestResult, TestStatus};
use std::path::Path;
use std::sync::Arc;
use tempfile::TempDir;

/// A plain project in a folder of its own, an engine's place to work, and where its programs are kept.
pub(super) struct EngineFixture {
    pub(super) tree: TempDir,
    pub(super) work_dir: TempDir,
    home: TempDir,
}

/// Lets a place have the runtime that the tests before it compiled.
fn link_shared_runtime(home: &Path) {
    let program = std::env::current_exe().unwrap();
    let shared = program.ancestors().nth(2).unwrap().join("runtime-of-tests");
    std::fs::create_dir_all(&shared).unwrap();
    std::os::unix::fs::symlink(shared, home.join("runtime")).unwrap();
}

impl EngineFixture {
    pub(super) fn new(files: &[(&str, &str)]) -> Self {
        let [tree, work, home] = std::array::from_fn(|_| tempfile::tempdir().unwrap());
        let fixture = Self { tree, work_dir: work, home };
        link_shared_runtime(fixture.home.path());
        for (file, text) in files {
            fixture.write(file, text);
        }
        fixture
    }

    pub(super) fn write(&self, file: &str, text: &str) {
        let path = self.tree.path().join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// Gives the project libraries of this machine.
    pub(super) fn with_libraries(self, names: &[&str]) -> Self {
        let folder = self.tree.path().join("lib");
        std::fs::create_dir_all(&folder).unwrap();
        for name in names {
            let jar = format!("{name}.jar");
            let system_jar = std::path::Path::new("/usr/share/java").join(&jar);
            std::os::unix::fs::symlink(system_jar, folder.join(jar)).unwrap();
        }
        self
    }

    pub(super) fn engine(&self, selectors: &[&str]) -> ProcessEngine {
        self.engine_with_javac_options(selectors, &[])
    }

    pub(super) fn engine_with_javac_options(
        &self,
        selectors: &[&str],
        javac_options: &[&str],
    ) -> ProcessEngine {
        self.engine_with_tools(self.tools(), selectors, javac_options)
    }

    /// Returns the toolchain of this machine.
    pub(super) fn tools(&self) -> Toolchain {
        let jdk = Jdk::find(&Environment::from_process(), &PlainLauncher).unwrap();
        Toolchain::new(jdk, Arc::new(PlainLauncher), self.home.path())
    }

    /// Creates an engine with this toolchain.
    pub(super) fn engine_with_tools(
        &self,
        tools: Toolchain,
        selectors: &[&str],
        javac: &[&str],
    ) -> ProcessEngine {
        let environment = Environment::from_process();
        let repositories = LocalRepositories::from_environment(&Environment::default());
        let javac_options = javac.iter().map(ToString::to_string).collect();
        let options = ProjectOptions {
            javac_options,
            repositories,
            model: ModelSource::Files,
            ..ProjectOptions::default()
        };
        let project = Project::discover(self.tree.path(), &options, &tools).unwrap();
        let selectors: Vec<_> = selectors.iter().map(|text| text.parse().unwrap()).collect();
        let selections = select_tests(&project, self.tree.path(), &selectors).unwrap();
        ProcessEngine::new(project, tools, selections, environment, self.work_dir.path())
    }

    /// Runs an engine on the current tree.
    pub(super) fn execute(&self, engine: &dyn Engine) -> Execution {
        self.execute_within(engine, &Limits::default())
    }

    pub(super) fn execute_within(&self, engine: &dyn Engine, limits: &Limits) -> Execution {
        engine.run(&RunRequest::quick(self.tree.path(), limits)).unwrap()
    }

    pub(super) fn run_selector(&self, selector: &str) -> Outcome {
        self.execute(&self.engine(&[selector])).outcome
    }
}

pub(super) fn test_results(outcome: Outcome) -> Vec<TestResult> {
    match outcome {
        Outcome::Tests { results } => results,
        other => panic!("{other:?}"),
    }
}

/// Returns the tests and their statuses, in alphabetical order.
pub(super) fn test_statuses(outcome: Outcome) -> Vec<(String, &'static str)> {
    let mut statuses: Vec<_> = test_results(outcome)
        .into_iter()
        .map(|result| match result.status {
            TestStatus::Passed => (result.test, "passed"),
            TestStatus::Skipped => (result.test, "skipped"),
            TestStatus::Failed(_) => (result.test, "failed"),
        })
        .collect();
    statuses.sort();
    statuses
}

pub(super) fn expected_statuses(expected: &[(&str, &'static str)]) -> Vec<(String, &'static str)> {
    expected.iter().map(|(test, status)| ((*test).to_owned(), *status)).collect()
}

pub(super) fn first_failure(outcome: Outcome) -> Failure {
    let mut failures = test_results(outcome).into_iter().filter_map(|result| match result.status {
        TestStatus::Failed(failure) => Some(failure),
        _ => None,
    });
    failures.next().unwrap()
}
