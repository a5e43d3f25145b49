//! Runs the trials of a batch, and writes the response.

use crate::batch::{
    BASE_FOLDER, BatchRequest, BatchResponse, CHANGES_FOLDER, ENGINE_FILE, EngineRequest,
    JavaEngineRequest, OUTSIDE_FOLDER, PROGRAM_FILE, REQUEST_FILE, RESPONSE_FILE, RUNTIME_FOLDER,
    SCHEMA_ID, TestExecution, TrialMode, TrialResponse, UNUSABLE_EXIT_CODE,
};
use crate::worker::variant_tree::{VariantTree, apply_changes, list_files};
use anyhow::Context as _;
use mend_engine::{
    CommandEngine, Engine, EngineChoice, Environment, Execution, Jdk, Limits, ProcessEngine,
    ResidentEngine, RunMode, RunRequest, ScheduleEngine, SupervisedLauncher, Toolchain,
};
use mend_model::{Interrupt, Problem, Result, is_disk_full};
use mend_process::Supervisor;
use serde::de::DeserializeOwned;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

/// Folder of the worker's own files, below the input root.
const WORK_FOLDER: &str = "work";

/// Entry point of a worker: the current folder is the input root.
pub fn worker_main() -> ExitCode {
    match std::env::current_dir().context("finding the input root").map_err(Into::into) {
        Ok(root) => match run_batch(&root, &root.join(PROGRAM_FILE)) {
            Ok(()) => ExitCode::SUCCESS,
            Err(problem) => report_problem(&problem),
        },
        Err(problem) => report_problem(&problem),
    }
}

/// Prints a problem, which the server passes on to the client.
#[expect(clippy::print_stderr, reason = "a worker has no console")]
fn report_problem(problem: &Problem) -> ExitCode {
    eprintln!("{problem}");
    ExitCode::from(UNUSABLE_EXIT_CODE)
}

/// Judges the batch in an input root. `program` is this program, which also runs as the watchdog.
///
/// # Errors
/// A missing JDK, a JDK of another release than the client's, and problems of this machine.
pub(crate) fn run_batch(root: &Path, program: &Path) -> Result<()> {
    let request: BatchRequest = read_json(&root.join(REQUEST_FILE))?;
    if request.schema != SCHEMA_ID {
        return Err(anyhow::anyhow!("the request has the schema {}", request.schema).into());
    }
    let worker = Worker::create(root, program)?;
    let engine = worker.create_engine(read_json(&root.join(ENGINE_FILE))?)?;
    let trials = worker.run_trials(&engine, &request)?;
    let response = BatchResponse { schema: SCHEMA_ID.to_owned(), jdk: engine.jdk, trials };
    let text = serde_json::to_vec(&response).context("writing the response")?;
    let file = root.join(RESPONSE_FILE);
    fs::write(&file, text).map_err(|error| Problem::io(error, file))
}

fn read_json<T: DeserializeOwned>(file: &Path) -> Result<T> {
    let text = fs::read(file).map_err(|error| Problem::io(error, file))?;
    Ok(serde_json::from_slice(&text).with_context(|| format!("reading {}", file.display()))?)
}

/// A worker in an input root.
struct Worker {
    root: PathBuf,
    work_dir: PathBuf,
    launcher: Arc<SupervisedLauncher>,
}

/// Engine of a batch.
struct BatchEngine {
    kind: EngineKind,
    jdk: Option<String>,
}

enum EngineKind {
    Resident(Box<ResidentEngine>),
    Other(Box<dyn Engine>),
}

impl BatchEngine {
    fn run(&self, request: &RunRequest<'_>) -> Result<Execution> {
        match &self.kind {
            EngineKind::Resident(engine) => engine.run(request),
            EngineKind::Other(engine) => engine.run(request),
        }
    }

    fn is_trusted(&self) -> bool {
        match &self.kind {
            EngineKind::Resident(engine) => engine.is_trusted(),
            EngineKind::Other(_) => true,
        }
    }
}

impl Worker {
    fn create(root: &Path, program: &Path) -> Result<Self> {
        let work_dir = root.join(WORK_FOLDER);
        fs::create_dir_all(&work_dir).map_err(|error| Problem::io(error, &work_dir))?;
        let supervisor = Supervisor::start(Interrupt::default(), program)?;
        let launcher = Arc::new(SupervisedLauncher { supervisor, ceiling: work_dir.clone() });
        Ok(Self { root: root.to_owned(), work_dir, launcher })
    }

    fn create_engine(&self, request: EngineRequest) -> Result<BatchEngine> {
        let environment = Environment::from_process();
        match request {
            EngineRequest::Java(request) => self.create_java_engine(*request, environment),
            EngineRequest::Command { words } => {
                let words = words.into_iter().map(OsString::from).collect();
                let engine = CommandEngine::new(words, environment, self.launcher.clone());
                Ok(BatchEngine { kind: EngineKind::Other(Box::new(engine)), jdk: None })
            }
        }
    }

    fn create_java_engine(
        &self,
        request: JavaEngineRequest,
        environment: Environment,
    ) -> Result<BatchEngine> {
        let jdk = Jdk::find(&environment, &*self.launcher)?;
        if jdk.version != request.jdk_version {
            let text = format!(
                "the workers have JDK {}, and this machine has JDK {}",
                jdk.version, request.jdk_version
            );
            return Err(anyhow::anyhow!(text).into());
        }
        let version = Some(jdk.full_version.clone());
        let home = self.prepare_home()?;
        let tools = Toolchain::new(jdk, self.launcher.clone(), &home).without_class_archive();
        let outside = self.root.join(OUTSIDE_FOLDER);
        let moved_path = |path: PathBuf| {
            let below = path.strip_prefix("/").unwrap_or(&path);
            (path.clone(), outside.join(below))
        };
        let moved = request.outside_paths.into_iter().map(moved_path).collect();
        let engine = request.engine.with_moved_paths(&moved);
        let build = self.work_dir.join("build");
        let process = ProcessEngine::from_portable(engine, tools, environment, &build);
        let kind = match request.execution {
            TestExecution::Process => EngineKind::Other(Box::new(process)),
            TestExecution::Schedules(config) => {
                let engine = ScheduleEngine::new(process, EngineChoice::Auto, config);
                EngineKind::Other(Box::new(engine))
            }
            TestExecution::Resident { reuses_results } => {
                let engine = ResidentEngine::new(process, EngineChoice::Auto, 0);
                let engine = engine.without_sampling();
                let engine = if reuses_results { engine.with_result_cache() } else { engine };
                EngineKind::Resident(Box::new(engine))
            }
        };
        Ok(BatchEngine { kind, jdk: version })
    }

    /// Creates the folder of our compiled Java programs, with links to those of the client.
    fn prepare_home(&self) -> Result<PathBuf> {
        let home = self.work_dir.join("home");
        let runtime = home.join(RUNTIME_FOLDER);
        fs::create_dir_all(&runtime).map_err(|error| Problem::io(error, &runtime))?;
        for entry in fs::read_dir(self.root.join(RUNTIME_FOLDER)).into_iter().flatten().flatten() {
            let link = runtime.join(entry.file_name());
            std::os::unix::fs::symlink(entry.path(), &link)
                .map_err(|error| Problem::io(error, link))?;
        }
        Ok(home)
    }

    fn run_trials(
        &self,
        engine: &BatchEngine,
        request: &BatchRequest,
    ) -> Result<Vec<TrialResponse>> {
        let base = list_files(&self.root.join(BASE_FOLDER))?;
        let mut tree = VariantTree::create(self.work_dir.join("tree"))?;
        let mut responses = Vec::new();
        for (number, trial) in request.trials.iter().enumerate() {
            let changes = self.root.join(CHANGES_FOLDER).join(number.to_string());
            let start = Instant::now();
            let files = apply_changes(&base, &trial.removed, list_files(&changes)?);
            tree.check_out(&files)?;
            let result = run_trial(engine, tree.path(), &request.limits, &trial.mode);
            responses.push(TrialResponse {
                result: result.map(Into::into).map_err(|problem| problem.to_string()),
                millis: u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX),
                is_trusted: engine.is_trusted(),
            });
        }
        Ok(responses)
    }
}

fn run_trial(
    engine: &BatchEngine,
    tree: &Path,
    limits: &Limits,
    mode: &TrialMode,
) -> Result<Execution> {
    let mode = match mode {
        TrialMode::Quick => RunMode::Quick,
        TrialMode::Checked => RunMode::Checked,
        TrialMode::Clean => RunMode::Clean,
        TrialMode::Confirm(outcome) => RunMode::Confirm(outcome),
    };
    let execution = engine.run(&RunRequest { tree, limits, mode })?;
    let folders = [tree.to_owned(), std::env::temp_dir()];
    // A failure for lack of disk space is no verdict.
    if !execution.outcome.is_pass() {
        for path in folders {
            if is_disk_full(&path) {
                return Err(Problem::DiskFull { path });
            }
        }
    }
    Ok(execution)
}
