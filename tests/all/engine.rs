//! Tests of the resident engine, from the command line to the run folder.

use crate::support::{commit, git, program, repository, run_mend_keeping_repository, wait_until};
use std::fs;
use std::path::Path;
use std::process::Stdio;
use tempfile::TempDir;

const SUM_TEST: &str = "class T { public static void main(String[] x) throws Exception {\n\
                    if (Code.sum(2, 3) != 5) throw new IllegalStateException(\"wrong\"); } }\n";

fn sum_source(sum: &str) -> String {
    format!(
        "class Code {{\n static int sum(int a, int b) {{ {sum} }}\n\n static int other() {{ return 1; }}\n}}\n"
    )
}

/// Creates a repository with good and bad. One of the three changes of bad breaks the test.
fn sum_repository(sum: &str) -> TempDir {
    let dir = repository();
    let good = sum_source("return a + b;");
    let files = [("src/main/java/Code.java", good.as_str()), ("src/test/java/T.java", SUM_TEST)];
    commit(dir.path(), "good", &files);
    let bad = sum_source(sum).replace("return 1;", "return 2;") + "class More {}\n";
    commit(dir.path(), "bad", &[("src/main/java/Code.java", bad)]);
    dir
}

const BISECT_OPTIONS: [&str; 6] = ["bisect", "--good", "HEAD~1", "--test", "T", "--engine"];

/// Returns the execution modes of the trials.
fn execution_modes(run: &Path) -> Vec<String> {
    let lines = fs::read_to_string(run.join("trials.jsonl")).unwrap();
    let trial = |line: &str| serde_json::from_str::<serde_json::Value>(line).unwrap();
    lines.lines().map(|line| trial(line)["rung"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn both_engines_agree_and_verify_in_clean_builds() {
    let mut patches = Vec::new();
    for engine in ["resident", "process"] {
        let dir = sum_repository("return a - b;");
        let output = run_mend_keeping_repository(
            dir.path(),
            &[&BISECT_OPTIONS[..], &[engine, "--format", "json"]].concat(),
        );
        output.assert_exit_and_stderr(0, &[]);
        let unchecked = output.json()["not_checked"].to_string();
        assert!(!unchecked.contains("resident engine"), "{unchecked}");
        let run = crate::support::run_folder(dir.path());
        let (modes, is_resident) = (execution_modes(&run), engine == "resident");
        assert_eq!(modes.iter().any(|mode| mode == "warm-jvm"), is_resident, "{modes:?}");
        assert_eq!(modes.last().map(String::as_str), Some("clean-build"));
        patches.push(["culprit.patch", "fix.patch"].map(|name| fs::read(run.join(name)).unwrap()));
        assert!(git(dir.path(), &["status", "--porcelain"]).is_empty());
    }
    assert_eq!(patches[0], patches[1]);
}

/// Counts the running JVMs of git-mend for a repository.
#[cfg(target_os = "linux")]
fn resident_jvms(dir: &Path) -> usize {
    let folder = dir.as_os_str().as_encoded_bytes();
    let is_ours = |line: Vec<u8>| {
        let has = |what: &[u8]| line.windows(what.len()).any(|part| part == what);
        has(folder) && (has(b"gitmend.compile.") || has(b"gitmend.testserver."))
    };
    let entries = fs::read_dir("/proc").unwrap().flatten();
    entries.filter(|entry| fs::read(entry.path().join("cmdline")).is_ok_and(is_ours)).count()
}

#[test]
#[cfg(target_os = "linux")]
fn killed_run_leaves_no_resident_jvm() {
    let dir = sum_repository("System.out.println(1); while (true) {}");
    let mut command = program(dir.path());
    command.args(BISECT_OPTIONS).arg("resident").stdout(Stdio::null()).stderr(Stdio::null());
    let mut run = command.spawn().unwrap();
    // JVMs of the compiler and of the endless test.
    assert!(wait_until(|| resident_jvms(dir.path()) >= 2), "no resident JVM was started");
    run.kill().unwrap();
    run.wait().unwrap();
    assert!(wait_until(|| resident_jvms(dir.path()) == 0), "a JVM is still there");
}
