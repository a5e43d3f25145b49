//! Worker of the fake server: runs a command in an input root.

use crate::batch::PROGRAM_FILE;
use crate::worker::batch_run::run_batch;
use bazel_remote_apis::build::bazel::remote::execution::v2;
use std::path::Path;
use std::process::{Command, Stdio};

/// How the fake server runs actions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorkerKind {
    /// Starts the program in the input root.
    Process,
    /// Calls the worker in this process.
    InProcess,
}

impl WorkerKind {
    /// Runs an action. Returns its exit code and error output.
    pub(super) fn run(self, command: &v2::Command, root: &Path) -> (i32, Vec<u8>) {
        match self {
            Self::Process => run_process(command, root),
            Self::InProcess => match run_batch(root, Path::new("/bin/cat")) {
                Ok(()) => (0, Vec::new()),
                Err(problem) => (3, problem.to_string().into_bytes()),
            },
        }
    }
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
