//! Tests of runs that are cancelled or lose their client, and of several servers at once.

use super::client::Client;
use crate::support::{commit, is_gone, repository, wait_until};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Repository with a check that hangs as long as the file `$STOP` exists. It appends its process ids to this file.
struct HangingCase {
    dir: TempDir,
    outside: TempDir,
}

impl HangingCase {
    fn new() -> Self {
        let dir = repository();
        let check = "if [ -e \"$STOP\" ]; then sleep 1000 & echo $! $$ >> \"$STOP\"; wait; fi\n\
                     grep -q good words.txt\n";
        commit(dir.path(), "one", &[("words.txt", "good\n"), ("check.sh", check)]);
        commit(dir.path(), "two", &[("words.txt", "bad\n")]);
        let case = Self { dir, outside: tempfile::tempdir().unwrap() };
        fs::write(case.stop_file(), "").unwrap();
        case
    }

    fn stop_file(&self) -> PathBuf {
        self.outside.path().join("stop")
    }

    fn client(&self) -> Client {
        let stop = self.stop_file();
        Client::start_with(self.dir.path(), &["--allow-commands"], &[("STOP", stop.as_os_str())])
    }

    /// Starts a run whose check hangs, and returns its folder once the check runs.
    fn start_hanging_run(&self, client: &Client) -> PathBuf {
        let count = self.pids().len();
        let answer = client.call("find_culprit", Self::arguments());
        assert!(answer.text.contains("Ask again with status"), "{}", answer.text);
        let run = answer.assert_state("running").run();
        assert!(wait_until(|| self.pids().len() == count + 2), "the check does not run");
        run
    }

    fn arguments() -> Value {
        json!({"command": ["sh", "check.sh"], "good": "HEAD~1", "wait_seconds": 0})
    }

    /// Returns the process ids of the checks.
    fn pids(&self) -> Vec<String> {
        let text = fs::read_to_string(self.stop_file()).unwrap_or_default();
        text.split_whitespace().map(str::to_owned).collect()
    }

    fn assert_no_process(&self) {
        for pid in self.pids() {
            assert!(wait_until(|| is_gone(&pid)), "process {pid} is still there");
        }
    }

    /// Continues a run, which now completes.
    fn assert_resumes(&self, client: &Client, run: &Path) {
        fs::remove_file(self.stop_file()).unwrap();
        let answer = client.call("find_culprit", json!({"resume": run}));
        assert_eq!(answer.result()["culprit_commit"]["summary"], "two", "{}", answer.text);
        assert_eq!(answer.run(), run);
    }
}

#[test]
fn cancelled_run_leaves_no_process_and_can_be_continued() {
    let case = HangingCase::new();
    let client = case.client();
    let run = case.start_hanging_run(&client);
    client.call("status", json!({"run": run})).assert_state("running");
    let cancelled = client.call("cancel", json!({"run": run}));
    cancelled.assert_state("interrupted");
    assert!(
        cancelled.text.contains("find_culprit continues it with `resume`"),
        "{}",
        cancelled.text
    );
    case.assert_no_process();
    let wrong = client.call("validate_patches", json!({"resume": run}));
    assert!(
        wrong.is_error && wrong.text.contains("is not a run of validate_patches"),
        "{}",
        wrong.text
    );
    case.assert_resumes(&client, &run);
}

#[test]
fn killed_client_leaves_no_process_and_another_server_continues() {
    let case = HangingCase::new();
    let client = case.client();
    let run = case.start_hanging_run(&client);
    let server = client.server_pid();
    let _zombie = client.kill();
    case.assert_no_process();
    assert!(wait_until(|| is_gone(&server)), "the server is still there");
    let client = case.client();
    let answer = client.call("status", json!({"run": run.file_name().unwrap().to_str()}));
    answer.assert_state("interrupted");
    let list = client.call("status", json!({}));
    assert_eq!(list.result()["runs"][0]["summary"], "interrupted", "{}", list.text);
    case.assert_resumes(&client, &run);
}

#[test]
fn killed_server_leaves_no_process() {
    let case = HangingCase::new();
    let client = case.client();
    let run = case.start_hanging_run(&client);
    let pid = client.server_pid().parse().ok().and_then(rustix::process::Pid::from_raw).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
    case.assert_no_process();
    let other = case.client();
    let is_interrupted =
        || other.call("status", json!({"run": run})).content["state"] == "interrupted";
    assert!(wait_until(is_interrupted), "the run does not end");
}

#[test]
fn servers_share_only_run_folders() {
    let case = HangingCase::new();
    let (one, two) = (case.client(), case.client());
    let runs = [case.start_hanging_run(&one), case.start_hanging_run(&two)];
    assert_ne!(runs[0], runs[1]);
    two.call("status", json!({"run": runs[0]})).assert_state("running");
    let cancelled = two.call("cancel", json!({"run": runs[0]}));
    cancelled.assert_state("interrupted");
    two.call("status", json!({"run": runs[1]})).assert_state("running");
    two.call("cancel", json!({"run": runs[1]})).assert_state("interrupted");
    case.assert_no_process();
}
