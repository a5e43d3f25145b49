//! Where the program is started, where the repository lies, and who reads what it says.

use crate::support::{
    CommandOutput, RepositorySnapshot, bisect, git, mend_untouched, program, run_folder, untouched,
    words_in, words_repository,
};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Stdio;

const GOOD: [&str; 2] = ["--good", "release-1"];

fn finds_the_word(ran: &CommandOutput) {
    ran.says(0, &[]);
    assert!(ran.stdout.contains("  words.txt:2\n    - bad\n    + good\n"), "{}", ran.stdout);
}

#[test]
fn a_sub_folder_serves_as_well_as_the_root() {
    let dir = words_repository();
    fs::create_dir(dir.path().join("sub")).unwrap();
    finds_the_word(&mend_untouched(dir.path(), &[&["-C", "sub"][..], &bisect(&GOOD)].concat()));
    let sub = dir.path().join("sub");
    finds_the_word(&untouched(dir.path(), program(&sub).args(bisect(&GOOD))));
    assert!(!sub.join(".git-mend").exists());
}

#[test]
fn a_work_tree_is_a_version_with_all_that_is_not_committed() {
    let dir = words_repository();
    fs::write(dir.path().join("mine.txt"), "mine\n").unwrap();
    git(dir.path(), &["add", "mine.txt"]);
    let ran = mend_untouched(dir.path(), &bisect(&[&GOOD[..], &["--bad", "."]].concat()));
    finds_the_word(&ran);
    assert!(!ran.stderr.contains("leaves them out"), "{}", ran.stderr);
}

#[test]
fn a_path_with_spaces_and_quotes_is_quoted_in_the_command_to_type() {
    let home = tempfile::tempdir().unwrap();
    let dir = home.path().join("my shop's \"till\"");
    fs::create_dir(&dir).unwrap();
    git(&dir, &["init", "-q"]);
    words_in(&dir);
    let ran = mend_untouched(&dir, &bisect(&GOOD));
    finds_the_word(&ran);
    let next = ran.stdout.lines().find_map(|line| line.strip_prefix("Apply:      ")).unwrap();
    let typed = std::process::Command::new("sh").current_dir(&dir).args(["-c", next]).status();
    assert!(typed.unwrap().success(), "{next}");
    assert!(fs::read_to_string(dir.join("words.txt")).unwrap().contains("good"));
}

#[test]
fn a_bare_repository_is_served() {
    let (origin, home) = (words_repository(), tempfile::tempdir().unwrap());
    let bare = home.path().join("shop.git");
    let from = origin.path().to_str().unwrap();
    git(home.path(), &["clone", "-q", "--bare", from, bare.to_str().unwrap()]);
    finds_the_word(&mend_untouched(&bare, &bisect(&GOOD)));
    assert!(bare.join("mend/runs").is_dir());
}

#[test]
fn a_linked_work_tree_is_served_and_keeps_its_own_changes() {
    let (dir, home) = (words_repository(), tempfile::tempdir().unwrap());
    let linked = home.path().join("linked");
    git(dir.path(), &["worktree", "add", "-q", linked.to_str().unwrap(), "HEAD"]);
    fs::write(linked.join("words.txt"), "mine\n").unwrap();
    let before = RepositorySnapshot::take(&linked);
    let ran = untouched(dir.path(), program(&linked).args(bisect(&GOOD)));
    finds_the_word(&ran);
    ran.says(0, &["note: uncommitted changes in your work tree"]);
    before.still_hold(&linked);
    assert_eq!(git(dir.path(), &["worktree", "list"]).lines().count(), 2);
}

/// As git calls its hooks; a trial's own git must see the trial.
#[test]
fn a_hook_s_environment_leads_no_trial_to_the_user_s_repository() {
    let dir = words_repository();
    let check = "git add -A && test \"$(git rev-parse --show-toplevel)\" = \"$PWD\" && sh check.sh";
    let mut command = program(dir.path());
    command.args([&["bisect"][..], &GOOD, &["--", "sh", "-c", check]].concat());
    let git_dir = dir.path().join(".git");
    command.env("GIT_DIR", &git_dir).env("GIT_INDEX_FILE", git_dir.join("index"));
    command.env("GIT_WORK_TREE", dir.path()).env("GIT_PREFIX", "");
    finds_the_word(&untouched(dir.path(), &mut command));
}

#[test]
fn a_dry_run_measures_and_searches_nothing() {
    let dir = words_repository();
    let ran = mend_untouched(dir.path(), &bisect(&[&GOOD[..], &["--dry-run"]].concat()));
    ran.says(0, &[]);
    let measured =
        "good passes and bad fails; between them: 2 commits, 2 files, 3 components, 5 tokens\n";
    assert!(ran.stdout.starts_with(measured), "{}", ran.stdout);
    let id = |name: &str| git(dir.path(), &["rev-parse", name]);
    let (good, bad) = (id("release-1"), id("HEAD"));
    let next = format!("Next:       git mend bisect --good {good} --bad {bad} -- sh check.sh\n");
    assert!(ran.stdout.contains(&next), "{}", ran.stdout);
    let run = run_folder(dir.path());
    assert!(!run.join("fix.patch").exists() && !run.join("work").exists());
    let result: Value =
        serde_json::from_slice(&fs::read(run.join("result.json")).unwrap()).unwrap();
    assert_eq!((&result["fix"], &result["cost"]["tests"]), (&Value::Null, &2.into()));
}

#[test]
fn a_quiet_run_prints_the_answer_alone() {
    let dir = words_repository();
    let ran = mend_untouched(dir.path(), &bisect(&[&GOOD[..], &["-q"]].concat()));
    finds_the_word(&ran);
    assert_eq!(ran.stderr, "");
}

#[test]
fn json_is_all_that_stands_on_standard_output() {
    let dir = words_repository();
    let ran = mend_untouched(dir.path(), &bisect(&[&GOOD[..], &["--format", "json"]].concat()));
    ran.says(0, &[]);
    let run = run_folder(dir.path());
    let on_disk: Value =
        serde_json::from_slice(&fs::read(run.join("result.json")).unwrap()).unwrap();
    assert_eq!(ran.json(), on_disk);
}

/// A problem of a run is in its JSON as well.
#[test]
fn json_tells_a_premise_that_is_false() {
    let dir = words_repository();
    let arguments = bisect(&["--good", "release-1", "--bad", "main~1", "--format", "json"]);
    let ran = mend_untouched(dir.path(), &arguments);
    ran.says(3, &["does not fail"]);
    let result = ran.json();
    assert_eq!(result["status"], "error");
    assert_eq!(result["message"], "baseline check failed: the test does not fail on bad (main~1)");
}

#[test]
fn a_reader_that_went_away_is_no_error() {
    let dir = words_repository();
    let mut command = program(dir.path());
    let piped = command.args(bisect(&GOOD)).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = piped.spawn().unwrap();
    drop(child.stdout.take());
    drop(child.stderr.take());
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert!(Path::new(&run_folder(dir.path())).join("fix.patch").exists());
}

#[test]
fn a_repository_that_cannot_be_written_is_served_with_a_folder_elsewhere() {
    let dir = words_repository();
    // Nobody can make a folder where a file stands, not even root.
    fs::remove_dir_all(dir.path().join(".git/mend")).unwrap();
    fs::write(dir.path().join(".git/mend"), "").unwrap();
    mend_untouched(dir.path(), &bisect(&GOOD)).says(2, &[".git/mend/runs", "--output"]);
    let out = tempfile::tempdir().unwrap();
    let place = out.path().to_str().unwrap();
    let output = ["--output", place];
    finds_the_word(&mend_untouched(dir.path(), &bisect(&[GOOD, output].concat())));
}
