//! `git mend bisect --repeat`: a test that fails by chance. The chance is a counter outside of every scratch
//! tree, so that it is the same in every run.

use crate::support::{bisect, commit, git, mend, repository, run_folder};
use serde_json::Value;
use tempfile::TempDir;

/// What `sh check.sh` says of a version.
const BY_CONTENT: &str = "grep -q good words.txt; right=$?";
/// What it says of every version.
const ALWAYS_GOOD: &str = "right=0";

/// A repository whose test says the contrary of the truth in every so many-th run, and the counter's home.
fn lying(rule: &str, every: u32) -> (TempDir, TempDir) {
    let (dir, home) = (repository(), tempfile::tempdir().unwrap());
    let count = home.path().join("count");
    std::fs::write(&count, "0").unwrap();
    let count = count.display();
    let check = format!(
        "n=$(cat {count})\necho $((n + 1)) > {count}\n{rule}\n\
         [ $((n % {every})) -eq 0 ] && exit $((1 - right))\nexit $right\n"
    );
    commit(dir.path(), "one", &[("words.txt", "a\ngood\nb\nc\n"), ("check.sh", &check)]);
    git(dir.path(), &["tag", "release-1"]);
    commit(dir.path(), "two", &[("other.txt", "x\n")]);
    commit(dir.path(), "three", &[("words.txt", "a\nbad\nb\nC\n")]);
    git(dir.path(), &["tag", "broken"]);
    commit(dir.path(), "four", &[("other.txt", "y\n")]);
    (dir, home)
}

const AUTO: [&str; 6] = ["--repeat", "auto", "--jobs", "1", "--format", "json"];

fn assert_found(dir: &TempDir, result: &Value) {
    assert_eq!(result["status"], "found");
    assert_eq!(result["culprit_commit"], git(dir.path(), &["rev-parse", "broken"]));
    assert_eq!((&result["culprit"]["tokens"], &result["fix"]["tokens"]), (&2.into(), &2.into()));
    let message = result["message"].as_str().unwrap();
    assert!(message.contains("confidence 99 %"), "{message}");
}

#[test]
fn the_culprit_is_found_though_one_run_in_five_lies() {
    let (dir, _home) = lying(BY_CONTENT, 5);
    let ran = mend(dir.path(), &bisect(&[&["--good", "release-1"], &AUTO[..]].concat()));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_found(&dir, &ran.json());
    assert!(ran.stderr.contains("good fails in 4 of 20 runs, bad in 16 of 20"), "{}", ran.stderr);
    let trials = std::fs::read_to_string(run_folder(dir.path()).join("trials.jsonl")).unwrap();
    let runs = trials.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    assert!(runs.into_iter().all(|trial| trial["runs"].as_u64() > Some(3)), "{trials}");
}

#[test]
fn a_good_commit_is_looked_for_though_one_run_in_five_lies() {
    let (dir, _home) = lying(BY_CONTENT, 5);
    let ran = mend(dir.path(), &bisect(&[&["--good", "auto"], &AUTO[..]].concat()));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_found(&dir, &ran.json());
}

#[test]
fn a_test_that_fails_by_chance_alone_has_no_culprit() {
    let (dir, _home) = lying(ALWAYS_GOOD, 3);
    let ran = mend(dir.path(), &bisect(&[&["--good", "release-1"], &AUTO[..]].concat()));
    ran.says(
        5,
        &[
            "no culprit: the failure rates do not differ significantly",
            "good 34/100, bad 33/100",
            "help: fix the flakiness",
        ],
    );
    let result = ran.json();
    assert_eq!((&result["status"], &result["culprit"]), (&"flaky".into(), &Value::Null));
    assert!(result["message"].as_str().unwrap().starts_with("no culprit: the failure rates"));
}

#[test]
fn a_good_version_that_always_fails_is_not_called_flaky() {
    let (dir, _home) = lying("right=1", 1_000_000);
    let ran = mend(dir.path(), &bisect(&[&["--good", "release-1"], &AUTO[..]].concat()));
    // The very first run lies.
    ran.says(5, &["no culprit: the failure rates"]);
    let ran = mend(dir.path(), &bisect(&[&["--good", "broken"], &AUTO[..]].concat()));
    ran.says(3, &["the test does not pass on good (broken)"]);
}

#[test]
fn a_bad_version_that_never_fails_is_not_called_flaky() {
    let (dir, home) = lying(ALWAYS_GOOD, 1_000_000);
    std::fs::write(home.path().join("count"), "1").unwrap();
    let ran = mend(dir.path(), &bisect(&[&["--good", "release-1"], &AUTO[..]].concat()));
    ran.says(3, &["does not fail on bad (HEAD)"]);
}

#[test]
fn a_steady_test_may_be_repeated_as_often_as_one_likes() {
    let (dir, home) = lying(BY_CONTENT, 1_000_000);
    std::fs::write(home.path().join("count"), "1").unwrap();
    let arguments = ["--good", "release-1", "--repeat", "2"];
    let ran = mend(dir.path(), &bisect(&arguments));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stdout.contains("each version was run 2 times"), "{}", ran.stdout);
}
