//! Runs a command of git-mend as a user does, and reads its answer.

use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

/// Answer of a command.
pub(crate) struct Answer {
    /// Exit code.
    pub(crate) code: i32,
    /// First line of the error, or the status.
    pub(crate) message: String,
    pub(crate) result: Value,
    pub(crate) trials: Vec<Value>,
    pub(crate) seconds: f64,
}

/// Runs a command in a repository.
pub(crate) fn run_command(root: &Path, arguments: &[&str]) -> Answer {
    let start = Instant::now();
    let output = Command::new(env!("CARGO_BIN_EXE_git-mend"))
        .args(arguments)
        .args(["--format", "json"])
        .current_dir(root)
        .output()
        .unwrap();
    let seconds = start.elapsed().as_secs_f64();
    let result: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    let stderr = String::from_utf8_lossy(&output.stderr);
    let error = stderr.lines().find(|line| line.starts_with("error:")).unwrap_or_default();
    let status = result["status"].as_str().unwrap_or_default();
    let message = if error.is_empty() { status.to_owned() } else { error.to_owned() };
    let code = output.status.code().unwrap_or(-1);
    Answer { code, message, result, trials: read_json_lines(root, "trials.jsonl"), seconds }
}

/// Reads a file with one JSON value per line from the last run folder of a repository.
pub(crate) fn read_json_lines(root: &Path, name: &str) -> Vec<Value> {
    let text = last_run(root).and_then(|run| fs::read_to_string(run.join(name)).ok());
    let text = text.unwrap_or_default();
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

/// Returns the last run folder of a repository.
pub(crate) fn last_run(root: &Path) -> Option<PathBuf> {
    let runs = fs::read_dir(root.join(".git/mend/runs")).ok()?;
    runs.map(|run| run.unwrap().path()).max()
}
