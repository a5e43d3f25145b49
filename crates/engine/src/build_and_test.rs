//! Build and test of one variant, with fresh processes or warm workers.

use super::tree_paths::in_tree;
use super::{
    Environment, Execution, ExitInfo, Framework, Limits, Project, Selection, TestClass, TestOrder,
    Toolchain,
};
use crate::compile::fresh_compiler::FreshCompiler;
use crate::compile::javac::{Compilation, CompileResult};
use crate::compile::resource_copy::ResourceCopies;
use crate::jvm::java_program::create;
use crate::test_execution::replacement_classes::swapped_classes;
use crate::test_execution::runner_report::RunnerReport;
use crate::test_execution::test_order::{JvmKey, TestBatch, class_of};
use crate::test_execution::test_run::{TestRun, TestRunner};
use crate::test_execution::testbed::{TestModel, Testbed};
use mend_model::{Outcome, Result, TestResult};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Folder of the main classes, one sub-folder per batch, below the output folder of an attempt.
pub(super) const MAIN_CLASSES: &str = "main";

/// Folder of the test classes and results, one sub-folder per testbed.
const TESTS: &str = "test";

/// An early end, or what the next step needs.
type StepResult<T> = std::result::Result<T, Outcome>;

/// One tree being built and tested.
pub(super) struct BuildAndTest<'a> {
    pub(super) tools: &'a Toolchain,
    pub(super) environment: &'a Environment,
    pub(super) selections: &'a [Selection],
    pub(super) order: &'a TestOrder,
    pub(super) model: &'a TestModel,
    pub(super) tree: &'a Path,
    /// A folder for what is kept from one attempt to the next.
    pub(super) work: &'a Path,
    /// The output folder of this attempt.
    pub(super) output: &'a Path,
    /// Copies of resources and of filtered sources.
    pub(super) copies: ResourceCopies<'a>,
}

/// A testbed once its tests are compiled.
pub(super) struct CompiledTests<'a> {
    pub(super) testbed: &'a Testbed,
    pub(super) class_path: Vec<PathBuf>,
}

/// Backend that compiles sources and runs tests, in fresh processes or warm workers.
pub(super) trait Executor {
    /// Compiles files; on success the output folder holds the classes.
    fn compile(
        &mut self,
        compilation: &Compilation<'_>,
        files: &[PathBuf],
    ) -> Result<CompileResult>;

    /// Returns the remembered results of the same tests on identical inputs, if this backend has
    /// them.
    fn cached_results(
        &mut self,
        attempt: &BuildAndTest<'_>,
        testing: &[CompiledTests<'_>],
        turns: &[TestBatch],
    ) -> Result<Option<Vec<TestResult>>> {
        let _ = (attempt, testing, turns);
        Ok(None)
    }

    /// Runs tests.
    fn test(&mut self, run: &TestRun<'_>) -> Result<(RunnerReport, ExitInfo)>;
}

/// A compiler that is fresh for what is built, and a fresh JVM for each run of tests.
#[derive(Default)]
pub(super) struct FreshProcessExecutor {
    compiler: FreshCompiler,
}

impl Executor for FreshProcessExecutor {
    fn compile(
        &mut self,
        compilation: &Compilation<'_>,
        files: &[PathBuf],
    ) -> Result<CompileResult> {
        self.compiler.compile(compilation, files)
    }

    fn test(&mut self, run: &TestRun<'_>) -> Result<(RunnerReport, ExitInfo)> {
        // Everything is compiled: the tests have the machine to themselves.
        self.compiler = FreshCompiler::default();
        run.run()
    }
}

impl BuildAndTest<'_> {
    pub(super) fn run(&self, limits: &Limits, hands: &mut dyn Executor) -> Result<Execution> {
        let begun = Instant::now();
        let built = self.build(limits, hands)?;
        let build = Some(begun.elapsed());
        let begun = Instant::now();
        let (tests, jvms) = match built {
            Ok(testing) => self.tested(&testing, limits, hands)?,
            Err(early) => (Err(early), 0),
        };
        let outcome = tests.map_or_else(|early| early, |results| Outcome::Tests { results });
        let outcome = outcome.hiding(&self.environment.secrets());
        let variables = self.environment.witnessed(&self.variables());
        Ok(Execution {
            build,
            test: begun.elapsed(),
            jvms,
            variables,
            ..Execution::from_outcome(outcome)
        })
    }

    /// The environment variables that the build is known to depend on.
    fn variables(&self) -> BTreeSet<String> {
        self.model.whole.variables.union(&self.copies.asked.borrow()).cloned().collect()
    }

    /// Compiles everything, and returns what to test with, a testbed each.
    fn build(
        &self,
        limits: &Limits,
        hands: &mut dyn Executor,
    ) -> Result<StepResult<Vec<CompiledTests<'_>>>> {
        let deadline = Deadline::after(limits.build);
        let main = match self.build_main(&deadline, hands)? {
            Ok(main) => main,
            Err(early) => return Ok(Err(early)),
        };
        let mut testing = Vec::new();
        for (number, testbed) in self.model.testbeds.iter().enumerate() {
            let output = create(self.output.join(TESTS).join(number.to_string()))?;
            match self.build_tests(testbed, &output, &main, (&deadline, &mut *hands))? {
                Ok(class_path) => testing.push(CompiledTests { testbed, class_path }),
                Err(early) => return Ok(Err(early)),
            }
        }
        Ok(Ok(testing))
    }

    /// Compiles the tests of one testbed against the main classes, and returns their class path.
    fn build_tests(
        &self,
        Testbed { project, tests, .. }: &Testbed,
        output: &Path,
        main: &[PathBuf],
        (deadline, hands): (&Deadline, &mut dyn Executor),
    ) -> Result<StepResult<Vec<PathBuf>>> {
        let classes = create(output.join("classes"))?;
        let libraries = in_tree(self.tree, &project.class_path);
        let (roots, copied) = (&project.resource_roots, &project.copied_resources);
        let resources = self.copies.resources(roots, copied, &output.join("resources"))?;
        let class_path = [main.to_vec(), resources, libraries].concat();
        let files = self.test_files(project, tests);
        if !files.is_empty() {
            let compilation = Compilation {
                source_path: &in_tree(self.tree, &project.test_roots),
                encoding: project.encoding.as_deref(),
                options: self.placed(&project.javac_options),
                ..self.compilation(&classes, &class_path, deadline)
            };
            let compiled = hands.compile(&compilation, &files)?;
            if let Err(early) = self.step(compiled) {
                return Ok(Err(early));
            }
        }
        let (roots, copied) = (&project.test_resource_roots, &project.copied_test_resources);
        let resources = self.copies.resources(roots, copied, &output.join("test-resources"))?;
        let swapped = swapped_classes(self.tree).into_iter().collect();
        Ok(Ok([vec![classes], resources, swapped, class_path].concat()))
    }

    /// Compiles the main sources batch by batch, and returns the folders of their classes, what needs others first.
    fn build_main(
        &self,
        deadline: &Deadline,
        hands: &mut dyn Executor,
    ) -> Result<StepResult<Vec<PathBuf>>> {
        let main = create(self.output.join(MAIN_CLASSES))?;
        let mut folders = Vec::new();
        for (number, batch) in self.model.whole.batches.iter().enumerate() {
            let files = self.copies.filled(self.model.whole.batch_files(batch, self.tree))?;
            if files.is_empty() {
                continue;
            }
            let output = create(main.join(number.to_string()))?;
            let class_path = [folders.clone(), in_tree(self.tree, &batch.class_path)].concat();
            let compilation = Compilation {
                encoding: batch.encoding.as_deref(),
                options: self.placed(&batch.javac_options),
                ..self.compilation(&output, &class_path, deadline)
            };
            let compiled = hands.compile(&compilation, &files)?;
            if let Err(early) = self.step(compiled) {
                return Ok(Err(early));
            }
            folders.insert(0, output);
        }
        Ok(Ok(if folders.is_empty() { vec![main] } else { folders }))
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
        in_tree(self.tree, &files)
    }

    fn compilation<'b>(
        &'b self,
        output: &'b Path,
        class_path: &'b [PathBuf],
        deadline: &Deadline,
    ) -> Compilation<'b> {
        Compilation {
            tools: self.tools,
            cwd: self.tree,
            output,
            class_path,
            source_path: &[],
            encoding: None,
            options: Vec::new(),
            is_hasty: self.order.is_hasty(),
            limit: deadline.remaining(),
        }
    }

    fn step(&self, compiled: CompileResult) -> StepResult<()> {
        match compiled {
            CompileResult::Ok => Ok(()),
            CompileResult::Failed(said) => {
                Err(Outcome::NotBuilt { diagnostics: self.relative(&said) })
            }
            CompileResult::TimedOut(said) => Err(Outcome::NotBuilt {
                diagnostics: format!("{}the compiler timed out", self.relative(&said)),
            }),
        }
    }

    /// Runs the tests unless their results are known, and returns the number of JVMs used.
    fn tested(
        &self,
        testing: &[CompiledTests<'_>],
        limits: &Limits,
        hands: &mut dyn Executor,
    ) -> Result<(StepResult<Vec<TestResult>>, usize)> {
        let turns = self.turns();
        match hands.cached_results(self, testing, &turns)? {
            Some(results) => Ok((Ok(results), 0)),
            None => self.test(testing, &turns, limits, hands),
        }
    }

    /// The tests of the tree, JVM by JVM.
    fn turns(&self) -> Vec<TestBatch> {
        let files = self.model.whole.main_files(self.tree);
        let testbed_of = |class: &TestClass| self.model.testbed_of(&class.source);
        self.order.turns(self.selections, self.tree, &files, &testbed_of)
    }

    fn test(
        &self,
        testing: &[CompiledTests<'_>],
        turns: &[TestBatch],
        limits: &Limits,
        hands: &mut dyn Executor,
    ) -> Result<(StepResult<Vec<TestResult>>, usize)> {
        let turns: Vec<(&TestBatch, &CompiledTests<'_>)> = turns
            .iter()
            .filter_map(|turn| Some((turn, testing.get(turn.place.testbed)?)))
            .collect();
        let runners = match self.runners(&turns)? {
            Ok(runners) => runners,
            Err(early) => return Ok((Err(early), 0)),
        };
        let limit = [limits.test, self.order.remaining_time()].into_iter().flatten().min();
        let deadline = Deadline::after(limit);
        let (mut results, mut jvms) = (Vec::new(), 0);
        for ((turn, CompiledTests { testbed, class_path }), runner) in
            turns.into_iter().zip(&runners)
        {
            if self.order.is_over(&results) {
                break;
            }
            let run = TestRun {
                tools: self.tools,
                runner,
                class_path,
                jvm_options: &self.placed(&testbed.project.jvm_options),
                cwd: &self.tree.join(&testbed.folder),
                wanted: &turn.wanted,
                exchange: self.output,
                limit: deadline.remaining(),
                each: &limits.each,
            };
            let (told, ended) = hands.test(&run)?;
            jvms += 1;
            if ended.timed_out && self.order.remaining_time().is_some() {
                results.extend(cut_short(told));
                break;
            }
            if let Some(early) = outcome(&told, &ended) {
                return Ok((Err(early), jvms));
            }
            results.extend(told.results);
        }
        Ok((Ok(results), jvms))
    }

    /// Compiles the runner of each batch of tests. Its compilation does not count against the time limit of the tests.
    fn runners(
        &self,
        turns: &[(&TestBatch, &CompiledTests<'_>)],
    ) -> Result<StepResult<Vec<TestRunner>>> {
        let mut runners = Vec::new();
        for (TestBatch { place: JvmKey { framework, .. }, .. }, CompiledTests { testbed, .. }) in
            turns
        {
            match self.runner(*framework, &in_tree(self.tree, &testbed.project.class_path))? {
                Ok(runner) => runners.push(runner),
                Err(said) => return Ok(Err(no_runner(*framework, &said))),
            }
        }
        Ok(Ok(runners))
    }

    fn runner(
        &self,
        framework: Framework,
        libraries: &[PathBuf],
    ) -> Result<std::result::Result<TestRunner, String>> {
        let tools = self.tools;
        let of_this_run = self.work.join("runtime");
        let is_kept = libraries.iter().all(|library| self.is_elsewhere(library));
        let kept = if is_kept { &tools.kept } else { &of_this_run };
        TestRunner::compiled(framework, libraries, tools, kept)
    }

    /// Returns true if a library is a file with a path that the next run finds again. A library in
    /// the tree has another path there, and changes inside a folder cannot be detected.
    fn is_elsewhere(&self, library: &Path) -> bool {
        let tree = self.tree.canonicalize().unwrap_or_else(|_| self.tree.to_owned());
        let library = library.canonicalize().unwrap_or_else(|_| library.to_owned());
        library.is_file() && !library.starts_with(tree)
    }

    fn placed(&self, options: &[String]) -> Vec<String> {
        let tree = self.tree.to_string_lossy();
        options.iter().map(|option| option.replace(Project::TREE, &tree)).collect()
    }

    /// Returns a text in which the tree's files have paths relative to the tree.
    fn relative(&self, text: &str) -> String {
        self.copies.with_templates(text).replace(&format!("{}/", self.tree.display()), "")
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
