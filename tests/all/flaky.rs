//! Tests of `git mend bisect --repeat` with a flaky test. The test counts its runs in a file outside of every scratch
//! tree, so that its failures are reproducible.

use crate::support::{bisect_arguments, commit, git, repository, run_folder, run_mend};
use serde_json::Value;
use tempfile::TempDir;

/// Command that determines the true verdict on a version.
const VERDICT_BY_CONTENT: &str = "grep -q good words.txt; right=$?";
/// Command with the verdict pass for all versions.
const VERDICT_ALWAYS_PASS: &str = "right=0";

/// Creates a repository whose test inverts its verdict in every `flip_interval`-th run. Returns the folder of the
/// counter too.
fn flaky_repository(verdict_rule: &str, flip_interval: u32) -> (TempDir, TempDir) {
    let (dir, home) = (repository(), tempfile::tempdir().unwrap());
    let count = home.path().join("count");
    std::fs::write(&count, "0").unwrap();
    let count = count.display();
    let check = format!(
        "n=$(cat {count})\necho $((n + 1)) > {count}\n{verdict_rule}\n\
         [ $((n % {flip_interval})) -eq 0 ] && exit $((1 - right))\nexit $right\n"
    );
    commit(dir.path(), "one", &[("words.txt", "a\ngood\nb\nc\n"), ("check.sh", &check)]);
    git(dir.path(), &["tag", "release-1"]);
    commit(dir.path(), "two", &[("other.txt", "x\n")]);
    commit(dir.path(), "three", &[("words.txt", "a\nbad\nb\nC\n")]);
    git(dir.path(), &["tag", "broken"]);
    commit(dir.path(), "four", &[("other.txt", "y\n")]);
    (dir, home)
}

const AUTO_REPEAT_OPTIONS: [&str; 6] = ["--repeat", "auto", "--jobs", "1", "--format", "json"];

fn assert_culprit_found(dir: &TempDir, result: &Value) {
    assert_eq!(result["status"], "found");
    assert_eq!(result["culprit_commit"], git(dir.path(), &["rev-parse", "broken"]));
    assert_eq!((&result["culprit"]["tokens"], &result["fix"]["tokens"]), (&2.into(), &2.into()));
    let message = result["message"].as_str().unwrap();
    assert!(message.contains("confidence 99 %"), "{message}");
}

#[test]
fn culprit_is_found_despite_20_percent_flakiness() {
    let (dir, _home) = flaky_repository(VERDICT_BY_CONTENT, 5);
    let output = run_mend(
        dir.path(),
        &bisect_arguments(&[&["--good", "release-1"], &AUTO_REPEAT_OPTIONS[..]].concat()),
    );
    assert_eq!(output.code, 0, "{}", output.stderr);
    assert_culprit_found(&dir, &output.json());
    assert!(
        output.stderr.contains("good fails in 4 of 20 runs, bad in 16 of 20"),
        "{}",
        output.stderr
    );
    let trials = std::fs::read_to_string(run_folder(dir.path()).join("trials.jsonl")).unwrap();
    let runs = trials.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    assert!(runs.into_iter().all(|trial| trial["runs"].as_u64() > Some(3)), "{trials}");
}

#[test]
fn good_auto_works_despite_20_percent_flakiness() {
    let (dir, _home) = flaky_repository(VERDICT_BY_CONTENT, 5);
    let output = run_mend(
        dir.path(),
        &bisect_arguments(&[&["--good", "auto"], &AUTO_REPEAT_OPTIONS[..]].concat()),
    );
    assert_eq!(output.code, 0, "{}", output.stderr);
    assert_culprit_found(&dir, &output.json());
}

#[test]
fn randomly_failing_test_has_no_culprit() {
    let (dir, _home) = flaky_repository(VERDICT_ALWAYS_PASS, 3);
    let output = run_mend(
        dir.path(),
        &bisect_arguments(&[&["--good", "release-1"], &AUTO_REPEAT_OPTIONS[..]].concat()),
    );
    output.assert_exit_and_stderr(
        5,
        &[
            "no culprit: the failure rates do not differ significantly",
            "good 34/100, bad 33/100",
            "help: fix the flakiness",
        ],
    );
    let result = output.json();
    assert_eq!((&result["status"], &result["culprit"]), (&"flaky".into(), &Value::Null));
    assert!(result["message"].as_str().unwrap().starts_with("no culprit: the failure rates"));
}

#[test]
fn always_failing_good_is_not_flaky() {
    let (dir, _home) = flaky_repository("right=1", 1_000_000);
    let output = run_mend(
        dir.path(),
        &bisect_arguments(&[&["--good", "release-1"], &AUTO_REPEAT_OPTIONS[..]].concat()),
    );
    // The first run gives the wrong verdict.
    output.assert_exit_and_stderr(5, &["no culprit: the failure rates"]);
    let output = run_mend(
        dir.path(),
        &bisect_arguments(&[&["--good", "broken"], &AUTO_REPEAT_OPTIONS[..]].concat()),
    );
    output.assert_exit_and_stderr(3, &["the test does not pass on good (broken)"]);
}

#[test]
fn never_failing_bad_is_not_flaky() {
    let (dir, home) = flaky_repository(VERDICT_ALWAYS_PASS, 1_000_000);
    std::fs::write(home.path().join("count"), "1").unwrap();
    let output = run_mend(
        dir.path(),
        &bisect_arguments(&[&["--good", "release-1"], &AUTO_REPEAT_OPTIONS[..]].concat()),
    );
    output.assert_exit_and_stderr(3, &["does not fail on bad (HEAD)"]);
}

#[test]
fn steady_test_can_be_repeated() {
    let (dir, home) = flaky_repository(VERDICT_BY_CONTENT, 1_000_000);
    std::fs::write(home.path().join("count"), "1").unwrap();
    let arguments = ["--good", "release-1", "--repeat", "2"];
    let output = run_mend(dir.path(), &bisect_arguments(&arguments));
    assert_eq!(output.code, 0, "{}", output.stderr);
    assert!(output.stdout.contains("each version was run 2 times"), "{}", output.stdout);
}
