//! Histories in which the test broke more than once.

use crate::support::{
    CommandOutput, bisect_arguments, commit, git, repository, run_folder, run_mend,
};
use serde_json::{Value, json};
use std::path::Path;
use tempfile::TempDir;

/// Passes if both words are in their files, or if there is a workaround.
const CHECK: &str =
    "test -e workaround.txt && exit 0\ngrep -q good words.txt && grep -q fine more.txt\n";

/// Commit of a story: its name, and the files that it changes.
type Step<'a> = (&'a str, &'a [(&'a str, &'a str)]);

const BREAK: (&str, &str) = ("words.txt", "a\nbad\nc\n");
const REPAIR: (&str, &str) = ("words.txt", "a\ngood\nc\n");
const OTHER_BREAK: (&str, &str) = ("more.txt", "a\nugly\nc\n");

/// A repository with the commit `good`, then a tagged commit for each step. A step without files changes something
/// unrelated.
fn story(steps: &[Step<'_>]) -> TempDir {
    let dir = repository();
    let files = [REPAIR, ("more.txt", "a\nfine\nc\n"), ("check.sh", CHECK)];
    commit(dir.path(), "good", &files);
    git(dir.path(), &["tag", "good"]);
    add_steps(dir.path(), steps);
    dir
}

fn add_steps(dir: &Path, steps: &[Step<'_>]) {
    for (name, files) in steps {
        let notes = ("notes.txt", *name);
        commit(dir, name, if files.is_empty() { std::slice::from_ref(&notes) } else { files });
        git(dir, &["tag", name]);
    }
}

fn bisect(dir: &Path, good: &str) -> Value {
    let output = run_mend(dir, &bisect_arguments(&["--good", good, "--format", "json"]));
    output.assert_exit_and_stderr(0, &[]);
    output.json()
}

fn screen(dir: &Path, good: &str) -> CommandOutput {
    run_mend(dir, &bisect_arguments(&["--good", good]))
}

fn assert_culprit(dir: &Path, result: &Value, culprit: &str, revert: &Value) {
    assert_eq!(result["culprit_commit"], git(dir, &["rev-parse", culprit]), "{result}");
    assert_eq!(&result["revert"], revert);
}

fn passing_revert() -> Value {
    json!({"applies": true, "passes": true})
}

/// Planted at `first`, reverted at `repair`, planted again at `second`.
const SAME_BREAK_TWICE: [Step<'_>; 11] = [
    ("n1", &[]),
    ("first", &[BREAK]),
    ("n2", &[]),
    ("n3", &[]),
    ("n4", &[]),
    ("n5", &[]),
    ("repair", &[REPAIR]),
    ("n6", &[]),
    ("second", &[BREAK]),
    ("n7", &[]),
    ("n8", &[]),
];

#[test]
fn last_of_two_equal_breaks_is_the_culprit() {
    for good in ["good", "auto"] {
        let dir = story(&SAME_BREAK_TWICE);
        let result = bisect(dir.path(), good);
        assert_culprit(dir.path(), &result, "second", &passing_revert());
        let message = result["message"].as_str().unwrap();
        assert!(good == "auto" || message.contains("first broke the test too, but was repaired"));
    }
}

#[test]
fn other_break_after_a_repair_is_the_culprit() {
    let mut steps = SAME_BREAK_TWICE;
    steps[8] = ("second", &[OTHER_BREAK]);
    for good in ["good", "auto"] {
        let dir = story(&steps);
        let result = bisect(dir.path(), good);
        assert_culprit(dir.path(), &result, "second", &passing_revert());
        let fix = std::fs::read_to_string(run_folder(dir.path()).join("fix.patch")).unwrap();
        assert!(fix.contains("more.txt") && !fix.contains("words.txt"), "{fix}");
    }
}

#[test]
fn good_auto_sees_a_green_commit_between_its_steps() {
    // Bad, and 1, 2 and 4 commits before it fail; 3 commits before it passes; 8 commits before it passes.
    let dir = story(&[
        ("n1", &[]),
        ("n2", &[]),
        ("first", &[BREAK]),
        ("n3", &[]),
        ("n4", &[]),
        ("repair", &[REPAIR]),
        ("second", &[OTHER_BREAK]),
        ("n5", &[]),
        ("n6", &[]),
    ]);
    let result = bisect(dir.path(), "auto");
    assert_culprit(dir.path(), &result, "second", &passing_revert());
}

#[test]
fn repair_elsewhere_is_found_if_reverting_does_not_help() {
    // The workaround is dropped again; by then the first break cannot be reverted any more.
    let dir = story(&[
        ("first", &[BREAK]),
        ("n1", &[]),
        ("repair", &[("workaround.txt", "x\n")]),
        ("rewritten", &[("words.txt", "a\nworse\nc\n")]),
        ("n2", &[]),
        ("second", &[("more.txt", "a\nfine\nd\n")]),
        ("n3", &[]),
    ]);
    git(dir.path(), &["rm", "-q", "workaround.txt"]);
    git(dir.path(), &["commit", "-q", "-m", "drop"]);
    git(dir.path(), &["tag", "drop"]);
    add_steps(dir.path(), &[("n4", &[]), ("n5", &[]), ("n6", &[]), ("n7", &[]), ("n8", &[])]);
    let result = bisect(dir.path(), "good");
    assert_culprit(dir.path(), &result, "drop", &passing_revert());
}

#[test]
fn repair_elsewhere_is_found_if_the_fix_reverts_another_commit() {
    // The first break cannot be reverted, because it was rewritten. The change of its line is no repair.
    let dir = story(&[
        ("first", &[BREAK]),
        ("rewritten", &[("words.txt", "a\nworse\nc\n")]),
        ("n1", &[]),
        ("repair", &[("workaround.txt", "x\n")]),
        ("n2", &[]),
        ("second", &[OTHER_BREAK]),
    ]);
    git(dir.path(), &["rm", "-q", "workaround.txt"]);
    git(dir.path(), &["commit", "-q", "-m", "drop"]);
    git(dir.path(), &["tag", "drop"]);
    let names: Vec<String> = (0..20).map(|number| format!("m{number}")).collect();
    for name in &names {
        add_steps(dir.path(), &[(name, &[])]);
    }
    let result = bisect(dir.path(), "good");
    assert_culprit(dir.path(), &result, "drop", &passing_revert());
}

#[test]
fn second_break_on_a_broken_version_needs_both_reverted() {
    let dir = story(&[("first", &[BREAK]), ("n1", &[]), ("second", &[OTHER_BREAK]), ("n2", &[])]);
    let result = bisect(dir.path(), "good");
    assert_culprit(dir.path(), &result, "first", &json!({"applies": true, "passes": false}));
    assert_eq!(result["fix"]["tokens"], 4);
    let both = ["first", "second"].map(|name| git(dir.path(), &["rev-parse", name]));
    assert_eq!(result["fix"]["commits"], json!(both));
    std::fs::remove_dir_all(dir.path().join(".git/mend/runs")).unwrap();
    let text = screen(dir.path(), "good").stdout;
    assert!(text.contains("reverting it on bad does not make the test pass"), "{text}");
}

#[test]
fn revert_that_conflicts_is_reported() {
    let dir = story(&[
        ("first", &[BREAK]),
        ("n1", &[]),
        ("rewritten", &[("words.txt", "a\nworse\nc\n")]),
        ("n2", &[]),
    ]);
    let result = bisect(dir.path(), "good");
    assert_culprit(dir.path(), &result, "first", &json!({"applies": false, "passes": false}));
    std::fs::remove_dir_all(dir.path().join(".git/mend/runs")).unwrap();
    let text = screen(dir.path(), "good").stdout;
    assert!(text.contains("later commits changed the same lines"), "{text}");
}

#[test]
fn break_on_a_merged_branch_after_a_repair_is_the_culprit() {
    let dir = story(&[("n1", &[]), ("n2", &[])]);
    git(dir.path(), &["branch", "side"]);
    add_steps(dir.path(), &[("first", &[BREAK]), ("n3", &[]), ("n4", &[]), ("repair", &[REPAIR])]);
    git(dir.path(), &["checkout", "-q", "side"]);
    add_steps(dir.path(), &[("s1", &[("side.txt", "x\n")]), ("second", &[OTHER_BREAK])]);
    git(dir.path(), &["checkout", "-q", "main"]);
    git(dir.path(), &["merge", "-q", "--no-ff", "-m", "merge", "side"]);
    add_steps(dir.path(), &[("n5", &[]), ("n6", &[]), ("n7", &[])]);
    for good in ["good", "auto"] {
        let result = bisect(dir.path(), good);
        assert_culprit(dir.path(), &result, "second", &passing_revert());
        std::fs::remove_dir_all(dir.path().join(".git/mend/runs")).unwrap();
    }
}

#[test]
fn merge_that_breaks_is_reverted_to_its_first_parent() {
    // Each side drops the word in one of two places where it may be.
    let check = "grep -q good words.txt || grep -q good other.txt\n";
    let dir = repository();
    let files = [("words.txt", "good\n"), ("other.txt", "good\n"), ("check.sh", check)];
    commit(dir.path(), "good", &files);
    git(dir.path(), &["tag", "good"]);
    git(dir.path(), &["checkout", "-q", "-b", "side"]);
    commit(dir.path(), "side", &[("other.txt", "bad\n")]);
    git(dir.path(), &["checkout", "-q", "main"]);
    commit(dir.path(), "main", &[("words.txt", "bad\n")]);
    git(dir.path(), &["merge", "-q", "--no-ff", "-m", "merge", "side"]);
    git(dir.path(), &["tag", "merge"]);
    commit(dir.path(), "later", &[("notes.txt", "x\n")]);
    let result = bisect(dir.path(), "good");
    assert_culprit(dir.path(), &result, "merge", &passing_revert());
}

#[test]
fn culprit_of_skipped_commits_has_its_revert_check() {
    let dir = story(&[("n1", &[]), ("first", &[BREAK]), ("n2", &[]), ("n3", &[])]);
    let output = run_mend(
        dir.path(),
        &bisect_arguments(&[
            "--good", "good", "--skip", "first", "--skip", "n2", "--format", "json",
        ]),
    );
    output.assert_exit_and_stderr(0, &[]);
    assert_culprit(dir.path(), &output.json(), "first", &passing_revert());
}

#[test]
fn screen_names_the_culprit_and_its_revert_check() {
    let dir = story(&SAME_BREAK_TWICE);
    let text = screen(dir.path(), "good").stdout;
    let culprit = git(dir.path(), &["rev-parse", "--short=10", "second"]);
    assert!(text.contains(&format!("Culprit: {culprit} second (first bad commit)")), "{text}");
    assert!(text.contains("Revert:  reverting it on bad makes the test pass"), "{text}");
    assert!(text.contains("first broke the test too, but was repaired"), "{text}");
}
