//! Preparation of a run: project model, tests, engine, and test code.

pub(crate) mod attribution;
pub(crate) mod parse_cache;
pub(crate) mod project_files;
pub(crate) mod search_units;
pub(crate) mod test_overlay;

use crate::run::judge::executor::ScratchPool;
use crate::run::judge::repetition::Repeat;
use crate::run::session::request::{OracleRequest, SubjectRequest};
use crate::run::session::run_log::RunLog;
use crate::run::session::versions::ResolvedVersion;
use crate::run::subject::attribution::Attribution;
use crate::run::subject::test_overlay::{
    TestCode, TestCodeRule, TestOverlay, read_folder, repo_path,
};
use mend_engine::{
    AffectedTests, CommandEngine, Engine, EngineChoice, Environment, Jdk, LocalRepositories,
    MavenSettings, ProcessEngine, Project, ProjectModelFile, ProjectOptions, ResidentEngine,
    ScheduleRunner, SupervisedLauncher, Toolchain, reached, select,
};
use mend_git::ObjectStore;
use mend_model::{FileChange, Interrupt, Problem, RepoPath, Result, Selector, TreeEdit, TreeId};
use mend_process::Supervisor;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Prepared version and tests, before the first verdict.
pub(super) struct PreparedSubject {
    pub(super) engine: Box<dyn Engine>,
    /// Explores schedules of the tests; `None` for a command of the user.
    pub(super) schedules: Option<ScheduleRunner>,
    pub(super) overlay: TestOverlay,
    /// Bad with all tests.
    pub(super) bad_tree: TreeId,
    /// Libraries that the build names and that are not on this machine.
    pub(super) missing: Vec<String>,
    /// Attribution of the versions, if there is a JDK.
    pub(super) attribution: Option<Attribution>,
    /// Source folders, those of tests last; empty if they do not matter.
    pub(super) source_roots: Vec<RepoPath>,
}

/// Inputs of the preparation.
pub(super) struct Preparation<'a> {
    pub(super) request: &'a SubjectRequest,
    pub(super) store: &'a ObjectStore,
    pub(super) pool: &'a ScratchPool,
    pub(super) supervisor: &'a Supervisor,
    pub(super) ledger: &'a RunLog,
    pub(super) work_dir: Option<&'a Path>,
    /// Folder for data that outlives a run.
    pub(super) home: &'a Path,
    pub(super) interrupt: &'a Interrupt,
}

impl Preparation<'_> {
    /// Prepares bad: project model, tests, and engine.
    ///
    /// # Errors
    /// No JDK, no sources, no such test.
    pub(super) fn prepare(&self, bad: &ResolvedVersion) -> Result<PreparedSubject> {
        match &self.request.oracle {
            OracleRequest::Tests(selectors) => self.for_tests(bad, selectors),
            OracleRequest::Command(argv) => {
                let files = self.test_files(&fallback_root(self.store, &bad.original)?)?;
                let bad_tree = self.with_tests(bad, &files)?;
                let code = self.test_code(TestCodeRule::FolderNames, files.into_keys());
                let overlay = TestOverlay::from_tree(code, &bad_tree, self.store)?;
                let environment = Environment::of_this_process();
                let options = self.project_options(&environment)?;
                let jdk = Jdk::find(&environment, &*self.launcher()).ok();
                let attribution = jdk.map(|jdk| self.attribution(self.tools(jdk), options));
                let engine = CommandEngine::new(argv.clone(), environment, self.launcher());
                let engine = Box::new(engine);
                let (missing, source_roots) = (Vec::new(), Vec::new());
                Ok(PreparedSubject {
                    engine,
                    schedules: None,
                    overlay,
                    bad_tree,
                    missing,
                    attribution,
                    source_roots,
                })
            }
        }
    }

    fn launcher(&self) -> Arc<SupervisedLauncher> {
        let ceiling = self.ledger.folder.work();
        Arc::new(SupervisedLauncher { supervisor: self.supervisor.clone(), ceiling })
    }

    fn tools(&self, jdk: Jdk) -> Toolchain {
        Toolchain::new(jdk, self.launcher(), self.home)
    }

    fn attribution(&self, tools: Toolchain, options: ProjectOptions) -> Attribution {
        Attribution {
            tools,
            options,
            with_tests: self.request.with_test_units,
            interrupt: self.interrupt.clone(),
        }
    }

    fn for_tests(&self, bad: &ResolvedVersion, selectors: &[Selector]) -> Result<PreparedSubject> {
        let environment = Environment::of_this_process();
        let tools = self.tools(Jdk::find(&environment, &*self.launcher())?);
        let options = self.project_options(&environment)?;
        let discover = |tree: &TreeId| {
            self.pool.with_checkout(tree, bad.commit_id(), |scratch| {
                discovered(scratch.path(), &options, &tools.jdk, &bad.label)
            })
        };
        let project = discover(&bad.original)?;
        let root =
            project.test_roots.first().map_or("src/test/java".into(), |root| repo_path(root));
        let files = self.test_files(&root)?;
        let bad_tree = self.with_tests(bad, &files)?;
        let project = if files.is_empty() { project } else { discover(&bad_tree)? };
        let selections = self.pool.with_checkout(&bad_tree, bad.commit_id(), |scratch| {
            select(&project, scratch.path(), selectors)
        })?;
        for note in &project.notes {
            self.ledger.note(note.clone())?;
        }
        let selected =
            selections.iter().flat_map(|one| &one.classes).map(|class| repo_path(&class.source));
        let code = self.test_code(
            TestCodeRule::Roots(test_roots(&project)),
            files.into_keys().chain(selected),
        );
        let overlay = TestOverlay::from_tree(code, &bad_tree, self.store)?;
        let missing = project.missing.clone();
        let roots = project.main_roots.iter().chain(&project.test_roots);
        let source_roots = roots.map(|root| repo_path(root)).collect();
        let work = self.ledger.folder.work().join("build");
        let attribution = Some(self.attribution(tools.clone(), options));
        let process = ProcessEngine::new(project, tools, selections, environment, &work);
        let schedules = Some(ScheduleRunner::new(process.clone(), self.request.engine));
        let engine = self.engine(process);
        Ok(PreparedSubject {
            engine,
            schedules,
            overlay,
            bad_tree,
            missing,
            attribution,
            source_roots,
        })
    }

    /// Finds the test classes of bad affected by a change.
    ///
    /// # Errors
    /// No JDK, no sources.
    pub(super) fn reached(
        &self,
        bad: &ResolvedVersion,
        changes: &[FileChange],
    ) -> Result<AffectedTests> {
        let environment = Environment::of_this_process();
        let jdk = Jdk::find(&environment, &*self.launcher())?;
        let options = self.project_options(&environment)?;
        self.pool.with_checkout(&bad.original, bad.commit_id(), |scratch| {
            let project = discovered(scratch.path(), &options, &jdk, &bad.label)?;
            Ok(reached(&project, scratch.path(), changes))
        })
    }

    fn engine(&self, process: ProcessEngine) -> Box<dyn Engine> {
        if self.request.engine == EngineChoice::Process {
            return Box::new(process);
        }
        let engine = ResidentEngine::new(process, self.request.engine, self.request.seed);
        let is_once = self.request.repeat == Repeat::Times(1);
        Box::new(if is_once { engine.remembering() } else { engine })
    }

    fn project_options(&self, environment: &Environment) -> Result<ProjectOptions> {
        let request = self.request;
        // What is named by path is meant from where the user stands, unless the tree has it. It need not be in
        // the work tree: another commit may be checked out.
        let placed = |path: &PathBuf| {
            let here = request.dir.join(path);
            let in_tree = self.work_dir.and_then(|root| {
                let root = root.canonicalize().ok()?;
                let stands = request.dir.canonicalize().ok()?;
                let there = here.canonicalize().unwrap_or_else(|_| stands.join(path));
                there.strip_prefix(root).map(Path::to_owned).ok()
            });
            in_tree.unwrap_or(here)
        };
        let read = |file: &PathBuf| ProjectModelFile::read(file, environment).map(Arc::new);
        Ok(ProjectOptions {
            recorded: request.project.as_ref().map(read).transpose()?,
            build: request.build,
            sources: request.sources.iter().map(placed).collect(),
            test_sources: Vec::new(),
            class_path: request.class_path.iter().map(|path| request.dir.join(path)).collect(),
            javac_options: request.javac_options.clone(),
            repositories: LocalRepositories::on_this_machine(environment),
            maven: MavenSettings::of_this_user(environment),
        })
    }

    /// Returns the files of every `--test-source` with their paths in a tree: those of the user's work tree, or else
    /// below `root`.
    fn test_files(&self, root: &RepoPath) -> Result<BTreeMap<RepoPath, mend_model::FileState>> {
        let mut files = BTreeMap::new();
        for folder in &self.request.test_sources {
            let folder = self.request.dir.join(folder);
            let inside = self.work_dir.and_then(|work_dir| {
                let work_dir = work_dir.canonicalize().ok()?;
                folder.canonicalize().ok()?.strip_prefix(work_dir).map(repo_path).ok()
            });
            files.extend(read_folder(&folder, inside.as_ref().unwrap_or(root))?);
        }
        Ok(files)
    }

    fn with_tests(
        &self,
        bad: &ResolvedVersion,
        files: &BTreeMap<RepoPath, mend_model::FileState>,
    ) -> Result<TreeId> {
        let changes =
            files.iter().map(|(path, state)| (path.clone(), Some(state.clone()))).collect();
        self.store.write(&TreeEdit { base: bad.original.clone(), changes })
    }

    fn test_code(&self, rule: TestCodeRule, files: impl IntoIterator<Item = RepoPath>) -> TestCode {
        let rule = if self.request.with_test_units { TestCodeRule::FilesOnly } else { rule };
        TestCode::new(rule, files)
    }
}

/// The project in a folder that holds bad.
fn discovered(folder: &Path, options: &ProjectOptions, jdk: &Jdk, label: &str) -> Result<Project> {
    Project::discover(folder, options, jdk).map_err(|problem| told_of(problem, folder, label))
}

/// Converts a problem of bad's project: names bad instead of the temporary folder that was read.
fn told_of(problem: Problem, folder: &Path, label: &str) -> Problem {
    let renamed =
        |text: &str| text.replace(&folder.display().to_string(), &format!("bad ({label})"));
    match problem {
        Problem::NoSources { looked } => Problem::NoSources { looked: renamed(&looked) },
        Problem::Usage { message, remedy } => Problem::Usage { message: renamed(&message), remedy },
        other => other,
    }
}

/// The test folders of a project that hold nothing else.
fn test_roots(project: &Project) -> Vec<RepoPath> {
    let mains: Vec<RepoPath> = project.main_roots.iter().map(|root| repo_path(root)).collect();
    let roots =
        project.test_roots.iter().chain(&project.test_resource_roots).map(|root| repo_path(root));
    roots.filter(|root| !mains.iter().any(|main| main == root || main.is_under(root))).collect()
}

/// Returns the folder for tests in a tree without a known build.
fn fallback_root(store: &ObjectStore, tree: &TreeId) -> Result<RepoPath> {
    let paths = store.read_tree(tree)?;
    let usual = ["src/test/java", "src/test", "test", "tests"].map(RepoPath::from);
    let known = usual.iter().find(|root| paths.keys().any(|path| path.is_under(root)));
    Ok(known.unwrap_or(&usual[0]).clone())
}
