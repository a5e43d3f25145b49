//! Engine that builds with `javac` and tests in fresh JVMs.

use super::project::{hash_build_files, hash_generator_inputs};
use super::{
    Coverage, Engine, Environment, Execution, Limits, Project, RunMode, RunRequest, Selection,
    TestClass, TestOrder, Toolchain,
};
use crate::build_and_test::{BatchRun, BuildAndTest, Stop};
use crate::cache::digest::Digest;
use crate::cache::fingerprint::base_digest;
use crate::compile::fresh_compiler::FreshCompiler;
use crate::jvm::java_program::create_folder;
use crate::portable_engine::PortableEngine;
use crate::project::library_versions;
use crate::select::outline::Outline;
use crate::test_execution::testbed::TestModel;
use mend_model::{Outcome, Problem, Result};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use tempfile::TempDir;

/// Builds each variant from scratch with `javac`, and runs its tests in fresh JVMs.
#[derive(Clone)]
pub struct ProcessEngine {
    project: Project,
    tools: Toolchain,
    selections: Vec<Selection>,
    test_order: TestOrder,
    /// The same order for tests that record data: all of them run, even after one fails.
    recording_order: TestOrder,
    pub(super) environment: Environment,
    work_dir: PathBuf,
    /// Project models of the tests by the hash of the build files; with generated files also by what generators read.
    models: Arc<Mutex<BTreeMap<String, Arc<TestModel>>>>,
    /// Project model of all trees, if another machine read it.
    fixed_model: Option<Arc<TestModel>>,
}

impl ProcessEngine {
    /// Creates an engine for a project with selected tests. `work_dir` is the engine's own folder for compiled files.
    /// For trees with other build files, the project model is read again with the project's options.
    pub fn new(
        project: Project,
        tools: Toolchain,
        selections: Vec<Selection>,
        environment: Environment,
        work_dir: &Path,
    ) -> Self {
        let models = Arc::default();
        Self {
            project,
            tools,
            selections,
            test_order: TestOrder::default(),
            recording_order: TestOrder::default(),
            environment,
            work_dir: work_dir.to_owned(),
            models,
            fixed_model: None,
        }
    }

    /// Creates an engine from its portable form. All its trees have the same project model.
    pub fn from_portable(
        portable: PortableEngine,
        tools: Toolchain,
        environment: Environment,
        work_dir: &Path,
    ) -> Self {
        let PortableEngine { model, selections, test_order } = portable;
        let engine = Self::new(model.project.clone(), tools, selections, environment, work_dir);
        Self { fixed_model: Some(model), ..engine.with_order(test_order) }
    }

    /// Returns the portable form of this engine for trees that have the same project model as `tree`.
    ///
    /// # Errors
    /// Errors of reading the project model.
    pub fn to_portable(&self, tree: &Path) -> Result<PortableEngine> {
        Ok(PortableEngine {
            model: self.test_model(&absolute_path(tree)?)?,
            selections: self.selections.clone(),
            test_order: self.test_order.clone(),
        })
    }

    /// Returns the toolchain.
    pub fn tools(&self) -> &Toolchain {
        &self.tools
    }

    /// Returns the environment whose variables builds and tests see.
    pub fn environment(&self) -> &Environment {
        &self.environment
    }

    /// Returns the same engine with another test order.
    #[must_use]
    pub fn with_order(self, order: TestOrder) -> Self {
        Self { recording_order: order.clone().without_stop(), test_order: order, ..self }
    }

    pub(super) fn test_order(&self) -> &TestOrder {
        &self.test_order
    }

    pub(super) fn recording_order(&self) -> &TestOrder {
        &self.recording_order
    }

    /// Prepares the build and test of the variant in a tree; `output_dir` is for its classes.
    ///
    /// # Errors
    /// The outcome of a variant without a project model, and problems of this machine.
    pub(super) fn attempt<'a>(
        &'a self,
        tree: &Path,
        output_dir: &'a Path,
        order: &'a TestOrder,
    ) -> Result<BuildAndTest<'a>, Stop<Outcome>> {
        // Every program is started in the tree.
        let tree = absolute_path(tree)?;
        let model = self.test_model(&tree).map_err(|problem| match problem {
            // The user's own version has a model, so this variant's build files are broken.
            Problem::NoSources { .. } | Problem::Usage { .. } => {
                Stop::Early(Outcome::not_built(problem.to_string()))
            }
            problem => Stop::Problem(problem),
        })?;
        Ok(BuildAndTest {
            tools: &self.tools,
            environment: &self.environment,
            selections: &self.selections,
            order,
            model,
            tree,
            work_dir: absolute_path(&self.work_dir)?,
            output_dir,
            asked: RefCell::default(),
        })
    }

    /// Runs a clean build and the tests in fresh processes.
    pub(super) fn run_clean(&self, tree: &Path, limits: &Limits) -> Result<Execution> {
        self.run_clean_in_steps(tree, limits, &self.test_order, || Ok(()))
    }

    /// Runs a clean build, calls `before_tests`, and runs the tests in fresh processes.
    ///
    /// # Errors
    /// Errors of `before_tests`, and problems of this machine.
    pub(super) fn run_clean_in_steps(
        &self,
        tree: &Path,
        limits: &Limits,
        order: &TestOrder,
        before_tests: impl FnOnce() -> Result<()>,
    ) -> Result<Execution> {
        let output = self.temporary_folder("build-")?;
        let attempt = match self.attempt(tree, output.path(), order) {
            Ok(attempt) => attempt,
            Err(stop) => return stop.into_execution(),
        };
        let mut compiler = FreshCompiler::default();
        let (execution, _) = attempt.run(
            limits,
            move |compilation, files| compiler.compile(compilation, files),
            before_tests,
            |run| run.run().map(|(report, exit)| BatchRun { report, exit, details: () }),
        )?;
        Ok(execution)
    }

    /// Creates a temporary folder in the engine's folder.
    pub(super) fn temporary_folder(&self, prefix: &str) -> Result<TempDir> {
        let work = create_folder(absolute_path(&self.work_dir)?)?;
        let folder = tempfile::Builder::new().prefix(prefix).tempdir_in(&work);
        folder.map_err(|error| Problem::io(error, &work))
    }

    /// Returns the outlines of a tree's main sources, by coverage key.
    pub(super) fn parse_outlines(&self, tree: &Path) -> Result<BTreeMap<String, Outline>> {
        let files = self.test_model(tree)?.project.main_files(tree);
        let outline = |file: PathBuf| {
            let text = std::fs::read(&file).map_err(|error| Problem::io(error, &file))?;
            Ok((Coverage::source_key(&file, tree), Outline::parse(&text)))
        };
        files.into_iter().map(outline).collect()
    }

    pub(super) fn test_classes(&self) -> impl Iterator<Item = &TestClass> {
        self.selections.iter().flat_map(|selection| &selection.classes)
    }

    /// Returns the project model of a tree for the tests. What a build generates depends on more files than its build
    /// files.
    fn test_model(&self, tree: &Path) -> Result<Arc<TestModel>> {
        if let Some(model) = &self.fixed_model {
            return Ok(Arc::clone(model));
        }
        let build_files = hash_build_files(tree);
        let with_generator_inputs = || format!("{build_files} {}", hash_generator_inputs(tree));
        let mut models = self.models.lock().unwrap_or_else(PoisonError::into_inner);
        let known = match models.get(&build_files) {
            Some(known) if known.project.has_generated_files => {
                models.get(&with_generator_inputs())
            }
            known => known,
        };
        if let Some(known) = known {
            return Ok(Arc::clone(known));
        }
        let model = Arc::new(self.read_test_model(tree)?);
        if model.project.has_generated_files {
            models.insert(with_generator_inputs(), Arc::clone(&model));
        }
        models.entry(build_files).or_insert_with(|| Arc::clone(&model));
        Ok(model)
    }

    fn read_test_model(&self, tree: &Path) -> Result<TestModel> {
        let tree_project = Project::discover(tree, &self.project.options, &self.tools)?;
        let test_model_of = |project| {
            TestModel::new(project, self.test_classes().map(|class| class.source.clone()))
        };
        let mut model = test_model_of(&tree_project);
        let bad_model = test_model_of(&self.project);
        library_versions::check_substitutions(&bad_model.project, &model.project)?;
        model.add_test_roots(&bad_model, tree);
        model.add_fallback_setups(&bad_model);
        Ok(model)
    }
}

impl Engine for ProcessEngine {
    fn run(&self, &RunRequest { tree, limits, mode }: &RunRequest<'_>) -> Result<Execution> {
        let order = match mode {
            RunMode::Recording => &self.recording_order,
            RunMode::Quick | RunMode::Checked | RunMode::Clean | RunMode::Confirm(_) => {
                &self.test_order
            }
        };
        self.run_clean_in_steps(tree, limits, order, || Ok(()))
    }

    fn with_test_order(self: Box<Self>, order: TestOrder) -> Box<dyn Engine> {
        Box::new(self.with_order(order))
    }

    fn fingerprint(&self) -> String {
        let mut digest = base_digest(&self.environment);
        digest.add("engine", "process");
        digest.add("jdk", self.tools.jdk.home.as_os_str().as_encoded_bytes());
        digest.add("version", &self.tools.jdk.full_version);
        for path in &self.project.class_path {
            self.add_library_digest(&mut digest, path);
        }
        for missing in &self.project.missing {
            digest.add("missing", missing);
        }
        let options = &self.project.options;
        if let Some(recorded) = &options.model_file {
            recorded.cache_key_parts().for_each(|part| digest.add("recorded", part));
        }
        digest.add("build", options.build.to_string());
        digest.add("tool", self.project.tool.as_deref().unwrap_or_default());
        options.maven.cache_key_parts().for_each(|part| digest.add("maven", part));
        for path in options.sources.iter().chain(&options.test_sources) {
            digest.add("source", path.as_os_str().as_encoded_bytes());
        }
        let test_settings = (&self.project.javac_options, &self.project.encoding);
        let modules = || self.project.modules.iter();
        let module_settings = modules().map(|one| (&one.javac_options, &one.encoding));
        let batches = self.project.batches.iter().map(|one| (&one.javac_options, &one.encoding));
        for (options, encoding) in batches.chain(module_settings).chain([test_settings]) {
            for option in options {
                digest.add("compiler", option);
            }
            digest.add("encoding", encoding.as_deref().unwrap_or_default());
        }
        let module_jvms = modules().map(|module| &module.test_jvm);
        [&self.project.test_jvm]
            .into_iter()
            .chain(module_jvms)
            .for_each(|jvm| jvm.add_to(&mut digest));
        for selection in &self.selections {
            digest.add("method", selection.method.as_deref().unwrap_or_default());
            digest.add("optional", [u8::from(selection.is_optional)]);
            for class in &selection.classes {
                digest.add("class", &class.name);
                digest.add("framework", class.framework.to_string());
            }
        }
        self.test_order.cache_key_parts().for_each(|part| digest.add("order", part));
        digest.finish_hex()
    }
}

impl ProcessEngine {
    /// Adds a library to the digest, by content: each machine may have downloaded it at another time. The file of a
    /// library inside the tree is identified by the tree; it has another path and time in each checkout. Links are
    /// followed.
    fn add_library_digest(&self, digest: &mut Digest, path: &Path) {
        let root = &self.project.root;
        digest.add("library", path.as_os_str().as_encoded_bytes());
        let (Ok(file), Ok(root)) = (root.join(path).canonicalize(), root.canonicalize()) else {
            return;
        };
        if !file.starts_with(root) {
            digest.add_file_content(&file);
        }
    }
}

pub(super) fn absolute_path(path: &Path) -> Result<PathBuf> {
    std::path::absolute(path).map_err(|error| Problem::io(error, path))
}

#[cfg(test)]
mod tests;
