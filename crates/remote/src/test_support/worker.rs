//! Worker of the fake server: runs a command in an input root.

use super::storage::StagingMode;
use crate::batch::{
    BASE_FOLDER, BatchRequest, BatchResponse, CHANGES_FOLDER, PROGRAM_FILE, REQUEST_FILE,
    RESPONSE_FILE, SCHEMA_ID, TrialResponse,
};
use crate::worker::batch_run::run_batch;
use bazel_remote_apis::build::bazel::remote::execution::v2;
use mend_engine::Execution;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Instant;

/// Gives the outcome of a variant, whose files it reads by path.
pub type SimulatedTest = dyn Fn(&dyn Fn(&str) -> Option<String>) -> Execution + Send + Sync;

/// How the fake server runs actions.
#[derive(Clone)]
pub enum WorkerKind {
    /// Starts the program in the input root.
    Process,
    /// Calls the worker in this process.
    InProcess,
    /// Runs no program: this function is the test.
    Simulated(Arc<SimulatedTest>),
}

impl WorkerKind {
    /// Returns how the files of an action are staged.
    pub(super) fn staging_mode(&self) -> StagingMode {
        match self {
            Self::Process | Self::InProcess => StagingMode::Copies,
            // The functions only read.
            Self::Simulated(_) => StagingMode::Links,
        }
    }

    /// Runs an action. Returns its exit code and error output.
    pub(super) fn run(&self, command: &v2::Command, root: &Path) -> (i32, Vec<u8>) {
        match self {
            Self::Process => run_process(command, root),
            Self::InProcess => match run_batch(root, Path::new("/bin/cat")) {
                Ok(()) => (0, Vec::new()),
                Err(problem) => (3, problem.to_string().into_bytes()),
            },
            Self::Simulated(test) => {
                simulate_batch(root, &**test);
                (0, Vec::new())
            }
        }
    }
}

fn simulate_batch(root: &Path, test: &SimulatedTest) {
    let request = std::fs::read(root.join(REQUEST_FILE)).unwrap();
    let request: BatchRequest = serde_json::from_slice(&request).unwrap();
    let simulate = |number: usize| {
        let start = Instant::now();
        let changes = root.join(CHANGES_FOLDER).join(number.to_string());
        let places = [changes, root.join(BASE_FOLDER)];
        let read = |path: &str| {
            places.iter().find_map(|place| std::fs::read_to_string(place.join(path)).ok())
        };
        let execution = test(&read);
        let millis = u64::try_from(start.elapsed().as_millis()).unwrap();
        TrialResponse { result: Ok(execution.into()), millis, is_trusted: true }
    };
    let trials = (0..request.trials.len()).map(simulate).collect();
    let response = BatchResponse { schema: SCHEMA_ID.to_owned(), jdk: None, trials };
    std::fs::write(root.join(RESPONSE_FILE), serde_json::to_vec(&response).unwrap()).unwrap();
}

fn run_process(command: &v2::Command, root: &Path) -> (i32, Vec<u8>) {
    assert_eq!(command.arguments[0], format!("./{PROGRAM_FILE}"));
    let variables = command.environment_variables.iter();
    let output = Command::new(root.join(&command.arguments[0]))
        .args(&command.arguments[1..])
        .current_dir(root)
        .env_clear()
        .envs(variables.map(|variable| (&variable.name, &variable.value)))
        .stdin(Stdio::null())
        .output()
        .unwrap();
    (output.status.code().unwrap_or(137), output.stderr)
}
