//! Tests that a killed run leaves no process.

use crate::support::{is_gone, wait_until};
use mend_model::Interrupt;
use mend_process::{Program, Supervisor};
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// Environment variable with the folder of the run below.
const FOLDER_VARIABLE: &str = "WATCHDOG_TEST_FOLDER";

fn read_pid(file: &Path) -> Option<String> {
    let pid = fs::read_to_string(file).ok()?.trim().to_owned();
    (!pid.is_empty()).then_some(pid)
}

fn start_run(dir: &Path, script: &str) -> Child {
    fs::write(dir.join("script"), script).unwrap();
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "watchdog::a_run_that_is_about_to_be_killed", "--ignored"])
        .env(FOLDER_VARIABLE, dir)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// Process that the tests below kill. This is not a test by itself.
#[test]
#[ignore = "runs only as a part of other tests"]
fn a_run_that_is_about_to_be_killed() {
    let Some(dir) = std::env::var_os(FOLDER_VARIABLE) else { return };
    let program = assert_cmd::cargo::cargo_bin!("git-mend");
    let supervisor = Supervisor::start(Interrupt::default(), program).unwrap();
    let script = Path::new(&dir).join("script");
    Program::new("sh").arg(script).cwd(Path::new(&dir)).supervised(&supervisor).run().unwrap();
}

fn assert_kill_ends_processes(script: &str, files: &[&str]) {
    let dir = tempfile::tempdir().unwrap();
    let mut run = start_run(dir.path(), script);
    let pids = || files.iter().map(|file| read_pid(&dir.path().join(file))).collect();
    assert!(wait_until(|| Option::<Vec<String>>::is_some(&pids())), "the run did not start");
    run.kill().unwrap();
    run.wait().unwrap();
    for pid in pids().unwrap() {
        assert!(wait_until(|| is_gone(&pid)), "process {pid} is still there");
    }
}

#[test]
fn killed_run_leaves_no_program_or_child() {
    let script = "sleep 1000 & echo $! > child; echo $$ > program; wait";
    assert_kill_ends_processes(script, &["child", "program"]);
}

#[test]
#[cfg(target_os = "linux")]
fn killed_run_leaves_no_program_in_another_session() {
    let script = "setsid sh -c 'echo $$ > away; exec sleep 1000' & wait";
    assert_kill_ends_processes(script, &["away"]);
}
