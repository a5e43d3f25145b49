//! Tests with several culprits: changes that break the test alone, which `git mend bisect --all` finds, and changes
//! that break it only together.

use crate::support::{bisect_arguments, commit, git, repository, run_folder, run_mend};
use serde_json::Value;
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

/// Creates a repository with two faults in two files, in one or two commits. Each fault breaks `sh check.sh`.
fn repository_with_two_faults(in_one: bool) -> TempDir {
    let dir = repository();
    let check = ("check.sh", "grep -q good a.txt && grep -q fine b.txt\n");
    commit(dir.path(), "one", &[("a.txt", "1\ngood\n-\n2\n"), ("b.txt", "1\nfine\n-\n2\n"), check]);
    git(dir.path(), &["tag", "release-1"]);
    commit(dir.path(), "two", &[("a.txt", "0\ngood\n-\n2\n")]);
    let (a, b) = (("a.txt", "0\nbad\n-\n3\n"), ("b.txt", "1\nfoul\n-\n3\n"));
    if in_one {
        commit(dir.path(), "three", &[a, b]);
    } else {
        commit(dir.path(), "three", &[a]);
        commit(dir.path(), "four", &[b]);
    }
    dir
}

/// Returns true if `sh check.sh` fails at a revision with a patch of the run.
fn fails_with(dir: &Path, revision: &str, patch: &str) -> bool {
    git(dir, &["checkout", "-q", "--detach", revision]);
    git(dir, &["apply", run_folder(dir).join(patch).to_str().unwrap()]);
    let status = Command::new("sh").arg("check.sh").current_dir(dir).status().unwrap();
    git(dir, &["checkout", "-q", "-f", "main"]);
    !status.success()
}

fn assert_both_culprits(dir: &Path, result: &Value) {
    assert_eq!(result["culprit"]["tokens"], 2);
    let others = result["others"].as_array().unwrap();
    assert_eq!(others.len(), 1, "{others:?}");
    assert_eq!(others[0]["patch"], "culprit-2.patch");
    assert_eq!((&others[0]["tokens"], &others[0]["minimal"]), (&2.into(), &true.into()));
    assert_ne!(result["culprit"]["files"], others[0]["files"]);
    for patch in ["culprit.patch", "culprit-2.patch"] {
        assert!(fails_with(dir, "main~2", patch), "{patch}");
    }
    assert_eq!(result["fix"]["tokens"], 4);
    assert!(!fails_with(dir, "main", "fix.patch"));
}

#[test]
fn two_faults_in_one_commit_are_two_culprits() {
    let dir = repository_with_two_faults(true);
    let output = run_mend(
        dir.path(),
        &bisect_arguments(&["--good", "release-1", "--all", "--format", "json"]),
    );
    assert_eq!(output.code, 0, "{}", output.stderr);
    let result = output.json();
    assert_eq!(result["commits_tested"], 1);
    git(dir.path(), &["commit", "-q", "--allow-empty", "-m", "four"]);
    assert_both_culprits(dir.path(), &result);
}

#[test]
fn faults_in_two_commits_are_two_culprits() {
    let dir = repository_with_two_faults(false);
    let output = run_mend(
        dir.path(),
        &bisect_arguments(&["--good", "release-1", "--all", "--format", "json"]),
    );
    assert_eq!(output.code, 0, "{}", output.stderr);
    let result = output.json();
    assert_both_culprits(dir.path(), &result);
    let commits = |patch: &Value| patch["commits"].clone();
    let main = |revision: &str| serde_json::json!([git(dir.path(), &["rev-parse", revision])]);
    assert_eq!(commits(&result["culprit"]), main("main~1"));
    assert_eq!(commits(&result["others"][0]), main("main"));
}

#[test]
fn every_culprit_is_printed_on_its_own_line() {
    let dir = repository_with_two_faults(true);
    let arguments =
        bisect_arguments(&["--good", "release-1", "--all", "--goal", "culprit", "--no-history"]);
    let output = run_mend(dir.path(), &arguments);
    assert_eq!(output.code, 0, "{}", output.stderr);
    let words = "Another culprit (2 tokens): culprit-2.patch in ";
    assert!(output.stdout.contains(words), "{}", output.stdout);
}

#[test]
fn only_one_culprit_is_searched_without_all() {
    let dir = repository_with_two_faults(true);
    let result =
        run_mend(dir.path(), &bisect_arguments(&["--good", "release-1", "--format", "json"]))
            .json();
    assert_eq!(result["others"], Value::Array(Vec::new()));
    run_mend(dir.path(), &bisect_arguments(&["--good", "release-1", "--goal", "fix", "--all"]))
        .assert_exit_and_stderr(2, &["--all searches for further culprits"]);
}

/// Bisects a commit that changes all files. Returns the message and the result screen.
fn bisect_message_and_screen(check: &str, files: &[&str]) -> (Value, String) {
    let dir = repository();
    let state = |word: &str| -> Vec<(String, String)> {
        files.iter().map(|name| ((*name).to_owned(), format!("{word}\n"))).collect()
    };
    for word in ["old", "new"] {
        let files = state(word);
        let mut all: Vec<(&str, &str)> =
            files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
        all.push(("check.sh", check));
        commit(dir.path(), word, &all);
    }
    let arguments =
        |more: &[&str]| bisect_arguments(&[&["--good", "main~1"], more].concat()).join("\n");
    let run = |more: &[&str]| {
        let output = run_mend(dir.path(), &arguments(more).lines().collect::<Vec<_>>());
        assert_eq!(output.code, 0, "{}", output.stderr);
        output
    };
    (run(&["--format", "json"]).json(), run(&[]).stdout)
}

#[test]
fn jointly_failing_changes_are_reported() {
    let (result, screen) = bisect_message_and_screen(
        "grep -q old a.txt || grep -q old b.txt\n",
        &["a.txt", "b.txt", "c.txt"],
    );
    let words = "2 changes in a.txt and b.txt break the test only together";
    assert!(result["message"].as_str().unwrap().contains(words), "{result}");
    assert!(screen.lines().any(|line| line.ends_with(words)), "{screen}");
    assert_eq!((&result["culprit"]["tokens"], &result["fix"]["tokens"]), (&4.into(), &2.into()));
}

#[test]
fn fix_reverting_several_changes_says_so() {
    let (result, _) = bisect_message_and_screen(
        "grep -q old a.txt && grep -q old b.txt\n",
        &["a.txt", "b.txt", "c.txt"],
    );
    let words = "the fix reverts 2 changes in a.txt and b.txt; none of them is enough alone";
    assert!(result["message"].as_str().unwrap().contains(words), "{result}");
}

#[test]
fn non_monotonic_results_are_reported() {
    // The change of c breaks the test, the change of a hides the fault, and the change of d reveals it again.
    let check = "grep -q old c.txt || { grep -q new a.txt && grep -q old d.txt; }\n";
    let (result, screen) = bisect_message_and_screen(check, &["a.txt", "b.txt", "c.txt", "d.txt"]);
    let words = "test results are not monotonic";
    assert!(result["message"].as_str().unwrap().contains(words), "{result}");
    assert!(screen.contains(words), "{screen}");
    assert_eq!(result["culprit"]["files"], serde_json::json!(["c.txt"]));
}
