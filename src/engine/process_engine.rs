//! Building with `javac` and testing in fresh JVMs.

use super::compiler::{Compilation, Compiled};
use super::fingerprint::Digest;
use super::project::build_files_hash;
use super::runtime::create;
use super::test_run::{Runner, TestRun};
use super::{
    Engine, Environment, Execution, Framework, Jdk, Launch, Limits, Project, Selection, TestClass,
};
use crate::model::{Outcome, Problem, Result, TestResult};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Builds each variant from scratch with `javac`, and runs its tests in a fresh JVM a framework.
pub struct ProcessEngine {
    project: Project,
    jdk: Jdk,
    selections: Vec<Selection>,
    environment: Environment,
    launcher: Arc<dyn Launch>,
    work: PathBuf,
    /// Project models by the hash of the build files that they were made from.
    models: Mutex<BTreeMap<String, Arc<Project>>>,
}

/// An early end, or what the next step needs.
type Step<T> = std::result::Result<T, Outcome>;

impl ProcessEngine {
    /// An engine for a project, as discovered where the selections were made. `work` is a folder of
    /// its own for what is compiled; trees whose build files differ have their model made anew with
    /// the project's options.
    pub fn new(
        project: Project,
        jdk: Jdk,
        selections: Vec<Selection>,
        environment: Environment,
        launcher: Arc<dyn Launch>,
        work: &Path,
    ) -> Self {
        let models = Mutex::default();
        let work = work.to_owned();
        Self { project, jdk, selections, environment, launcher, work, models }
    }

    fn classes(&self) -> impl Iterator<Item = &TestClass> {
        self.selections.iter().flat_map(|selection| &selection.classes)
    }

    /// The project's model for a tree, narrowed to what the tests need.
    fn model_for(&self, tree: &Path) -> Result<Arc<Project>> {
        let hash = build_files_hash(tree);
        let mut models = self.models.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = models.get(&hash) {
            return Ok(Arc::clone(known));
        }
        let whole = Project::discover(tree, &self.project.options, &self.jdk)?;
        let tests: Vec<PathBuf> = self.classes().map(|class| class.source.clone()).collect();
        let mut model = whole.narrowed_to(&tests);
        // A tree from before the tests moved still gets them where they are now.
        for root in &self.project.test_roots {
            if !model.test_roots.contains(root) && tree.join(root).is_dir() {
                model.test_roots.push(root.clone());
            }
        }
        let model = Arc::new(model);
        models.insert(hash, Arc::clone(&model));
        Ok(model)
    }
}

impl Engine for ProcessEngine {
    fn run(&self, tree: &Path, limits: &Limits) -> Result<Execution> {
        // Every program is started inside the tree.
        let tree = &absolute(tree)?;
        let model = match self.model_for(tree) {
            Ok(model) => model,
            // The user's own version had a model: it is this variant that has none.
            Err(problem @ (Problem::NoSources { .. } | Problem::Usage { .. })) => {
                let outcome = Outcome::NotBuilt { diagnostics: problem.to_string() };
                let (build, test) = (Some(Duration::ZERO), Duration::ZERO);
                return Ok(Execution { outcome, build, test, jvms: 0 });
            }
            Err(problem) => return Err(problem),
        };
        let work = create(absolute(&self.work)?)?;
        let output = tempfile::Builder::new().prefix("build-").tempdir_in(&work);
        let output = output.map_err(|error| Problem::io(error, &work))?;
        let output = output.path();
        let attempt = Attempt { engine: self, model: &model, tree, work: &work, output };
        attempt.run(limits)
    }

    fn fingerprint(&self) -> String {
        let mut digest = Digest::of_engine(&self.environment);
        digest.add("engine", "process");
        digest.add("jdk", self.jdk.home.as_os_str().as_encoded_bytes());
        digest.add("version", &self.jdk.full);
        for path in &self.project.class_path {
            digest.add_file(&self.project.root.join(path));
        }
        for missing in &self.project.missing {
            digest.add("missing", missing);
        }
        let options = &self.project.options;
        digest.add("build", options.build.to_string());
        for path in options.sources.iter().chain(&options.test_sources) {
            digest.add("source", path.as_os_str().as_encoded_bytes());
        }
        for option in self.project.javac_options.iter().chain(&self.project.jvm_options) {
            digest.add("option", option);
        }
        digest.add("encoding", self.project.encoding.as_deref().unwrap_or_default());
        for selection in &self.selections {
            digest.add("method", selection.method.as_deref().unwrap_or_default());
            for class in &selection.classes {
                digest.add("class", &class.name);
                digest.add("framework", class.framework.to_string());
            }
        }
        digest.hex()
    }
}

/// One tree being built and tested.
struct Attempt<'a> {
    engine: &'a ProcessEngine,
    model: &'a Project,
    tree: &'a Path,
    work: &'a Path,
    output: &'a Path,
}

impl Attempt<'_> {
    fn run(&self, limits: &Limits) -> Result<Execution> {
        let begun = Instant::now();
        let built = self.build(limits)?;
        let build = Some(begun.elapsed());
        let begun = Instant::now();
        let (tests, jvms) = match built {
            Ok(class_path) => (self.test(&class_path, limits)?, self.wanted().len()),
            Err(early) => (Err(early), 0),
        };
        let outcome = tests.map_or_else(|early| early, |results| Outcome::Tests { results });
        Ok(Execution { outcome, build, test: begun.elapsed(), jvms })
    }

    /// Compiles everything, and returns the class path to test with.
    fn build(&self, limits: &Limits) -> Result<Step<Vec<PathBuf>>> {
        let deadline = Deadline::after(limits.build);
        let main = create(self.output.join("main"))?;
        let tests = create(self.output.join("test"))?;
        let libraries = self.in_tree(&self.model.class_path);
        let files = self.model.main_files(self.tree);
        if !files.is_empty() {
            let compiled = self.compile(&main, &libraries, &[], &deadline, &files)?;
            if let Err(early) = self.step(compiled) {
                return Ok(Err(early));
            }
        }
        let resources = self.in_tree(&self.model.resource_roots);
        let class_path = [vec![main], resources, libraries].concat();
        let files = self.test_files();
        if !files.is_empty() {
            let roots = self.in_tree(&self.model.test_roots);
            let compiled = self.compile(&tests, &class_path, &roots, &deadline, &files)?;
            if let Err(early) = self.step(compiled) {
                return Ok(Err(early));
            }
        }
        let resources = self.in_tree(&self.model.test_resource_roots);
        Ok(Ok([vec![tests], resources, class_path].concat()))
    }

    /// The selected classes' files, without those that are main sources.
    fn test_files(&self) -> Vec<PathBuf> {
        let is_main = |file: &PathBuf| {
            let below = |roots: &[PathBuf]| roots.iter().any(|root| file.starts_with(root));
            !below(&self.model.test_roots) && below(&self.model.main_roots)
        };
        let files = self.engine.classes().map(|class| class.source.clone());
        let mut files: Vec<PathBuf> = files.filter(|file| !is_main(file)).collect();
        files.sort();
        files.dedup();
        self.in_tree(&files)
    }

    fn compile(
        &self,
        output: &Path,
        class_path: &[PathBuf],
        source_path: &[PathBuf],
        deadline: &Deadline,
        files: &[PathBuf],
    ) -> Result<Compiled> {
        let compilation = Compilation {
            jdk: &self.engine.jdk,
            launcher: &*self.engine.launcher,
            cwd: self.tree,
            output,
            class_path,
            source_path,
            encoding: self.model.encoding.as_deref(),
            options: &self.placed(&self.model.javac_options),
            limit: deadline.left(),
        };
        compilation.run(files)
    }

    fn step(&self, compiled: Compiled) -> Step<()> {
        match compiled {
            Compiled::Ok => Ok(()),
            Compiled::Failed(said) => Err(Outcome::NotBuilt { diagnostics: self.relative(&said) }),
            Compiled::TimedOut(said) => Err(Outcome::NotBuilt {
                diagnostics: format!("{}the compiler did not end in time", self.relative(&said)),
            }),
        }
    }

    /// Runs the tests, framework by framework.
    fn test(&self, class_path: &[PathBuf], limits: &Limits) -> Result<Step<Vec<TestResult>>> {
        let deadline = Deadline::after(limits.test);
        let mut results = Vec::new();
        for (framework, wanted) in self.wanted() {
            let engine = self.engine;
            let libraries = self.in_tree(&self.model.class_path);
            let runner =
                Runner::compiled(framework, &libraries, &engine.jdk, &*engine.launcher, self.work)?;
            let runner = match runner {
                Ok(runner) => runner,
                Err(said) => return Ok(Err(no_runner(framework, &said))),
            };
            let run = TestRun {
                jdk: &engine.jdk,
                launcher: &*engine.launcher,
                runner: &runner,
                class_path,
                jvm_options: &self.placed(&self.model.jvm_options),
                cwd: &self.folder(),
                wanted: &wanted,
                exchange: self.output,
                limit: deadline.left(),
            };
            let (told, ended) = run.run()?;
            if !told.is_finished && ended.timed_out {
                let output = ended.output;
                return Ok(Err(Outcome::TimedOut { test: told.running, output }));
            } else if !told.is_finished {
                return Ok(Err(Outcome::Crashed { output: ended.output }));
            }
            results.extend(told.results);
        }
        Ok(Ok(results))
    }

    fn wanted(&self) -> BTreeMap<Framework, Vec<(String, Option<String>)>> {
        let mut wanted = BTreeMap::<_, Vec<_>>::new();
        for selection in &self.engine.selections {
            for class in &selection.classes {
                let one = (class.name.clone(), selection.method.clone());
                let all = wanted.entry(class.framework).or_default();
                if !all.contains(&one) {
                    all.push(one);
                }
            }
        }
        wanted
    }

    /// Where the tests run: in their module, or at the top if they are of several.
    fn folder(&self) -> PathBuf {
        let mut folders: Vec<_> =
            self.engine.classes().map(|class| self.model.folder_of(&class.source)).collect();
        folders.dedup();
        match folders.as_slice() {
            [folder] => self.tree.join(folder),
            _ => self.tree.to_owned(),
        }
    }

    fn in_tree(&self, paths: &[PathBuf]) -> Vec<PathBuf> {
        paths.iter().map(|path| self.tree.join(path)).collect()
    }

    fn placed(&self, options: &[String]) -> Vec<String> {
        let tree = self.tree.to_string_lossy();
        options.iter().map(|option| option.replace(Project::TREE, &tree)).collect()
    }

    /// A text in which the tree's files are named relative to it.
    fn relative(&self, text: &str) -> String {
        text.replace(&format!("{}/", self.tree.display()), "")
    }
}

fn absolute(path: &Path) -> Result<PathBuf> {
    std::path::absolute(path).map_err(|error| Problem::io(error, path))
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

    fn left(&self) -> Option<Duration> {
        self.0.map(|end| end.saturating_duration_since(Instant::now()))
    }
}

#[cfg(test)]
mod tests;
