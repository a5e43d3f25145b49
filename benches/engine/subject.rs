//! Project whose variants are measured, with its engines.

use fastrand::Rng;
use mend_engine::{
    Engine, EngineChoice, Environment, Execution, Framework, Jdk, Limits, LocalRepositories,
    ProcessEngine, Project, ProjectOptions, ResidentEngine, RunMode, RunRequest, Selection,
    SupervisedLauncher, TestOrder, Toolchain, select_tests,
};
use mend_model::{Interrupt, Outcome, TestResult};
use mend_process::Supervisor;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

pub(crate) struct Subject {
    pub(crate) tree: PathBuf,
    project: Project,
    selections: Vec<Selection>,
    environment: Environment,
    jdk: Jdk,
    work: PathBuf,
    /// Time limit for the tests of a variant: edits can create infinite loops.
    pub(crate) limit: Duration,
}

impl Subject {
    /// Exports a revision of a checkout into a folder and finds the tests.
    pub(crate) fn new(
        (checkout, revision): (&Path, &str),
        tests: &[String],
        limit: Duration,
        folder: &Path,
    ) -> Self {
        let tree = folder.join("tree");
        fs::create_dir(&tree).unwrap();
        let script = "git -C \"$1\" archive \"$2\" | tar -x -C \"$3\"";
        let mut shell = Command::new("sh");
        shell.args(["-c", script, "sh"]).arg(checkout).arg(revision).arg(&tree);
        assert!(shell.status().unwrap().success());
        let environment = Environment::from_process();
        let jdk = Jdk::find(&environment, &*launcher(folder)).unwrap();
        let repositories = LocalRepositories::from_environment(&environment);
        let options = ProjectOptions { repositories, ..ProjectOptions::default() };
        let project = Project::read_files(&tree, &options, &jdk).unwrap();
        let selectors: Vec<_> = tests.iter().map(|text| text.parse().unwrap()).collect();
        let selections = select_tests(&project, &tree, &selectors).unwrap();
        Self { tree, project, selections, environment, jdk, work: folder.to_owned(), limit }
    }

    /// Creates the process engine: a full build and a fresh JVM for each variant.
    pub(crate) fn process_engine(&self, order: &TestOrder) -> ProcessEngine {
        self.create_engine("process", order)
    }

    /// Creates the resident engine, with warm JVMs.
    pub(crate) fn resident_engine(&self, order: &TestOrder, seed: u64) -> ResidentEngine {
        ResidentEngine::new(self.create_engine("resident", order), EngineChoice::Resident, seed)
    }

    fn create_engine(&self, folder: &str, order: &TestOrder) -> ProcessEngine {
        let (project, selections) = (self.project.clone(), self.selections.clone());
        let (work, environment) = (self.work.join(folder), self.environment.clone());
        let tools = Toolchain::new(self.jdk.clone(), launcher(&self.work), &self.work);
        ProcessEngine::new(project, tools, selections, environment, &work).with_order(order.clone())
    }

    /// Returns the outcome of the current tree in an engine.
    pub(crate) fn outcome(&self, engine: &dyn Engine) -> Outcome {
        self.execute(engine).outcome
    }

    pub(crate) fn execute(&self, engine: &dyn Engine) -> Execution {
        engine.run(&RunRequest::quick(&self.tree, &self.limits())).unwrap()
    }

    /// Runs the tests without a cross-check.
    pub(crate) fn execute_instrumented(&self, engine: &dyn Engine) -> Execution {
        let (tree, limits) = (&self.tree, &self.limits());
        engine.run(&RunRequest { tree, limits, mode: RunMode::Recording }).unwrap()
    }

    fn limits(&self) -> Limits {
        Limits { test: Some(self.limit), ..Limits::default() }
    }

    /// Returns the test order for validating patches, determined from the results in the current tree.
    pub(crate) fn learnt_order(&self) -> TestOrder {
        TestOrder::from_results(&self.results()).with_fail_fast()
    }

    /// Returns the test results of the current tree.
    fn results(&self) -> Vec<TestResult> {
        match self.outcome(&self.process_engine(&TestOrder::default())) {
            Outcome::Tests { results } => results,
            other => panic!("the original cannot be tested: {other:?}"),
        }
    }

    /// Excludes test classes that fail in the current tree, because they would fail on every variant, and returns their
    /// names.
    pub(crate) fn exclude_failing(&mut self) -> Vec<String> {
        let results = self.results();
        let failing = results.iter().filter(|result| result.failure().is_some());
        let failing: BTreeSet<&str> =
            failing.map(|result| result.test.split('#').next().unwrap_or_default()).collect();
        for selection in &mut self.selections {
            selection.classes.retain(|class| !failing.contains(class.name.as_str()));
        }
        self.selections.retain(|selection| !selection.classes.is_empty());
        failing.into_iter().map(str::to_owned).collect()
    }

    pub(crate) fn main_files(&self) -> Vec<PathBuf> {
        self.project.main_files(&self.tree)
    }

    /// Returns the files of the selected tests.
    pub(crate) fn test_files(&self) -> Vec<PathBuf> {
        let classes = self.selections.iter().flat_map(|selection| &selection.classes);
        let mut files: Vec<_> = classes.map(|class| self.tree.join(&class.source)).collect();
        files.dedup();
        files
    }

    pub(crate) fn test_roots(&self) -> Vec<PathBuf> {
        self.project.test_roots.iter().map(|root| self.tree.join(root)).collect()
    }

    /// Returns the names of the selected classes.
    pub(crate) fn test_classes(&self) -> Vec<&str> {
        let classes = self.selections.iter().flat_map(|selection| &selection.classes);
        classes.map(|class| class.name.as_str()).collect()
    }

    /// Returns true if any selected test runs on the `JUnit` platform.
    pub(crate) fn needs_platform(&self) -> bool {
        let mut classes = self.selections.iter().flat_map(|selection| &selection.classes);
        classes.any(|class| class.framework == Framework::JUnitPlatform)
    }

    pub(crate) fn javac_options(&self) -> Vec<String> {
        let encoding = self.project.encoding.iter();
        let encoding = encoding.flat_map(|encoding| ["-encoding".to_owned(), encoding.clone()]);
        let tree = self.tree.display().to_string();
        let options = self.project.javac_options.iter();
        options
            .map(|option| option.replace(Project::TREE_PLACEHOLDER, &tree))
            .chain(encoding)
            .collect()
    }

    /// Returns the class path without the compiled classes.
    pub(crate) fn library_class_path(&self) -> Vec<PathBuf> {
        let Project { test_resource_roots, resource_roots, class_path, .. } = &self.project;
        let all = test_resource_roots.iter().chain(resource_roots).chain(class_path);
        all.map(|path| self.tree.join(path)).collect()
    }
}

fn launcher(folder: &Path) -> Arc<SupervisedLauncher> {
    let supervisor = Supervisor::without_watchdog(Interrupt::default());
    Arc::new(SupervisedLauncher { supervisor, ceiling: folder.to_owned() })
}

/// Runs an operation while an edit is applied to the tree.
pub(crate) fn with_edited_file<T>(file: &Path, edited: &str, action: impl FnOnce() -> T) -> T {
    let original = fs::read(file).unwrap();
    fs::write(file, edited).unwrap();
    let result = action();
    fs::write(file, original).unwrap();
    result
}

/// Picks a random file with readable text.
pub(crate) fn draw_file<'a>(files: &'a [PathBuf], random: &mut Rng) -> Option<(&'a Path, String)> {
    let file = &files[random.usize(..files.len())];
    fs::read_to_string(file).ok().map(|text| (file.as_path(), text))
}
