//! Projects for the tests of engines.

use super::{
    Engine, Environment, Execution, Jdk, Limits, LocalRepositories, ProcessEngine, Project,
    ProjectOptions, RunRequest, Toolchain, select,
};
use crate::test_support::PlainLauncher;
use mend_model::{Failure, Outcome, TestResult, TestStatus};
use std::path::Path;
use std::sync::Arc;
use tempfile::TempDir;

/// A plain project in a folder of its own, an engine's place to work, and where its programs are kept.
pub(super) struct EngineFixture {
    pub(super) tree: TempDir,
    pub(super) work: TempDir,
    home: TempDir,
}

/// Lets a place have the runtime that the tests before it compiled.
fn share_runtime(home: &Path) {
    let program = std::env::current_exe().unwrap();
    let shared = program.ancestors().nth(2).unwrap().join("runtime-of-tests");
    std::fs::create_dir_all(&shared).unwrap();
    std::os::unix::fs::symlink(shared, home.join("runtime")).unwrap();
}

impl EngineFixture {
    pub(super) fn new(files: &[(&str, &str)]) -> Self {
        let [tree, work, home] = std::array::from_fn(|_| tempfile::tempdir().unwrap());
        let bench = Self { tree, work, home };
        share_runtime(bench.home.path());
        for (file, text) in files {
            bench.write(file, text);
        }
        bench
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
            let here = std::path::Path::new("/usr/share/java").join(&jar);
            std::os::unix::fs::symlink(here, folder.join(jar)).unwrap();
        }
        self
    }

    pub(super) fn engine(&self, selectors: &[&str]) -> ProcessEngine {
        self.engine_with(selectors, &[])
    }

    pub(super) fn engine_with(&self, selectors: &[&str], javac: &[&str]) -> ProcessEngine {
        self.engine_of(self.tools(), selectors, javac)
    }

    /// Returns the toolchain of this machine.
    pub(super) fn tools(&self) -> Toolchain {
        let jdk = Jdk::find(&Environment::of_this_process(), &PlainLauncher).unwrap();
        Toolchain::new(jdk, Arc::new(PlainLauncher), self.home.path())
    }

    /// An engine that starts programs in a way of its own.
    pub(super) fn engine_of(
        &self,
        tools: Toolchain,
        selectors: &[&str],
        javac: &[&str],
    ) -> ProcessEngine {
        let environment = Environment::of_this_process();
        let repositories = LocalRepositories::on_this_machine(&Environment::default());
        let javac_options = javac.iter().map(ToString::to_string).collect();
        let options = ProjectOptions { javac_options, repositories, ..ProjectOptions::default() };
        let project = Project::discover(self.tree.path(), &options, &tools.jdk).unwrap();
        let selectors: Vec<_> = selectors.iter().map(|text| text.parse().unwrap()).collect();
        let selections = select(&project, self.tree.path(), &selectors).unwrap();
        ProcessEngine::new(project, tools, selections, environment, self.work.path())
    }

    /// Runs an engine on the current tree.
    pub(super) fn execute(&self, engine: &dyn Engine) -> Execution {
        self.execute_within(engine, &Limits::default())
    }

    pub(super) fn execute_within(&self, engine: &dyn Engine, limits: &Limits) -> Execution {
        engine.run(&RunRequest::quick(self.tree.path(), limits)).unwrap()
    }

    pub(super) fn run(&self, selector: &str) -> Outcome {
        self.execute(&self.engine(&[selector])).outcome
    }
}

pub(super) fn results(outcome: Outcome) -> Vec<TestResult> {
    match outcome {
        Outcome::Tests { results } => results,
        other => panic!("{other:?}"),
    }
}

/// The tests and how they ended, in alphabetical order.
pub(super) fn test_statuses(outcome: Outcome) -> Vec<(String, &'static str)> {
    let mut told: Vec<_> = results(outcome)
        .into_iter()
        .map(|result| match result.status {
            TestStatus::Passed => (result.test, "passed"),
            TestStatus::Skipped => (result.test, "skipped"),
            TestStatus::Failed(_) => (result.test, "failed"),
        })
        .collect();
    told.sort();
    told
}

pub(super) fn expected(expected: &[(&str, &'static str)]) -> Vec<(String, &'static str)> {
    expected.iter().map(|(test, status)| ((*test).to_owned(), *status)).collect()
}

pub(super) fn failure(outcome: Outcome) -> Failure {
    let mut failures = results(outcome).into_iter().filter_map(|result| match result.status {
        TestStatus::Failed(failure) => Some(failure),
        _ => None,
    });
    failures.next().unwrap()
}
