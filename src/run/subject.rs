//! Prepares a run: determines project model, tests, engine, and test code.

pub(crate) mod attribution;
pub(crate) mod parse_cache;
pub(crate) mod project_files;
pub(crate) mod remote_tests;
pub(crate) mod search_units;
pub(crate) mod test_overlay;
pub(crate) mod work_tree_test;

use crate::run::judge::executor::ScratchPool;
use crate::run::judge::repetition::Repeat;
use crate::run::session::request::{OracleRequest, SubjectRequest};
use crate::run::session::run_log::RunLog;
use crate::run::session::versions::ResolvedVersion;
use crate::run::subject::attribution::Attribution;
use crate::run::subject::remote_tests::{SecondRuns, command_on_workers, distribute_tests};
use crate::run::subject::test_overlay::{
    TestCode, TestCodeRule, TestOverlay, read_test_folder, to_repo_path,
};
use crate::run::subject::work_tree_test::{find_work_tree_test, usual_test_roots};
use crate::run::threads::DEFAULT_SCHEDULERS;
use mend_engine::{
    AffectedTests, CommandEngine, Engine, EngineChoice, Environment, ExploreConfig, JavaMode, Jdk,
    LocalRepositories, MavenSettings, ProcessEngine, Project, ProjectModelFile, ProjectOptions,
    RemoteTests, ResidentEngine, ScheduleEngine, ScheduleRunner, SupervisedLauncher, Toolchain,
    find_affected_tests, find_selected_sources, select_tests,
};
use mend_git::ObjectStore;
use mend_model::{
    FileChange, Interrupt, MissingRequirements, Problem, ProgressEvent, RepoPath, Result, Selector,
    TreeEdit, TreeId,
};
use mend_process::Supervisor;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Prepared version and tests, before the first verdict.
pub(super) struct PreparedSubject {
    pub(super) engine: Box<dyn Engine>,
    /// Explorer of schedules, or `None` for a user's command.
    pub(super) schedules: Option<ScheduleRunner>,
    pub(super) overlay: TestOverlay,
    /// Tree of bad with all tests.
    pub(super) bad_tree: TreeId,
    /// What the build needs and this machine lacks.
    pub(super) missing: MissingRequirements,
    /// Attribution of the versions, if there is a JDK.
    pub(super) attribution: Option<Attribution>,
    /// Source folders, test folders last; empty if they are not needed.
    pub(super) source_roots: Vec<RepoPath>,
}

/// Inputs of the preparation.
pub(super) struct Preparation<'a> {
    pub(super) request: &'a SubjectRequest,
    pub(super) store: &'a ObjectStore,
    pub(super) pool: &'a ScratchPool,
    pub(super) supervisor: &'a Supervisor,
    pub(super) run_log: &'a RunLog,
    pub(super) work_dir: Option<&'a Path>,
    /// Path of the folder for data that outlives a run.
    pub(super) data_folder: &'a Path,
    pub(super) interrupt: &'a Interrupt,
}

impl Preparation<'_> {
    /// Prepares bad: project model, tests, and engine.
    ///
    /// # Errors
    /// A missing JDK, source folder or test.
    pub(super) fn prepare(&self, bad: &ResolvedVersion) -> Result<PreparedSubject> {
        match &self.request.oracle {
            OracleRequest::Tests(selectors) => self.prepare_tests(bad, selectors),
            OracleRequest::Command(argv) => {
                let files =
                    self.read_test_sources(&default_test_root(self.store, &bad.original_tree)?)?;
                let bad_tree = self.add_test_files(bad, &files)?;
                let code = self.test_code(TestCodeRule::FolderNames, files.into_keys());
                let overlay = TestOverlay::from_tree(code, &bad_tree, self.store)?;
                let environment = Environment::from_process();
                let options = self.project_options(&environment)?;
                let jdk = Jdk::find(&environment, &*self.launcher()).ok();
                let attribution = jdk.map(|jdk| self.attribution(self.toolchain(jdk), options));
                let local = CommandEngine::new(argv.clone(), environment, self.launcher());
                let engine = self.distribute(Box::new(local), || command_on_workers(argv))?;
                let (missing, source_roots) = (MissingRequirements::default(), Vec::new());
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
        let ceiling = self.run_log.folder.work_dir();
        Arc::new(SupervisedLauncher { supervisor: self.supervisor.clone(), ceiling })
    }

    fn toolchain(&self, jdk: Jdk) -> Toolchain {
        let progress = self.run_log.progress();
        Toolchain::new(jdk, self.launcher(), self.data_folder).with_progress(progress)
    }

    fn attribution(&self, tools: Toolchain, options: ProjectOptions) -> Attribution {
        Attribution {
            tools,
            options,
            includes_test_code: self.request.includes_test_code,
            interrupt: self.interrupt.clone(),
        }
    }

    fn prepare_tests(
        &self,
        bad: &ResolvedVersion,
        selectors: &[Selector],
    ) -> Result<PreparedSubject> {
        let environment = Environment::from_process();
        let first_tools = self.toolchain(Jdk::find(&environment, &*self.launcher())?);
        let options = self.project_options(&environment)?;
        if self.request.test_sources.is_empty() {
            self.check_test_names(bad, selectors)?;
        }
        let discover = |tree: &TreeId| {
            self.pool.with_checkout(tree, bad.commit_id(), |scratch| {
                discover_project(scratch.path(), &options, &first_tools, &bad.label)
            })
        };
        // Reading the project may run a build tool, which leaves a core idle.
        let (project, tools) = std::thread::scope(|scope| {
            if self.request.engine != EngineChoice::Process {
                // An error is reported by the run that needs the programs.
                scope.spawn(|| mend_engine::compile_java_programs(&first_tools));
            }
            discover(&bad.original_tree)
        })?;
        let root =
            project.test_roots.first().map_or("src/test/java".into(), |root| to_repo_path(root));
        let files = self.read_test_sources(&root)?;
        let bad_tree = self.add_test_files(bad, &files)?;
        let (project, tools) =
            if files.is_empty() { (project, tools) } else { discover(&bad_tree)? };
        let mut selections = self
            .pool
            .with_checkout(&bad_tree, bad.commit_id(), |scratch| {
                select_tests(&project, scratch.path(), selectors)
            })
            .map_err(|problem| {
                self.hint_at_work_tree(problem, &bad_tree, bad, &test_roots(&project))
            })?;
        for selection in &mut selections {
            selection.is_optional = self.request.skips_uncompilable_tests;
        }
        for note in &project.notes {
            self.run_log.note_unchecked(note.clone())?;
        }
        if let Some(schedules) = self.request.schedules {
            let beyond = format!("thread schedules beyond {schedules} of each test and version");
            self.run_log.note_unchecked(beyond)?;
        }
        let selected =
            selections.iter().flat_map(|one| &one.classes).map(|class| to_repo_path(&class.source));
        let code = self.test_code(
            TestCodeRule::Roots(test_roots(&project)),
            files.into_keys().chain(selected),
        );
        let overlay = TestOverlay::from_tree(code, &bad_tree, self.store)?;
        let missing = project.missing_requirements(&tools.jdk);
        let roots = project.main_roots.iter().chain(&project.test_roots);
        let source_roots =
            roots.filter(|root| root.is_relative()).map(|root| to_repo_path(root)).collect();
        let work = self.run_log.folder.work_dir().join("build");
        let attribution = Some(self.attribution(tools.clone(), project.options.clone()));
        let process = ProcessEngine::new(project, tools, selections, environment, &work);
        let schedules = Some(ScheduleRunner::new(process.clone(), self.request.engine));
        let engine = self.choose_engine(process)?;
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
    /// A missing JDK or source folder.
    pub(super) fn affected_tests(
        &self,
        bad: &ResolvedVersion,
        changes: &[FileChange],
    ) -> Result<AffectedTests> {
        let environment = Environment::from_process();
        let tools = self.toolchain(Jdk::find(&environment, &*self.launcher())?);
        let options = self.project_options(&environment)?;
        self.pool.with_checkout(&bad.original_tree, bad.commit_id(), |scratch| {
            let (project, _) = discover_project(scratch.path(), &options, &tools, &bad.label)?;
            Ok(find_affected_tests(&project, scratch.path(), changes))
        })
    }

    /// Looks for the source files of the tests before the build is read, which may take minutes.
    ///
    /// # Errors
    /// [`Problem::Usage`] for a test that only the user's work tree has.
    fn check_test_names(&self, bad: &ResolvedVersion, selectors: &[Selector]) -> Result<()> {
        let tree = &bad.original_tree;
        let is_absent = |folder: &Path, selector: &Selector| {
            find_selected_sources(folder, std::slice::from_ref(selector)).is_empty()
        };
        let absent = self.pool.with_checkout(tree, bad.commit_id(), |scratch| {
            let absent = selectors.iter().filter(|selector| is_absent(scratch.path(), selector));
            Ok(absent.collect::<Vec<_>>())
        })?;
        for selector in absent {
            let roots = self.work_dir.map(|work_dir| usual_test_roots(work_dir, selector));
            let problem = Problem::NoSuchTest { selector: selector.to_string(), near: Vec::new() };
            let problem = self.hint_at_work_tree(problem, tree, bad, &roots.unwrap_or_default());
            if matches!(problem, Problem::Usage { .. }) {
                return Err(problem);
            }
            let class = &selector.class;
            let stage =
                format!("no source file has the name of {class}, but the build may generate it");
            self.run_log.emit(ProgressEvent::Stage(stage))?;
        }
        Ok(())
    }

    /// Adds to the problem of an unknown test that the user's work tree has it, in one of the test folders.
    fn hint_at_work_tree(
        &self,
        problem: Problem,
        bad_tree: &TreeId,
        bad: &ResolvedVersion,
        roots: &[RepoPath],
    ) -> Problem {
        let Problem::NoSuchTest { selector, near } = problem else { return problem };
        let remedy = self.work_dir.and_then(|work_dir| {
            let test = find_work_tree_test(work_dir, roots, &selector)?;
            let in_bad = self.store.read_file(bad_tree, &test.path).ok()?;
            test.remedy(in_bad.as_ref(), &bad.label, &self.request.dir)
        });
        let problem = Problem::NoSuchTest { selector, near };
        match remedy {
            Some(remedy) => Problem::Usage { message: problem.to_string(), remedy },
            None => problem,
        }
    }

    /// Returns the engine of the request, which has variants tested by remote workers if the user names an executor.
    fn choose_engine(&self, process: ProcessEngine) -> Result<Box<dyn Engine>> {
        let mode = match self.schedule_config() {
            Some(config) => JavaMode::Schedules(config),
            None if self.request.engine == EngineChoice::Process => JavaMode::Process,
            None => JavaMode::Resident {
                reuses_results: self.request.repeat == Repeat::Times(1),
                seed: self.request.seed,
            },
        };
        let local = self.local_engine(process.clone(), &mode);
        self.distribute(local, || Ok(RemoteTests::Java { process: Box::new(process), mode }))
    }

    /// Returns an engine that has variants tested by remote workers, if the user names an executor.
    fn distribute(
        &self,
        local: Box<dyn Engine>,
        tests: impl FnOnce() -> Result<RemoteTests>,
    ) -> Result<Box<dyn Engine>> {
        match &self.request.executor {
            Some(executor) => {
                let second_runs = SecondRuns {
                    has_chosen_limit: self.request.timeout.is_some(),
                    are_samples: self.request.repeat != Repeat::Times(1)
                        || self.request.schedules.is_some(),
                };
                distribute_tests(executor, tests()?, second_runs, local, self.interrupt)
            }
            None => Ok(local),
        }
    }

    fn schedule_config(&self) -> Option<ExploreConfig> {
        Some(ExploreConfig {
            schedules: self.request.schedules?,
            schedulers: DEFAULT_SCHEDULERS.to_vec(),
            targets: Vec::new(),
            seed: self.request.seed,
            replay: None,
            expected_output: None,
            is_fail_fast: false,
        })
    }

    fn local_engine(&self, process: ProcessEngine, mode: &JavaMode) -> Box<dyn Engine> {
        let choice = self.request.engine;
        match mode {
            JavaMode::Schedules(config) => {
                Box::new(ScheduleEngine::new(process, choice, config.clone()))
            }
            JavaMode::Process => Box::new(process),
            JavaMode::Resident { reuses_results, seed } => {
                let engine = ResidentEngine::new(process, choice, *seed);
                Box::new(if *reuses_results { engine.with_result_cache() } else { engine })
            }
        }
    }

    fn project_options(&self, environment: &Environment) -> Result<ProjectOptions> {
        let request = self.request;
        // Paths are relative to the user's working directory, unless they are inside the work tree. A path need not exist
        // in the work tree, because another commit may be checked out.
        let resolve_path = |path: &PathBuf| {
            let path_from_working_dir = request.dir.join(path);
            let in_tree = self.work_dir.and_then(|root| {
                let root = root.canonicalize().ok()?;
                let working_dir = request.dir.canonicalize().ok()?;
                let canonical_path =
                    path_from_working_dir.canonicalize().unwrap_or_else(|_| working_dir.join(path));
                canonical_path.strip_prefix(root).map(Path::to_owned).ok()
            });
            in_tree.unwrap_or(path_from_working_dir)
        };
        let read_model = |file: &PathBuf| ProjectModelFile::read(file, environment).map(Arc::new);
        Ok(ProjectOptions {
            model_file: request.project.as_ref().map(read_model).transpose()?,
            build: request.build,
            model: request.model,
            is_offline: request.is_build_offline,
            sources: request.sources.iter().map(resolve_path).collect(),
            test_sources: Vec::new(),
            class_path: request.class_path.iter().map(|path| request.dir.join(path)).collect(),
            javac_options: request.javac_options.clone(),
            repositories: LocalRepositories::from_environment(environment),
            maven: MavenSettings::from_environment(environment),
            tests: match &request.oracle {
                OracleRequest::Tests(selectors) => selectors.clone(),
                OracleRequest::Command(_) => Vec::new(),
            },
            working_directory: self.working_directory(),
        })
    }

    /// Returns the user's working directory, relative to the work tree; the root if it is outside.
    fn working_directory(&self) -> PathBuf {
        let folder = || {
            let root = self.work_dir?.canonicalize().ok()?;
            self.request.dir.canonicalize().ok()?.strip_prefix(root).map(Path::to_owned).ok()
        };
        folder().unwrap_or_default()
    }

    /// Returns the files of every `--test-source` with their paths in a tree: their paths in the user's work tree, or
    /// else below `root`.
    fn read_test_sources(
        &self,
        root: &RepoPath,
    ) -> Result<BTreeMap<RepoPath, mend_model::FileState>> {
        let mut files = BTreeMap::new();
        for folder in &self.request.test_sources {
            let folder = self.request.dir.join(folder);
            let path_in_tree = self.work_dir.and_then(|work_dir| {
                let work_dir = work_dir.canonicalize().ok()?;
                folder.canonicalize().ok()?.strip_prefix(work_dir).map(to_repo_path).ok()
            });
            files.extend(read_test_folder(&folder, path_in_tree.as_ref().unwrap_or(root))?);
        }
        Ok(files)
    }

    fn add_test_files(
        &self,
        bad: &ResolvedVersion,
        files: &BTreeMap<RepoPath, mend_model::FileState>,
    ) -> Result<TreeId> {
        let changes =
            files.iter().map(|(path, state)| (path.clone(), Some(state.clone()))).collect();
        self.store.write_tree(&TreeEdit { base: bad.original_tree.clone(), changes })
    }

    fn test_code(&self, rule: TestCodeRule, files: impl IntoIterator<Item = RepoPath>) -> TestCode {
        let rule = if self.request.includes_test_code { TestCodeRule::FilesOnly } else { rule };
        TestCode::new(rule, files)
    }
}

/// Discovers the project in a folder that contains bad.
fn discover_project(
    folder: &Path,
    options: &ProjectOptions,
    tools: &Toolchain,
    label: &str,
) -> Result<(Project, Toolchain)> {
    Project::discover_with_suitable_jdk(folder, options, tools.clone())
        .map_err(|problem| rename_folder_in_problem(problem, folder, label))
}

/// Replaces the path of the temporary folder in a problem by the name of bad.
fn rename_folder_in_problem(problem: Problem, folder: &Path, label: &str) -> Problem {
    let rename_folder =
        |text: &str| text.replace(&folder.display().to_string(), &format!("bad ({label})"));
    match problem {
        Problem::NoSources { looked } => Problem::NoSources { looked: rename_folder(&looked) },
        Problem::Usage { message, remedy } => {
            Problem::Usage { message: rename_folder(&message), remedy }
        }
        other => other,
    }
}

/// Returns the test folders of a project that contain nothing else.
fn test_roots(project: &Project) -> Vec<RepoPath> {
    let mains: Vec<RepoPath> = project.main_roots.iter().map(|root| to_repo_path(root)).collect();
    let roots = project
        .test_roots
        .iter()
        .chain(&project.test_resource_roots)
        .filter(|root| root.is_relative())
        .map(|root| to_repo_path(root));
    roots.filter(|root| !mains.iter().any(|main| main == root || main.is_under(root))).collect()
}

/// Returns the folder for tests in a tree without a known build.
fn default_test_root(store: &ObjectStore, tree: &TreeId) -> Result<RepoPath> {
    let paths = store.read_tree(tree)?;
    let common_roots = ["src/test/java", "src/test", "test", "tests"].map(RepoPath::from);
    let existing_root =
        common_roots.iter().find(|root| paths.keys().any(|path| path.is_under(root)));
    Ok(existing_root.unwrap_or(&common_roots[0]).clone())
}
