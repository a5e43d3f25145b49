//! Tests with various working folders, repository kinds and output destinations.

use crate::support::{
    CommandOutput, RepositorySnapshot, bisect_arguments, commit_words, git, program, run_folder,
    run_keeping_repository, run_mend_keeping_repository, words_repository,
};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Stdio;

const GOOD_OPTION: [&str; 2] = ["--good", "release-1"];

fn assert_finds_the_word(output: &CommandOutput) {
    output.assert_exit_and_stderr(0, &[]);
    assert!(output.stdout.contains("  words.txt:2\n    - bad\n    + good\n"), "{}", output.stdout);
}

#[test]
fn subfolder_works_like_the_root() {
    let dir = words_repository();
    fs::create_dir(dir.path().join("sub")).unwrap();
    assert_finds_the_word(&run_mend_keeping_repository(
        dir.path(),
        &[&["-C", "sub"][..], &bisect_arguments(&GOOD_OPTION)].concat(),
    ));
    let sub = dir.path().join("sub");
    assert_finds_the_word(&run_keeping_repository(
        dir.path(),
        program(&sub).args(bisect_arguments(&GOOD_OPTION)),
    ));
    assert!(!sub.join(".git-mend").exists());
}

#[test]
fn missing_working_directory_is_a_usage_error() {
    let dir = tempfile::tempdir().unwrap();
    let words =
        ["error: cannot work in ", "help: change to an existing folder, or name one with -C"];
    for command in [&["doctor"][..], &bisect_arguments(&GOOD_OPTION), &["hook", "run", "pre-push"]]
    {
        let mut missing = program(dir.path());
        let output = missing.args(["-C", "missing"]).args(command).output().unwrap();
        CommandOutput::from(output).assert_exit_and_stderr(2, &words);
        let git_mend = assert_cmd::cargo::cargo_bin!("git-mend");
        let mut deleted = std::process::Command::new("sh");
        let script = "mkdir gone && cd gone && rmdir ../gone && exec \"$@\"";
        deleted.current_dir(dir.path()).args(["-c", script, "sh"]).arg(git_mend).args(command);
        CommandOutput::from(deleted.output().unwrap()).assert_exit_and_stderr(2, &words);
    }
}

#[test]
fn work_tree_version_includes_uncommitted_files() {
    let dir = words_repository();
    fs::write(dir.path().join("mine.txt"), "mine\n").unwrap();
    git(dir.path(), &["add", "mine.txt"]);
    let output = run_mend_keeping_repository(
        dir.path(),
        &bisect_arguments(&[&GOOD_OPTION[..], &["--bad", "."]].concat()),
    );
    assert_finds_the_word(&output);
    assert!(!output.stderr.contains("leaves them out"), "{}", output.stderr);
}

#[test]
fn special_characters_in_paths_are_quoted_in_commands() {
    let home = tempfile::tempdir().unwrap();
    let dir = home.path().join("my shop's \"till\" für 店");
    fs::create_dir(&dir).unwrap();
    git(&dir, &["init", "-q"]);
    commit_words(&dir);
    let output = run_mend_keeping_repository(&dir, &bisect_arguments(&GOOD_OPTION));
    assert_finds_the_word(&output);
    let next = output.stdout.lines().find_map(|line| line.strip_prefix("Apply:      ")).unwrap();
    let typed = std::process::Command::new("sh").current_dir(&dir).args(["-c", next]).status();
    assert!(typed.unwrap().success(), "{next}");
    assert!(fs::read_to_string(dir.join("words.txt")).unwrap().contains("good"));
}

#[test]
fn bare_repository_is_supported() {
    let (origin, home) = (words_repository(), tempfile::tempdir().unwrap());
    let bare = home.path().join("shop.git");
    let from = origin.path().to_str().unwrap();
    git(home.path(), &["clone", "-q", "--bare", from, bare.to_str().unwrap()]);
    assert_finds_the_word(&run_mend_keeping_repository(&bare, &bisect_arguments(&GOOD_OPTION)));
    assert!(bare.join("mend/runs").is_dir());
}

#[test]
fn linked_work_tree_is_supported() {
    let (dir, home) = (words_repository(), tempfile::tempdir().unwrap());
    let linked = home.path().join("linked");
    git(dir.path(), &["worktree", "add", "-q", linked.to_str().unwrap(), "HEAD"]);
    fs::write(linked.join("words.txt"), "mine\n").unwrap();
    let before = RepositorySnapshot::take(&linked);
    let output =
        run_keeping_repository(dir.path(), program(&linked).args(bisect_arguments(&GOOD_OPTION)));
    assert_finds_the_word(&output);
    output.assert_exit_and_stderr(0, &["note: uncommitted changes in your work tree"]);
    before.assert_unchanged(&linked);
    assert_eq!(git(dir.path(), &["worktree", "list"]).lines().count(), 2);
}

/// Git sets these variables for its hooks. The test command's own git must not see them.
#[test]
fn git_variables_of_a_hook_do_not_reach_trials() {
    let dir = words_repository();
    let check = "git add -A && test \"$(git rev-parse --show-toplevel)\" = \"$PWD\" && sh check.sh";
    let mut command = program(dir.path());
    command.args([&["bisect"][..], &GOOD_OPTION, &["--", "sh", "-c", check]].concat());
    let git_dir = dir.path().join(".git");
    command.env("GIT_DIR", &git_dir).env("GIT_INDEX_FILE", git_dir.join("index"));
    command.env("GIT_WORK_TREE", dir.path()).env("GIT_PREFIX", "");
    assert_finds_the_word(&run_keeping_repository(dir.path(), &mut command));
}

#[test]
fn dry_run_only_measures() {
    let dir = words_repository();
    let output = run_mend_keeping_repository(
        dir.path(),
        &bisect_arguments(&[&GOOD_OPTION[..], &["--dry-run"]].concat()),
    );
    output.assert_exit_and_stderr(0, &[]);
    let measured =
        "good passes and bad fails; between them: 2 commits, 2 files, 3 components, 5 tokens\n";
    assert!(output.stdout.starts_with(measured), "{}", output.stdout);
    let id = |name: &str| git(dir.path(), &["rev-parse", name]);
    let (good, bad) = (id("release-1"), id("HEAD"));
    let next = format!("Next:       git mend bisect --good {good} --bad {bad} -- sh check.sh\n");
    assert!(output.stdout.contains(&next), "{}", output.stdout);
    let run = run_folder(dir.path());
    assert!(!run.join("fix.patch").exists() && !run.join("work").exists());
    let result: Value =
        serde_json::from_slice(&fs::read(run.join("result.json")).unwrap()).unwrap();
    assert_eq!((&result["fix"], &result["cost"]["tests"]), (&Value::Null, &2.into()));
}

#[test]
fn quiet_run_prints_only_the_result() {
    let dir = words_repository();
    let output = run_mend_keeping_repository(
        dir.path(),
        &bisect_arguments(&[&GOOD_OPTION[..], &["-q"]].concat()),
    );
    assert_finds_the_word(&output);
    assert_eq!(output.stderr, "");
}

#[test]
fn json_is_the_only_standard_output() {
    let dir = words_repository();
    let output = run_mend_keeping_repository(
        dir.path(),
        &bisect_arguments(&[&GOOD_OPTION[..], &["--format", "json"]].concat()),
    );
    output.assert_exit_and_stderr(0, &[]);
    let run = run_folder(dir.path());
    let on_disk: Value =
        serde_json::from_slice(&fs::read(run.join("result.json")).unwrap()).unwrap();
    assert_eq!(output.json(), on_disk);
}

/// The JSON output contains the problem of a failed run.
#[test]
fn json_reports_failed_baseline_check() {
    let dir = words_repository();
    let arguments =
        bisect_arguments(&["--good", "release-1", "--bad", "main~1", "--format", "json"]);
    let output = run_mend_keeping_repository(dir.path(), &arguments);
    output.assert_exit_and_stderr(3, &["does not fail"]);
    let result = output.json();
    assert_eq!(result["status"], "error");
    assert_eq!(result["message"], "baseline check failed: the test does not fail on bad (main~1)");
}

#[test]
fn closed_output_pipe_is_no_error() {
    let dir = words_repository();
    let mut command = program(dir.path());
    let piped =
        command.args(bisect_arguments(&GOOD_OPTION)).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = piped.spawn().unwrap();
    drop(child.stdout.take());
    drop(child.stderr.take());
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert!(Path::new(&run_folder(dir.path())).join("fix.patch").exists());
}

#[test]
fn read_only_repository_works_with_output_folder() {
    let dir = words_repository();
    // A file at this path prevents the creation of the folder, even for root.
    fs::remove_dir_all(dir.path().join(".git/mend")).unwrap();
    fs::write(dir.path().join(".git/mend"), "").unwrap();
    run_mend_keeping_repository(dir.path(), &bisect_arguments(&GOOD_OPTION))
        .assert_exit_and_stderr(2, &[".git/mend/runs", "--output"]);
    let out = tempfile::tempdir().unwrap();
    let output_path = out.path().to_str().unwrap();
    let output = ["--output", output_path];
    assert_finds_the_word(&run_mend_keeping_repository(
        dir.path(),
        &bisect_arguments(&[GOOD_OPTION, output].concat()),
    ));
}
