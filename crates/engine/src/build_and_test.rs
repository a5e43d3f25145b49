//! Build and test of one variant, with fresh processes or warm workers.

use super::tree_paths::in_tree;
use super::{
    Environment, Execution, ExitInfo, Framework, Limits, Project, Selection, TestClass, TestOrder,
    Toolchain,
};
use crate::compile::javac::{Compilation, CompileResult};
use crate::compile::resource_copy::ResourceCopies;
use crate::jvm::java_program::create;
use crate::test_execution::replacement_classes::swapped_classes;
use crate::test_execution::runner_report::RunnerReport;
use crate::test_execution::test_order::{TestBatch, class_of};
use crate::test_execution::test_run::{TestRun, TestRunner};
use crate::test_execution::testbed::{TestModel, Testbed};
use mend_model::{Outcome, Problem, Result, TestResult};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Folder of the main classes, one sub-folder per batch, below the output folder of an attempt.
pub(super) const MAIN_CLASSES: &str = "main";

/// Folder of the test classes and results, one sub-folder per testbed.
const TESTS: &str = "test";

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

/// One tree being built and tested.
pub(super) struct BuildAndTest<'a> {
    pub(super) tools: &'a Toolchain,
    pub(super) environment: &'a Environment,
    pub(super) selections: &'a [Selection],
    pub(super) order: &'a TestOrder,
    pub(super) model: Arc<TestModel>,
    pub(super) tree: PathBuf,
    /// A folder for what is kept from one attempt to the next.
    pub(super) work: PathBuf,
    /// The output folder of this attempt.
    pub(super) output: &'a Path,
    /// The environment variables that resources asked for.
    pub(super) asked: RefCell<BTreeSet<String>>,
}

/// A built variant.
pub(super) struct Build<'a, C> {
    /// Its tests, a testbed each.
    pub(super) tests: Vec<CompiledTests<'a>>,
    /// Result of each compilation.
    pub(super) compilations: Vec<C>,
}

/// A testbed once its tests are compiled.
pub(super) struct CompiledTests<'a> {
    pub(super) testbed: &'a Testbed,
    pub(super) class_path: Vec<PathBuf>,
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
struct BuildCompiler<F, C> {
    compile: F,
    deadline: Deadline,
    compilations: Vec<C>,
}

impl<F, C> BuildCompiler<F, C> {
    fn compile<E>(&mut self, compilation: Compilation<'_>, files: &[PathBuf]) -> Result<(), Stop<E>>
    where
        F: FnMut(&Compilation<'_>, &[PathBuf]) -> Result<C, Stop<E>>,
    {
        let compilation = Compilation { limit: self.deadline.remaining(), ..compilation };
        self.compilations.push((self.compile)(&compilation, files)?);
        Ok(())
    }
}

impl BuildAndTest<'_> {
    /// Builds the tree with a compiler, which ends with the build, and runs its tests.
    pub(super) fn run<D>(
        &self,
        limits: &Limits,
        mut compile: impl FnMut(&Compilation<'_>, &[PathBuf]) -> Result<CompileResult>,
        test: impl FnMut(&TestRun<'_>) -> Result<BatchRun<D>>,
    ) -> Result<(Execution, Vec<D>)> {
        let begun = Instant::now();
        let built = self.build(limits, |compilation, files| {
            self.check_compiled(compile(compilation, files)?).map_err(Stop::Early)
        });
        let build = Some(begun.elapsed());
        // Everything is compiled: the tests have the machine to themselves.
        drop(compile);
        let begun = Instant::now();
        let TestPhase { outcome, details } = match built {
            Ok(Build { tests, .. }) => self.test(&tests, &self.batches(), limits, test)?,
            Err(Stop::Early(outcome)) => TestPhase { outcome, details: Vec::new() },
            Err(Stop::Problem(problem)) => return Err(problem),
        };
        let execution = self.execution(outcome);
        let jvms = details.len();
        Ok((Execution { build, test: begun.elapsed(), jvms, ..execution }, details))
    }

    /// Returns an execution without cost.
    pub(super) fn execution(&self, outcome: Outcome) -> Execution {
        let outcome = outcome.hiding(&self.environment.secrets());
        let variables = self.model.whole.variables.union(&self.asked.borrow()).cloned().collect();
        let variables = self.environment.witnessed(&variables);
        Execution { variables, ..Execution::from_outcome(outcome) }
    }

    fn copies(&self) -> ResourceCopies<'_> {
        ResourceCopies {
            tree: &self.tree,
            templates: &self.model.whole.templates,
            output: self.output,
            environment: self.environment,
            asked: &self.asked,
        }
    }

    /// Compiles everything. On success the output folders hold the classes.
    ///
    /// # Errors
    /// Those of `compile`, and problems of this machine.
    pub(super) fn build<C, E>(
        &self,
        limits: &Limits,
        compile: impl FnMut(&Compilation<'_>, &[PathBuf]) -> Result<C, Stop<E>>,
    ) -> Result<Build<'_, C>, Stop<E>> {
        let deadline = Deadline::after(limits.build);
        let mut compiler = BuildCompiler { compile, deadline, compilations: Vec::new() };
        let main = self.build_main(&mut compiler)?;
        let mut tests = Vec::new();
        for (number, testbed) in self.model.testbeds.iter().enumerate() {
            let output = create(self.output.join(TESTS).join(number.to_string()))?;
            let class_path = self.build_tests(testbed, &output, &main, &mut compiler)?;
            tests.push(CompiledTests { testbed, class_path });
        }
        Ok(Build { tests, compilations: compiler.compilations })
    }

    /// Compiles the tests of one testbed against the main classes, and returns their class path.
    fn build_tests<F, C, E>(
        &self,
        Testbed { project, tests, .. }: &Testbed,
        output: &Path,
        main: &[PathBuf],
        compiler: &mut BuildCompiler<F, C>,
    ) -> Result<Vec<PathBuf>, Stop<E>>
    where
        F: FnMut(&Compilation<'_>, &[PathBuf]) -> Result<C, Stop<E>>,
    {
        let classes = create(output.join("classes"))?;
        let libraries = in_tree(&self.tree, &project.class_path);
        let (roots, copied) = (&project.resource_roots, &project.copied_resources);
        let resources = self.copies().resources(roots, copied, &output.join("resources"))?;
        let class_path = [main.to_vec(), resources, libraries].concat();
        let files = self.test_files(project, tests);
        if !files.is_empty() {
            let compilation = Compilation {
                source_path: &in_tree(&self.tree, &project.test_roots),
                encoding: project.encoding.as_deref(),
                options: self.placed(&project.javac_options),
                ..self.compilation(&classes, &class_path)
            };
            compiler.compile(compilation, &files)?;
        }
        let (roots, copied) = (&project.test_resource_roots, &project.copied_test_resources);
        let resources = self.copies().resources(roots, copied, &output.join("test-resources"))?;
        let swapped = swapped_classes(&self.tree).into_iter().collect();
        Ok([vec![classes], resources, swapped, class_path].concat())
    }

    /// Compiles the main sources batch by batch, and returns the folders of their classes, what needs others first.
    fn build_main<F, C, E>(
        &self,
        compiler: &mut BuildCompiler<F, C>,
    ) -> Result<Vec<PathBuf>, Stop<E>>
    where
        F: FnMut(&Compilation<'_>, &[PathBuf]) -> Result<C, Stop<E>>,
    {
        let main = create(self.output.join(MAIN_CLASSES))?;
        let mut folders = Vec::new();
        for (number, batch) in self.model.whole.batches.iter().enumerate() {
            let files = self.copies().filled(self.model.whole.batch_files(batch, &self.tree))?;
            if files.is_empty() {
                continue;
            }
            let output = create(main.join(number.to_string()))?;
            let class_path = [folders.clone(), in_tree(&self.tree, &batch.class_path)].concat();
            let compilation = Compilation {
                encoding: batch.encoding.as_deref(),
                options: self.placed(&batch.javac_options),
                ..self.compilation(&output, &class_path)
            };
            compiler.compile(compilation, &files)?;
            folders.insert(0, output);
        }
        Ok(if folders.is_empty() { vec![main] } else { folders })
    }

    /// Returns the test files that are not compiled as main sources.
    fn test_files(&self, project: &Project, tests: &[PathBuf]) -> Vec<PathBuf> {
        let is_main = |file: &&PathBuf| {
            let below = |roots: &[PathBuf]| roots.iter().any(|root| file.starts_with(root));
            !below(&project.test_roots) && below(&project.main_roots)
        };
        let mut files: Vec<PathBuf> = tests.iter().filter(|file| !is_main(file)).cloned().collect();
        files.sort();
        files.dedup();
        in_tree(&self.tree, &files)
    }

    /// Returns a compilation without time limit.
    fn compilation<'b>(&'b self, output: &'b Path, class_path: &'b [PathBuf]) -> Compilation<'b> {
        Compilation {
            tools: self.tools,
            cwd: &self.tree,
            output,
            class_path,
            source_path: &[],
            encoding: None,
            options: Vec::new(),
            is_hasty: self.order.is_hasty(),
            limit: None,
        }
    }

    /// Converts the result of a failed compilation to an outcome.
    ///
    /// # Errors
    /// The outcome.
    fn check_compiled(&self, compiled: CompileResult) -> Result<(), Outcome> {
        match compiled {
            CompileResult::Ok => Ok(()),
            CompileResult::Failed(said) => Err(self.not_compiled(&said)),
            CompileResult::TimedOut(said) => Err(self.compiler_timed_out(&said)),
        }
    }

    /// Returns the outcome of a compilation with errors.
    pub(super) fn not_compiled(&self, said: &str) -> Outcome {
        Outcome::NotBuilt { diagnostics: self.relative(said) }
    }

    /// Returns the outcome of a compilation that took too long.
    pub(super) fn compiler_timed_out(&self, said: &str) -> Outcome {
        let said = self.relative(said);
        Outcome::NotBuilt { diagnostics: format!("{said}the compiler timed out") }
    }

    /// The tests of the tree, JVM by JVM.
    pub(super) fn batches(&self) -> Vec<TestBatch> {
        let files = self.model.whole.main_files(&self.tree);
        let testbed_of = |class: &TestClass| self.model.testbed_of(&class.source);
        self.order.turns(self.selections, &self.tree, &files, &testbed_of)
    }

    /// Runs compiled tests, until the test order says that enough have run.
    pub(super) fn test<D>(
        &self,
        tests: &[CompiledTests<'_>],
        batches: &[TestBatch],
        limits: &Limits,
        mut run: impl FnMut(&TestRun<'_>) -> Result<BatchRun<D>>,
    ) -> Result<TestPhase<D>> {
        let batches: Vec<(&TestBatch, &CompiledTests<'_>)> = batches
            .iter()
            .filter_map(|batch| Some((batch, tests.get(batch.place.testbed)?)))
            .collect();
        let (mut results, mut details) = (Vec::new(), Vec::new());
        let runners = match self.runners(&batches) {
            Ok(runners) => runners,
            Err(Stop::Early(outcome)) => return Ok(TestPhase { outcome, details }),
            Err(Stop::Problem(problem)) => return Err(problem),
        };
        let limit = [limits.test, self.order.remaining_time()].into_iter().flatten().min();
        let deadline = Deadline::after(limit);
        for ((batch, CompiledTests { testbed, class_path }), runner) in
            batches.into_iter().zip(&runners)
        {
            if self.order.is_over(&results) {
                break;
            }
            let ran = run(&TestRun {
                tools: self.tools,
                runner,
                class_path,
                jvm_options: &self.placed(&testbed.project.jvm_options),
                cwd: &self.tree.join(&testbed.folder),
                wanted: &batch.wanted,
                exchange: self.output,
                limit: deadline.remaining(),
                each: &limits.each,
            })?;
            details.push(ran.details);
            if ran.exit.timed_out && self.order.remaining_time().is_some() {
                results.extend(cut_short(ran.report));
                break;
            }
            if let Some(outcome) = outcome(&ran.report, &ran.exit) {
                return Ok(TestPhase { outcome, details });
            }
            results.extend(ran.report.results);
        }
        Ok(TestPhase { outcome: Outcome::Tests { results }, details })
    }

    /// Compiles the runner of each batch of tests. Its compilation does not count against the time limit of the tests.
    fn runners(
        &self,
        batches: &[(&TestBatch, &CompiledTests<'_>)],
    ) -> Result<Vec<TestRunner>, Stop<Outcome>> {
        let runner = |(batch, tests): &(&TestBatch, &CompiledTests<'_>)| {
            let framework = batch.place.framework;
            let libraries = in_tree(&self.tree, &tests.testbed.project.class_path);
            self.runner(framework, &libraries)?
                .map_err(|said| Stop::Early(no_runner(framework, &said)))
        };
        batches.iter().map(runner).collect()
    }

    fn runner(
        &self,
        framework: Framework,
        libraries: &[PathBuf],
    ) -> Result<Result<TestRunner, String>> {
        let tools = self.tools;
        let of_this_run = self.work.join("runtime");
        let is_kept = libraries.iter().all(|library| self.is_elsewhere(library));
        let kept = if is_kept { &tools.kept } else { &of_this_run };
        TestRunner::compiled(framework, libraries, tools, kept)
    }

    /// Returns true if a library is a file with a path that the next run finds again. A library in
    /// the tree has another path there, and changes inside a folder cannot be detected.
    fn is_elsewhere(&self, library: &Path) -> bool {
        let tree = self.tree.canonicalize().unwrap_or_else(|_| self.tree.clone());
        let library = library.canonicalize().unwrap_or_else(|_| library.to_owned());
        library.is_file() && !library.starts_with(tree)
    }

    fn placed(&self, options: &[String]) -> Vec<String> {
        let tree = self.tree.to_string_lossy();
        options.iter().map(|option| option.replace(Project::TREE, &tree)).collect()
    }

    /// Returns a text in which the tree's files have paths relative to the tree.
    fn relative(&self, text: &str) -> String {
        self.copies().with_templates(text).replace(&format!("{}/", self.tree.display()), "")
    }
}

/// Returns the outcome of an unfinished run: a timeout or a crash; `None` if every test ran.
pub(super) fn outcome(told: &RunnerReport, ended: &ExitInfo) -> Option<Outcome> {
    let output = || ended.output.clone();
    match told.is_finished {
        true => None,
        false if ended.timed_out => {
            Some(Outcome::TimedOut { test: told.running.clone(), output: output() })
        }
        false => Some(Outcome::Crashed { output: output() }),
    }
}

/// Keeps the known results of stopped tests: of the class that was running only the failures,
/// because the results of its other tests are unknown.
fn cut_short(told: RunnerReport) -> impl Iterator<Item = TestResult> {
    let running = told.running.as_deref().map(class_of).unwrap_or_default().to_owned();
    let is_known =
        move |one: &TestResult| class_of(&one.test) != running || one.failure().is_some();
    told.results.into_iter().filter(is_known)
}

fn no_runner(framework: Framework, said: &str) -> Outcome {
    Outcome::NotBuilt { diagnostics: format!("the class path has no usable {framework}:\n{said}") }
}

/// A point in time that several steps share.
struct Deadline(Option<Instant>);

impl Deadline {
    fn after(limit: Option<Duration>) -> Self {
        Self(limit.and_then(|limit| Instant::now().checked_add(limit)))
    }

    fn remaining(&self) -> Option<Duration> {
        self.0.map(|end| end.saturating_duration_since(Instant::now()))
    }
}
