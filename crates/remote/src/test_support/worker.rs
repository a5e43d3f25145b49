//! Workers of the fake server: they run a program in an input root, or simulate it.

use crate::batch::{
    BASE_FOLDER, BatchResponse, CHANGES_FOLDER, PROGRAM_FILE, SCHEMA_ID, TrialResponse,
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

/// Runs the program of an action in its input root. Returns its exit code and error output.
pub(super) fn run_program(kind: &WorkerKind, command: &v2::Command, root: &Path) -> (i32, Vec<u8>) {
    match kind {
        WorkerKind::Process => run_process(command, root),
        WorkerKind::InProcess => match run_batch(root, Path::new("/bin/cat")) {
            Ok(()) => (0, Vec::new()),
            Err(problem) => (3, problem.to_string().into_bytes()),
        },
        WorkerKind::Simulated(_) => unreachable!("no program runs"),
    }
}

/// Returns the content of the response file. The files of the action are read by path.
pub(super) fn simulate_batch(
    test: &SimulatedTest,
    trials: usize,
    read_input: &dyn Fn(&str) -> Option<Vec<u8>>,
) -> Vec<u8> {
    let simulate = |number: usize| {
        let start = Instant::now();
        let places = [format!("{CHANGES_FOLDER}/{number}"), BASE_FOLDER.to_owned()];
        let read = |path: &str| {
            let content = places.iter().find_map(|place| read_input(&format!("{place}/{path}")))?;
            String::from_utf8(content).ok()
        };
        let execution = test(&read);
        let millis = u64::try_from(start.elapsed().as_millis()).unwrap();
        TrialResponse { result: Ok(execution.into()), millis, is_trusted: true }
    };
    let trials = (0..trials).map(simulate).collect();
    let response = BatchResponse { schema: SCHEMA_ID.to_owned(), jdk: None, trials };
    serde_json::to_vec(&response).unwrap()
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
