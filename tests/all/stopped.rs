//! Runs that are stopped in the middle, and what `--resume` makes of them.

use crate::support::{
    CommandOutput, RepositorySnapshot, commit, eventually, is_gone, program, repository, untouched,
};
use rustix::process::{Pid, Signal, kill_process_group};
use std::fmt::Write as _;
use std::fs;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// Sixteen lines change, and one of them breaks the check. While the file `$STOP` is there, the check
/// does something else as soon as the search is down to a few lines.
struct StoppableCase {
    dir: TempDir,
    aside: TempDir,
}

impl StoppableCase {
    fn new(at_a_few_lines: &str) -> Self {
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
             {at_a_few_lines}\nfi\ngrep -q 'line 7 is old' lines.txt\n"
        );
        commit(dir.path(), "one", &[("lines.txt", lines("old")), ("check.sh", check)]);
        commit(dir.path(), "two", &[("lines.txt", lines("new"))]);
        let case = Self { dir, aside: tempfile::tempdir().unwrap() };
        fs::write(case.stop(), "").unwrap();
        case
    }

    fn stop(&self) -> PathBuf {
        self.aside.path().join("stop")
    }

    fn run(&self) -> PathBuf {
        self.aside.path().join("run")
    }

    fn command(&self, more: &[&str]) -> Command {
        let mut command = program(self.dir.path());
        command.env("STOP", self.stop()).env("RUN", self.run());
        command.args(["bisect", "--good", "HEAD~1", "--jobs", "1", "--output"]).arg(self.run());
        command.args(more).args(["--", "sh", "check.sh"]);
        command
    }

    fn status(&self) -> String {
        let text = fs::read(self.run().join("result.json")).unwrap();
        let result: serde_json::Value = serde_json::from_slice(&text).unwrap();
        result["status"].as_str().unwrap().to_owned()
    }

    /// Goes on to the end, and finds what a run finds that nobody stopped.
    fn resumes(&self) {
        fs::remove_file(self.stop()).unwrap();
        let ran = untouched(self.dir.path(), &mut self.command(&["--resume", "--format", "json"]));
        ran.says(0, &[]);
        let result = ran.json();
        assert_eq!(result["status"], "found");
        assert_eq!(
            (&result["culprit"]["tokens"], &result["fix"]["tokens"]),
            (&2.into(), &2.into())
        );
        assert_eq!(result["culprit"]["minimal"], true);
        assert!(result["cost"]["cached"].as_u64().unwrap() >= 4, "{}", result["cost"]);
        let patch = fs::read_to_string(self.run().join("fix.patch")).unwrap();
        assert!(patch.contains("-line 7 is new\n+line 7 is old\n"), "{patch}");
        assert!(!self.run().join("work").exists());
    }
}

/// Lets the check say who it is and never end, and sends Ctrl-C to the program's whole group then.
fn interrupted(case: &StoppableCase, more: &[&str]) -> (CommandOutput, Vec<String>) {
    let mut command = case.command(more);
    let piped = command.process_group(0).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = piped.spawn().unwrap();
    let pids = || fs::read_to_string(case.stop()).unwrap_or_default();
    assert!(eventually(|| pids().ends_with('\n')), "the check does not run");
    kill_process_group(Pid::from_child(&child), Signal::INT).unwrap();
    let ran = CommandOutput::from(child.wait_with_output().unwrap());
    (ran, pids().split_whitespace().map(str::to_owned).collect())
}

const WAIT: &str = "sleep 1000 & echo $! $$ > \"$STOP\"; wait";

fn nothing_is_left(pids: &[String]) {
    assert_eq!(pids.len(), 2);
    for pid in pids {
        assert!(eventually(|| is_gone(pid)), "process {pid} is still there");
    }
}

#[test]
fn ctrl_c_leaves_no_process_shows_the_smallest_so_far_and_is_resumed() {
    let case = StoppableCase::new(WAIT);
    let before = RepositorySnapshot::take(case.dir.path());
    let (ran, pids) = interrupted(&case, &[]);
    ran.says(
        130,
        &["error: interrupted\n", "help: run the same command with --resume to continue\n"],
    );
    nothing_is_left(&pids);
    before.still_hold(case.dir.path());
    assert!(ran.stdout.contains("Smallest culprit so far (16 tokens)"), "{}", ran.stdout);
    assert!(
        ran.stdout.contains("Not checked: culprit.patch on a clean checkout"),
        "{}",
        ran.stdout
    );
    assert!(ran.stdout.contains("--resume"), "{}", ran.stdout);
    assert_eq!(case.status(), "interrupted");
    assert!(!case.run().join("work").exists());
    case.resumes();
}

#[test]
fn ctrl_c_with_json_gives_the_result_so_far() {
    let case = StoppableCase::new(WAIT);
    let (ran, pids) = interrupted(&case, &["--format", "json", "--quiet"]);
    ran.says(130, &[]);
    nothing_is_left(&pids);
    let result = ran.json();
    assert_eq!(result["status"], "interrupted");
    assert_eq!((&result["culprit"]["minimal"], &result["confirmed"]), (&false.into(), &().into()));
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_loses_nothing_and_is_resumed() {
    // From then on every line that the run adds to this file finds no room.
    let fill = "mv \"$RUN/trials.jsonl\" \"$RUN/kept\"; ln -s /dev/full \"$RUN/trials.jsonl\"";
    let case = StoppableCase::new(&format!("[ -e \"$RUN/kept\" ] || {{ {fill}; }}"));
    let ran = untouched(case.dir.path(), &mut case.command(&[]));
    let trials = case.run().join("trials.jsonl");
    let error = format!("error: the disk is full: cannot write {}\n", trials.display());
    ran.says(4, &[&error, "help: free disk space, then run the same command with --resume\n"]);
    assert_eq!(case.status(), "interrupted");
    let again = untouched(case.dir.path(), &mut case.command(&["--resume"]));
    again.says(4, &[&error]);
    fs::rename(case.run().join("kept"), &trials).unwrap();
    case.resumes();
    assert!(fs::read_to_string(&trials).unwrap().lines().count() > 6);
}

#[test]
fn an_output_that_is_a_file_is_refused_and_kept() {
    let case = StoppableCase::new("true");
    fs::write(case.run(), "mine").unwrap();
    let ran = untouched(case.dir.path(), &mut case.command(&[]));
    ran.says(
        2,
        &["error: cannot make the run folder", "help: choose another folder with --output"],
    );
    assert_eq!(fs::read_to_string(case.run()).unwrap(), "mine");
}
