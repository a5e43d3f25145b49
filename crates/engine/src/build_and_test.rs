//! Builds and tests one variant, with fresh processes or warm workers.

use super::tree_paths::paths_in_tree;
use super::{
    Environment, Execution, ExitInfo, Framework, Limits, Project, Selection, TestClass, TestOrder,
    Toolchain,
};
use crate::compile::javac::{Compilation, CompileResult};
use crate::compile::resource_copy::ResourceCopies;
use crate::jvm::java_program::create_folder;
use crate::reduced_tests::reduced_sources::REDUCED_SOURCES_FOLDER;
use crate::test_execution::runner_report::RunnerReport;
use crate::test_execution::test_adaptation::TestAdaptation;
use crate::test_execution::test_order::{TestBatch, TestRequest, outer_class};
use crate::test_execution::test_run::{TestRun, TestRunner};
use crate::test_execution::testbed::{TestModel, Testbed};
use mend_java::facts::CompileError;
use mend_model::{Outcome, Problem, Result, TestResult};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Folder of the main classes, one sub-folder per batch, below the output folder of an attempt.
pub(super) const MAIN_CLASSES_FOLDER: &str = "main";

/// Folder of the test classes and results, one sub-folder per testbed.
const TEST_OUTPUT_FOLDER: &str = "test";

/// Reason why a step ended early: a result of the variant, or a problem of this machine.
pub(super) enum Stop<E> {
    Early(E),
    Problem(Problem),
}

impl<E> From<Problem> for Stop<E> {
    fn from(problem: Problem) -> Self {
        Self::Problem(problem)
    }
}

impl Stop<Outcome> {
    /// Returns the execution of a variant that has no project model.
    pub(super) fn into_execution(self) -> Result<Execution> {
        match self {
            Self::Early(outcome) => {
                let build = Some(Duration::ZERO);
                Ok(Execution { build, ..Execution::from_outcome(outcome) })
            }
            Self::Problem(problem) => Err(problem),
        }
    }
}

/// The build and the tests of one tree.
pub(super) struct BuildAndTest<'a> {
    pub(super) tools: &'a Toolchain,
    pub(super) environment: &'a Environment,
    pub(super) selections: &'a [Selection],
    pub(super) order: &'a TestOrder,
    pub(super) model: Arc<TestModel>,
    pub(super) tree: PathBuf,
    /// Folder for files that are kept between attempts.
    pub(super) work_dir: PathBuf,
    /// Output folder of this attempt.
    pub(super) output_dir: &'a Path,
    /// Environment variables that resources used.
    pub(super) asked: RefCell<BTreeSet<String>>,
}

/// A built variant.
pub(super) struct Build<'a, C> {
    /// Compiled tests of each testbed.
    pub(super) tests: Vec<CompiledTests<'a>>,
    /// Result of each compilation.
    pub(super) compilations: Vec<C>,
}

impl<C> Build<'_, C> {
    /// Returns how all tests were adapted to the variant.
    pub(super) fn adaptation(&self) -> TestAdaptation {
        self.tests
            .iter()
            .fold(TestAdaptation::default(), |all, tests| all.merged(&tests.adaptation))
    }
}

/// A testbed with its compiled tests.
pub(super) struct CompiledTests<'a> {
    pub(super) testbed: &'a Testbed,
    pub(super) class_path: Vec<PathBuf>,
    /// The libraries on the class path.
    pub(super) libraries: Vec<PathBuf>,
    /// Test classes that were left out.
    pub(super) left_out_classes: BTreeSet<String>,
    pub(super) adaptation: TestAdaptation,
}

/// Failure of a build, as a caller of [`BuildAndTest::build`] defines it.
pub(super) trait FailedBuild {
    /// Returns the outcome of the variant; `None` if it is not the variant that failed.
    fn outcome_mut(&mut self) -> Option<&mut Outcome>;
}

impl FailedBuild for Outcome {
    fn outcome_mut(&mut self) -> Option<&mut Outcome> {
        Some(self)
    }
}

/// A run of tests in one JVM.
pub(super) struct BatchRun<D> {
    pub(super) report: RunnerReport,
    pub(super) exit: ExitInfo,
    /// Details for the caller of [`BuildAndTest::test`].
    pub(super) details: D,
}

/// The outcome of all tests, and details of each JVM that ran some of them.
pub(super) struct TestPhase<D> {
    pub(super) outcome: Outcome,
    pub(super) details: Vec<D>,
}

/// The compiler of one build, whose calls share a time limit.
pub(super) struct BuildCompiler<F, C> {
    compile: F,
    deadline: Deadline,
    compilations: Vec<C>,
}

impl<F, C> BuildCompiler<F, C> {
    /// Compiles files, and keeps the result.
    pub(super) fn compile<E>(
        &mut self,
        compilation: Compilation<'_>,
        files: &[PathBuf],
    ) -> Result<(), Stop<E>>
    where
        F: FnMut(&Compilation<'_>, &[PathBuf]) -> Result<C, Stop<E>>,
    {
        let compilation = Compilation { time_limit: self.deadline.remaining(), ..compilation };
        self.compilations.push((self.compile)(&compilation, files)?);
        Ok(())
    }
}

impl CompiledTests<'_> {
    /// Returns the requests for classes that were not left out.
    fn requests_for_classes(&self, requests: &[TestRequest]) -> Vec<TestRequest> {
        let is_compiled = |request: &&TestRequest| !self.left_out_classes.contains(&request.class);
        requests.iter().filter(is_compiled).cloned().collect()
    }
}

impl BuildAndTest<'_> {
    /// Builds the tree, calls `before_tests`, and runs the tests.
    ///
    /// # Errors
    /// Errors of the three functions, and problems of this machine.
    pub(super) fn run<D>(
        &self,
        limits: &Limits,
        mut compile: impl FnMut(&Compilation<'_>, &[PathBuf]) -> Result<CompileResult>,
        before_tests: impl FnOnce() -> Result<()>,
        test: impl FnMut(&TestRun<'_>) -> Result<BatchRun<D>>,
    ) -> Result<(Execution, Vec<D>)> {
        let start = Instant::now();
        let build_result = self.build(limits, |compilation, files| {
            self.check_compiled(compile(compilation, files)?).map_err(Stop::Early)
        });
        let build = Some(start.elapsed());
        // A JVM that only this build uses ends before the tests.
        drop(compile);
        before_tests()?;
        let start = Instant::now();
        let mut adaptation = TestAdaptation::default();
        let TestPhase { outcome, details } = match build_result {
            Ok(built) => {
                adaptation = built.adaptation();
                self.run_tests(&built.tests, &self.batches(), limits, test)?
            }
            Err(Stop::Early(outcome)) => TestPhase { outcome, details: Vec::new() },
            Err(Stop::Problem(problem)) => return Err(problem),
        };
        let execution = self.execution(outcome);
        let (test, jvms) = (start.elapsed(), details.len());
        Ok((Execution { build, test, jvms, adaptation, ..execution }, details))
    }

    /// Returns an execution without cost.
    pub(super) fn execution(&self, outcome: Outcome) -> Execution {
        let outcome = outcome.redact_secrets(&self.environment.secrets());
        let variables = self.model.project.variables.union(&self.asked.borrow()).cloned().collect();
        let variables = self.environment.digest_variables(&variables);
        let notes = self.model.project.borrowed_model.iter().cloned().collect();
        Execution { notes, variables, ..Execution::from_outcome(outcome) }
    }

    pub(super) fn copies(&self) -> ResourceCopies<'_> {
        ResourceCopies {
            tree: &self.tree,
            templates: &self.model.project.templates,
            output: self.output_dir,
            environment: self.environment,
            used_variables: &self.asked,
        }
    }

    /// Compiles everything. On success the output folders contain the classes.
    ///
    /// # Errors
    /// Errors of `compile`, and problems of this machine.
    pub(super) fn build<C, E: FailedBuild>(
        &self,
        limits: &Limits,
        compile: impl FnMut(&Compilation<'_>, &[PathBuf]) -> Result<C, Stop<E>>,
    ) -> Result<Build<'_, C>, Stop<E>> {
        let deadline = Deadline::after(limits.build);
        let mut compiler = BuildCompiler { compile, deadline, compilations: Vec::new() };
        let main_classes = self.build_main(&mut compiler)?;
        let mut tests = Vec::new();
        for (number, testbed) in self.model.testbeds.iter().enumerate() {
            let output = create_folder(self.test_output_folder(number))?;
            tests.push(self.build_tests(testbed, &output, &main_classes, &mut compiler)?);
        }
        Ok(Build { tests, compilations: compiler.compilations })
    }

    /// Compiles the main sources alone, with a compiler that ends with the build. Returns the class folders.
    pub(super) fn compile_main(
        &self,
        time_limit: Option<Duration>,
        mut compile: impl FnMut(&Compilation<'_>, &[PathBuf]) -> Result<CompileResult>,
    ) -> Result<Vec<PathBuf>, Stop<Outcome>> {
        let compile = |compilation: &Compilation<'_>, files: &[PathBuf]| {
            self.check_compiled(compile(compilation, files)?).map_err(Stop::Early)
        };
        let deadline = Deadline::after(time_limit);
        self.build_main(&mut BuildCompiler { compile, deadline, compilations: Vec::new() })
    }

    /// Compiles the main sources batch by batch, and returns the class folders, dependents before their dependencies.
    fn build_main<F, C, E>(
        &self,
        compiler: &mut BuildCompiler<F, C>,
    ) -> Result<Vec<PathBuf>, Stop<E>>
    where
        F: FnMut(&Compilation<'_>, &[PathBuf]) -> Result<C, Stop<E>>,
    {
        let main = create_folder(self.output_dir.join(MAIN_CLASSES_FOLDER))?;
        let mut folders = Vec::new();
        for (number, batch) in self.model.project.batches.iter().enumerate() {
            let files =
                self.copies().filter_sources(self.model.project.batch_files(batch, &self.tree))?;
            if files.is_empty() {
                continue;
            }
            let output = create_folder(main.join(number.to_string()))?;
            let class_path =
                [folders.clone(), paths_in_tree(&self.tree, &batch.class_path)].concat();
            let compilation = Compilation {
                encoding: batch.encoding.as_deref(),
                options: self.expand_tree_placeholder(&batch.javac_options),
                ..self.new_compilation(&output, &class_path)
            };
            compiler.compile(compilation, &files)?;
            folders.insert(0, output);
        }
        Ok(if folders.is_empty() { vec![main] } else { folders })
    }

    /// Returns a compilation without time limit.
    pub(super) fn new_compilation<'b>(
        &'b self,
        output: &'b Path,
        class_path: &'b [PathBuf],
    ) -> Compilation<'b> {
        Compilation {
            tools: self.tools,
            cwd: &self.tree,
            output,
            class_path,
            source_path: &[],
            encoding: None,
            options: Vec::new(),
            is_fail_fast: self.order.is_fail_fast(),
            time_limit: None,
        }
    }

    /// Converts the result of a failed compilation to an outcome.
    ///
    /// # Errors
    /// The outcome.
    fn check_compiled(&self, compiled: CompileResult) -> Result<(), Outcome> {
        match compiled {
            CompileResult::Ok => Ok(()),
            CompileResult::Failed(output) => Err(self.not_compiled(&output)),
            CompileResult::TimedOut(output) => Err(self.compiler_timed_out(&output)),
        }
    }

    /// Returns the outcome of a compilation with errors.
    pub(super) fn not_compiled(&self, said: &str) -> Outcome {
        Outcome::not_built(self.make_paths_relative(said))
    }

    /// Returns the outcome of a compilation that took too long.
    pub(super) fn compiler_timed_out(&self, said: &str) -> Outcome {
        let said = self.make_paths_relative(said);
        Outcome::not_built(format!("{said}the compiler timed out"))
    }

    /// Returns the batches of tests, one for each JVM.
    pub(super) fn batches(&self) -> Vec<TestBatch> {
        let files = self.model.project.main_files(&self.tree);
        let testbed_of = |class: &TestClass| self.model.testbed_of(&class.source);
        self.order.plan_batches(self.selections, &self.tree, &files, &testbed_of)
    }

    /// Runs compiled tests until the test order stops the run.
    pub(super) fn run_tests<D>(
        &self,
        tests: &[CompiledTests<'_>],
        batches: &[TestBatch],
        limits: &Limits,
        mut run: impl FnMut(&TestRun<'_>) -> Result<BatchRun<D>>,
    ) -> Result<TestPhase<D>> {
        let batches: Vec<(&TestBatch, &CompiledTests<'_>)> = batches
            .iter()
            .filter_map(|batch| Some((batch, tests.get(batch.key.testbed)?)))
            .collect();
        let (mut results, mut details) = (Vec::new(), Vec::new());
        let runners = match self.compile_runners(&batches) {
            Ok(runners) => runners,
            Err(Stop::Early(outcome)) => return Ok(TestPhase { outcome, details }),
            Err(Stop::Problem(problem)) => return Err(problem),
        };
        let limit = [limits.test, self.order.remaining_time()].into_iter().flatten().min();
        let deadline = Deadline::after(limit);
        for ((batch, tests), runner) in batches.into_iter().zip(&runners) {
            if self.order.is_stopped_by(&results) {
                break;
            }
            let CompiledTests { testbed, class_path, .. } = tests;
            let requests = tests.requests_for_classes(&batch.requests);
            if requests.is_empty() {
                continue;
            }
            let jvm = testbed.project.test_jvm.map_texts(|text| self.expand_text(text));
            let module_folder = self.tree.join(&testbed.folder);
            let cwd = match &jvm.working_directory {
                // Builds create it.
                Some(directory) => create_folder(self.tree.join(directory))?,
                None => module_folder.clone(),
            };
            let ran = run(&TestRun {
                tools: self.tools,
                runner,
                class_path: &jvm.class_path(&self.tree, class_path),
                jvm: &jvm,
                module_folder: &module_folder,
                cwd: &cwd,
                requests: &requests,
                exchange_dir: self.output_dir,
                time_limit: deadline.remaining(),
                per_test_limits: &limits.per_test,
                candidate: None,
            })?;
            details.push(ran.details);
            if ran.exit.has_timed_out && self.order.remaining_time().is_some() {
                results.extend(known_results(ran.report));
                break;
            }
            if let Some(outcome) = unfinished_outcome(&ran.report, &ran.exit) {
                return Ok(TestPhase { outcome, details });
            }
            results.extend(ran.report.results);
        }
        Ok(TestPhase { outcome: Outcome::Tests { results }, details })
    }

    /// Compiles the runner of each batch of tests. Its compilation does not count against the time limit of the tests.
    fn compile_runners(
        &self,
        batches: &[(&TestBatch, &CompiledTests<'_>)],
    ) -> Result<Vec<TestRunner>, Stop<Outcome>> {
        let runner = |(batch, tests): &(&TestBatch, &CompiledTests<'_>)| {
            let framework = batch.key.framework;
            self.compile_runner(framework, &tests.libraries)?
                .map_err(|output| Stop::Early(self.missing_runner_outcome(framework, &output)))
        };
        batches.iter().map(runner).collect()
    }

    fn missing_runner_outcome(&self, framework: Framework, javac_output: &str) -> Outcome {
        let folders = self.model.project.main_roots.iter().map(|root| self.tree.join(root));
        let folders: Vec<PathBuf> = folders.collect();
        Outcome::not_built(framework.explain_missing_runner(javac_output, &folders))
    }

    /// Compiles the runner of a framework. `Err` inside is the output of the compiler.
    pub(super) fn compile_runner(
        &self,
        framework: Framework,
        libraries: &[PathBuf],
    ) -> Result<Result<TestRunner, String>> {
        let tools = self.tools;
        let run_cache = self.work_dir.join("runtime");
        let is_cacheable = libraries.iter().all(|library| self.is_outside_tree(library));
        let cache_dir = if is_cacheable { &tools.program_cache } else { &run_cache };
        TestRunner::compile(framework, libraries, tools, cache_dir)
    }

    /// Returns true if a library is a file with a path that the next run finds again. A library in
    /// the tree has another path there, and changes inside a folder cannot be detected.
    fn is_outside_tree(&self, library: &Path) -> bool {
        let tree = self.tree.canonicalize().unwrap_or_else(|_| self.tree.clone());
        let library = library.canonicalize().unwrap_or_else(|_| library.to_owned());
        library.is_file() && !library.starts_with(tree)
    }

    pub(super) fn expand_tree_placeholder(&self, options: &[String]) -> Vec<String> {
        options.iter().map(|option| self.expand_text(option)).collect()
    }

    fn expand_text(&self, text: &str) -> String {
        text.replace(Project::TREE_PLACEHOLDER, &self.tree.to_string_lossy())
    }

    /// Returns a text in which the tree's files have paths relative to the tree.
    pub(super) fn make_paths_relative(&self, text: &str) -> String {
        let text = self.copies().restore_template_paths(text);
        let reduced_sources = (0..self.model.testbeds.len())
            .map(|number| self.test_output_folder(number).join(REDUCED_SOURCES_FOLDER));
        reduced_sources
            .chain([self.tree.clone()])
            .fold(text, |text, folder| text.replace(&format!("{}/", folder.display()), ""))
    }

    /// Returns a compile error with the path of its file in the tree.
    pub(super) fn with_path_in_tree(&self, error: CompileError) -> CompileError {
        let path = self.make_paths_relative(&error.path.to_string());
        CompileError { path: path.as_str().into(), ..error }
    }

    /// Returns the folder of the classes and results of a testbed.
    fn test_output_folder(&self, number: usize) -> PathBuf {
        self.output_dir.join(TEST_OUTPUT_FOLDER).join(number.to_string())
    }
}

/// Returns the outcome of an unfinished run: a timeout or a crash; `None` if every test ran.
pub(super) fn unfinished_outcome(report: &RunnerReport, exit: &ExitInfo) -> Option<Outcome> {
    let output = || exit.output.clone();
    match report.is_finished {
        true => None,
        false if exit.has_timed_out => {
            Some(Outcome::TimedOut { test: report.running_test.clone(), output: output() })
        }
        false => Some(Outcome::Crashed { output: output() }),
    }
}

/// Keeps the known results of stopped tests: of the class that was running only the failures,
/// because the results of its other tests are unknown.
fn known_results(report: RunnerReport) -> impl Iterator<Item = TestResult> {
    let running_class =
        report.running_test.as_deref().map(outer_class).unwrap_or_default().to_owned();
    let is_known =
        move |one: &TestResult| outer_class(&one.test) != running_class || one.failure().is_some();
    report.results.into_iter().filter(is_known)
}

/// Deadline that several steps share.
struct Deadline(Option<Instant>);

impl Deadline {
    fn after(limit: Option<Duration>) -> Self {
        Self(limit.and_then(|limit| Instant::now().checked_add(limit)))
    }

    fn remaining(&self) -> Option<Duration> {
        self.0.map(|end| end.saturating_duration_since(Instant::now()))
    }
}
