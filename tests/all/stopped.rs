//! Tests of interrupted runs, and of `--resume`.

use crate::concurrency::{PURSE_FILE, case_repository};
use crate::fix::broken_repository;
use crate::generator::{diff_of, write_answer};
use crate::support::{
    CommandOutput, JUNIT, RepositorySnapshot, commit, git, is_gone, program, repository,
    run_keeping_repository, wait_until,
};
use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::Value;
use std::fmt::Write as _;
use std::fs;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// Repository in which sixteen lines change and one of them breaks the check. While the file `$STOP` exists, the check
/// runs another command as soon as few lines are left.
struct StoppableCase {
    dir: TempDir,
    outside: TempDir,
}

impl StoppableCase {
    fn new(late_check_script: &str) -> Self {
        let dir = repository();
        let lines = |word: &str| {
            (1..=16).fold(String::new(), |mut text, n| {
                let _ = write!(text, "line {n} is {word}\n\n");
                text
            })
        };
        let check = format!(
            "changed=$(grep -c new lines.txt)\n\
             if [ -e \"$STOP\" ] && [ $changed -gt 0 ] && [ $changed -lt 5 ]; then\n\
             {late_check_script}\nfi\ngrep -q 'line 7 is old' lines.txt\n"
        );
        commit(dir.path(), "one", &[("lines.txt", lines("old")), ("check.sh", check)]);
        commit(dir.path(), "two", &[("lines.txt", lines("new"))]);
        let case = Self { dir, outside: tempfile::tempdir().unwrap() };
        fs::write(case.stop_file(), "").unwrap();
        case
    }

    fn stop_file(&self) -> PathBuf {
        self.outside.path().join("stop")
    }

    fn run_folder(&self) -> PathBuf {
        self.outside.path().join("run")
    }

    fn command(&self, more: &[&str]) -> Command {
        let mut command = program(self.dir.path());
        command.env("STOP", self.stop_file()).env("RUN", self.run_folder());
        command
            .args(["bisect", "--good", "HEAD~1", "--jobs", "1", "--output"])
            .arg(self.run_folder());
        command.args(more).args(["--", "sh", "check.sh"]);
        command
    }

    fn status(&self) -> String {
        let text = fs::read(self.run_folder().join("result.json")).unwrap();
        let result: serde_json::Value = serde_json::from_slice(&text).unwrap();
        result["status"].as_str().unwrap().to_owned()
    }

    /// Asserts that the resumed run completes and finds the result of an uninterrupted run.
    fn assert_resumes(&self) {
        fs::remove_file(self.stop_file()).unwrap();
        let output = run_keeping_repository(
            self.dir.path(),
            &mut self.command(&["--resume", "--format", "json"]),
        );
        output.assert_exit_and_stderr(0, &[]);
        let result = output.json();
        assert_eq!(result["status"], "found");
        assert_eq!(
            (&result["culprit"]["tokens"], &result["fix"]["tokens"]),
            (&2.into(), &2.into())
        );
        assert_eq!(result["culprit"]["minimal"], true);
        assert!(result["cost"]["cached"].as_u64().unwrap() >= 4, "{}", result["cost"]);
        let patch = fs::read_to_string(self.run_folder().join("fix.patch")).unwrap();
        assert!(patch.contains("-line 7 is new\n+line 7 is old\n"), "{patch}");
        assert!(!self.run_folder().join("work").exists());
    }
}

/// Runs a check that writes its process ids and hangs, then sends SIGINT to the process group of the program.
fn run_and_interrupt(case: &StoppableCase, more: &[&str]) -> (CommandOutput, Vec<String>) {
    let mut command = case.command(more);
    let piped = command.process_group(0).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = piped.spawn().unwrap();
    let pids = || fs::read_to_string(case.stop_file()).unwrap_or_default();
    assert!(wait_until(|| pids().ends_with('\n')), "the check does not run");
    kill_process_group(Pid::from_child(&child), Signal::INT).unwrap();
    let output = CommandOutput::from(child.wait_with_output().unwrap());
    (output, pids().split_whitespace().map(str::to_owned).collect())
}

const WAITING_CHECK: &str = "sleep 1000 & echo $! $$ > \"$STOP\"; wait";

fn assert_processes_gone(pids: &[String]) {
    assert_eq!(pids.len(), 2);
    for pid in pids {
        assert!(wait_until(|| is_gone(pid)), "process {pid} is still there");
    }
}

/// Interrupts a search for fixes as soon as its result satisfies a condition, and returns the result.
fn interrupt_fix(
    dir: &TempDir,
    folder: &Path,
    arguments: &[&str],
    is_reached: impl Fn(&Value) -> bool,
) -> Value {
    let read_result = || {
        let text = fs::read(folder.join("result.json")).unwrap_or_default();
        serde_json::from_slice(&text).unwrap_or(Value::Null)
    };
    let mut command = program(dir.path());
    command.arg("fix").args(arguments).arg("--output").arg(folder);
    let piped = command.process_group(0).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = piped.spawn().unwrap();
    // All candidates are tried before.
    let is_in_time = (0..3).any(|_| wait_until(|| is_reached(&read_result())));
    let signal = if is_in_time { Signal::INT } else { Signal::KILL };
    kill_process_group(Pid::from_child(&child), signal).unwrap();
    let output = CommandOutput::from(child.wait_with_output().unwrap());
    assert!(is_in_time, "{:#}", read_result());
    output.assert_exit_and_stderr(130, &["error: interrupted\n"]);
    assert!(output.stdout.contains("Not verified ("), "{}", output.stdout);
    read_result()
}

#[test]
fn interrupt_during_affected_tests_leaves_no_patch_that_looks_verified() {
    let (dir, outside) = (broken_repository(), tempfile::tempdir().unwrap());
    let folder = outside.path().join("run");
    let arguments = ["--test", "shop.EdgeTest", "--candidates", "60"];
    let log = folder.join("log.txt");
    let is_running = |_: &Value| {
        let text = fs::read_to_string(&log).unwrap_or_default();
        text.contains("running other tests affected by fix-1.patch")
    };
    let result = interrupt_fix(&dir, &folder, &arguments, is_running);
    assert_eq!(result["fixes"], Value::Array(Vec::new()));
    assert!(folder.join("unverified-1.patch").exists());
    assert!(!folder.join("fix-1.patch").exists());
}

#[test]
fn interrupted_verification_keeps_plausible_fixes_as_unverified() {
    let (dir, outside) = (broken_repository(), tempfile::tempdir().unwrap());
    let folder = outside.path().join("run");
    let has_unverified = |result: &Value| {
        result["unverified_fixes"].as_array().is_some_and(|fixes| !fixes.is_empty())
    };
    let arguments = ["--test", "shop.*Test", "--candidates", "60"];
    let result = interrupt_fix(&dir, &folder, &arguments, has_unverified);
    assert_eq!((&result["status"], &result["confirmed"]), (&"interrupted".into(), &Value::Null));
    let fix = &result["unverified_fixes"][0];
    assert_eq!((&fix["patch"], &fix["failing_pass"]), (&"unverified-1.patch".into(), &1.into()));
    let unchecked = fix["not_checked"].to_string();
    assert!(unchecked.contains("a clean checkout"), "{unchecked}");
    let unchecked = result["not_checked"].to_string();
    assert!(unchecked.contains("whose verification was interrupted: unverified-1"), "{unchecked}");
    git(dir.path(), &["apply", "--check", folder.join("unverified-1.patch").to_str().unwrap()]);
    // A run that completes has only verified fixes.
    let mut command = program(dir.path());
    command.args(["fix", "--test", "shop.*Test", "--candidates", "60", "--resume", "--output"]);
    let output = run_keeping_repository(dir.path(), command.arg(&folder).arg("--format=json"));
    output.assert_exit_and_stderr(0, &[]);
    let result = output.json();
    assert!(
        !result["fixes"].as_array().unwrap().is_empty() && !has_unverified(&result),
        "{result}"
    );
    let is_unverified = |name: &std::ffi::OsStr| name.to_string_lossy().starts_with("unverified");
    let mut files = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name());
    assert!(!files.any(|name| is_unverified(&name)));
}

#[test]
fn interrupted_concurrency_repair_keeps_candidates_and_verdicts() {
    let (dir, outside) = (case_repository("coin-transfer"), tempfile::tempdir().unwrap());
    let purse = fs::read_to_string(dir.path().join(PURSE_FILE)).unwrap();
    let patch = diff_of(dir.path(), PURSE_FILE, &purse.replace("int sum;", "int sum"));
    let generator = write_answer(outside.path(), "", &[patch]);
    let folder = outside.path().join("run");
    let was_tried = |_: &Value| {
        let trials = fs::read_to_string(folder.join("trials.jsonl")).unwrap_or_default();
        trials.contains("\"pass\"") && trials.contains("from the generator")
    };
    let arguments = ["--test", "*.*Test", "--classpath", JUNIT, "--technique", "concurrency"];
    let more = ["--top", "9", "--trust-generator", "--generator", &generator];
    let result = interrupt_fix(&dir, &folder, &[&arguments[..], &more].concat(), was_tried);
    assert_eq!(result["status"], "interrupted");
    assert_eq!(result["generator"]["patches"][0]["verdict"], "unresolved", "{result:#}");
    let fix = &result["unverified_fixes"][0];
    assert_eq!((&fix["technique"], &fix["failing_pass"]), (&"concurrency".into(), &1.into()));
    let unchecked = fix["not_checked"].to_string();
    assert!(unchecked.contains("schedules with another seed"), "{unchecked}");
    git(dir.path(), &["apply", "--check", folder.join("unverified-1.patch").to_str().unwrap()]);
    assert!(!folder.join("fix-1.patch").exists());
}

#[test]
fn killed_concurrency_verification_keeps_candidates() {
    let (dir, outside) = (case_repository("coin-transfer"), tempfile::tempdir().unwrap());
    let folder = outside.path().join("run");
    let read_result = || {
        let text = fs::read(folder.join("result.json")).unwrap_or_default();
        serde_json::from_slice(&text).unwrap_or(Value::Null)
    };
    let is_verifying = || {
        let log = fs::read_to_string(folder.join("log.txt")).unwrap_or_default();
        log.contains("checking a fix under up to")
    };
    let mut command = program(dir.path());
    let arguments = ["fix", "--test", "*.*Test", "--classpath", JUNIT, "--technique=concurrency"];
    command.args(arguments).arg("--output").arg(&folder).process_group(0);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let is_in_time = (0..3).any(|_| wait_until(is_verifying));
    kill_process_group(Pid::from_child(&child), Signal::KILL).unwrap();
    child.wait().unwrap();
    let result: Value = read_result();
    assert!(is_in_time, "{result:#}");
    let fix = &result["unverified_fixes"][0];
    assert_eq!((&fix["technique"], &fix["failing_pass"]), (&"concurrency".into(), &1.into()));
    git(dir.path(), &["apply", "--check", folder.join("unverified-1.patch").to_str().unwrap()]);
}

#[test]
fn interrupt_leaves_no_process_and_can_be_resumed() {
    let case = StoppableCase::new(WAITING_CHECK);
    let before = RepositorySnapshot::take(case.dir.path());
    let (output, pids) = run_and_interrupt(&case, &[]);
    output.assert_exit_and_stderr(
        130,
        &["error: interrupted\n", "help: run the same command with --resume to continue\n"],
    );
    assert_processes_gone(&pids);
    before.assert_unchanged(case.dir.path());
    assert!(output.stdout.contains("Smallest culprit so far (16 tokens)"), "{}", output.stdout);
    assert!(
        output.stdout.contains("Not checked: culprit.patch on a clean checkout"),
        "{}",
        output.stdout
    );
    assert!(output.stdout.contains("--resume"), "{}", output.stdout);
    assert_eq!(case.status(), "interrupted");
    assert!(!case.run_folder().join("work").exists());
    case.assert_resumes();
}

#[test]
fn interrupted_json_run_prints_partial_result() {
    let case = StoppableCase::new(WAITING_CHECK);
    let (output, pids) = run_and_interrupt(&case, &["--format", "json", "--quiet"]);
    output.assert_exit_and_stderr(130, &[]);
    assert_processes_gone(&pids);
    let result = output.json();
    assert_eq!(result["status"], "interrupted");
    assert_eq!((&result["culprit"]["minimal"], &result["confirmed"]), (&false.into(), &().into()));
}

#[test]
#[cfg(target_os = "linux")]
fn run_on_full_disk_can_be_resumed() {
    // From now on, each write to this file fails for lack of disk space.
    let fill = "mv \"$RUN/trials.jsonl\" \"$RUN/kept\"; ln -s /dev/full \"$RUN/trials.jsonl\"";
    let case = StoppableCase::new(&format!("[ -e \"$RUN/kept\" ] || {{ {fill}; }}"));
    let output = run_keeping_repository(case.dir.path(), &mut case.command(&[]));
    let trials = case.run_folder().join("trials.jsonl");
    let error = format!("error: the disk is full: cannot write {}\n", trials.display());
    output.assert_exit_and_stderr(
        4,
        &[&error, "help: free disk space, then run the same command with --resume\n"],
    );
    assert_eq!(case.status(), "interrupted");
    let resumed = run_keeping_repository(case.dir.path(), &mut case.command(&["--resume"]));
    resumed.assert_exit_and_stderr(4, &[&error]);
    fs::rename(case.run_folder().join("kept"), &trials).unwrap();
    case.assert_resumes();
    assert!(fs::read_to_string(&trials).unwrap().lines().count() > 6);
}

#[test]
fn output_path_that_is_a_file_is_rejected() {
    let case = StoppableCase::new("true");
    fs::write(case.run_folder(), "mine").unwrap();
    let output = run_keeping_repository(case.dir.path(), &mut case.command(&[]));
    output.assert_exit_and_stderr(
        2,
        &["error: cannot make the run folder", "help: choose another folder with --output"],
    );
    assert_eq!(fs::read_to_string(case.run_folder()).unwrap(), "mine");
}
