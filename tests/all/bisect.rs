//! `git mend bisect` and `git mend demo`, from the command line to the run folder.

use crate::support::{bisect, commit, git, mend, repository, run_folder, words_repository};
use serde_json::Value;
use std::path::Path;

#[test]
fn a_command_finds_the_commit_and_the_line() {
    let dir = words_repository();
    let ran = mend(dir.path(), &bisect(&["--good", "release-1", "--format", "json"]));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let result = ran.json();
    assert_eq!(result["status"], "found");
    assert_eq!(result["culprit"]["tokens"], 2);
    assert_eq!(result["fix"]["tokens"], 2);
    let run = run_folder(dir.path());
    assert!(!run.join("work").exists());
    git(dir.path(), &["apply", run.join("fix.patch").to_str().unwrap()]);
    let text = std::fs::read_to_string(dir.path().join("words.txt")).unwrap();
    assert_eq!(text, "a\ngood\nb\nc\nd\nE\n");
}

#[test]
fn a_second_run_asks_nothing_but_the_proof_again() {
    let dir = words_repository();
    mend(dir.path(), &bisect(&["--good", "release-1"]));
    let again = mend(dir.path(), &bisect(&["--good", "release-1", "--format", "json"])).json();
    assert_eq!(again["cost"]["tests"], 2);
}

#[test]
fn two_folders_need_no_repository() {
    let dir = tempfile::tempdir().unwrap();
    for (side, word) in [("old", "good"), ("new", "bad")] {
        let folder = dir.path().join(side);
        std::fs::create_dir(&folder).unwrap();
        std::fs::write(folder.join("words.txt"), word).unwrap();
        std::fs::write(folder.join("check.sh"), "grep -q good words.txt\n").unwrap();
    }
    let ran = mend(dir.path(), &bisect(&["--good", "old", "--bad", "new", "--format", "json"]));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(ran.json()["fix"]["tokens"], 2);
}

#[test]
fn bad_input_gets_one_clear_error_and_its_exit_code() {
    let dir = words_repository();
    let nowhere = tempfile::tempdir().unwrap();
    let cases: [(&Path, Vec<&str>, i32, &str); 7] = [
        (nowhere.path(), bisect(&["--good", "release-1"]), 2, "is not inside a git repository"),
        (dir.path(), bisect(&["--good", "release-2"]), 2, "did you mean release-1?"),
        (dir.path(), bisect(&["--good", "main", "--bad", "release-1"]), 3, "are they swapped?"),
        (dir.path(), bisect(&["--good", "main", "--bad", "main"]), 2, "do not differ"),
        (
            dir.path(),
            bisect(&["--good", "release-1", "--bad", "main~1"]),
            3,
            "does not fail on bad (main~1)",
        ),
        (dir.path(), bisect(&[]), 2, "no good version given"),
        (
            dir.path(),
            vec!["bisect", "--good", "release-1", "--", "no-such-program"],
            4,
            "no-such-program",
        ),
    ];
    for (folder, arguments, code, words) in cases {
        let ran = mend(folder, &arguments);
        assert_eq!(ran.code, code, "{arguments:?}: {}", ran.stderr);
        assert!(ran.stderr.contains(words), "{arguments:?}: {}", ran.stderr);
        assert!(ran.stderr.contains("help: "), "{arguments:?}: {}", ran.stderr);
    }
}

#[test]
fn the_user_s_changes_and_repository_stay_as_they_are() {
    let dir = words_repository();
    std::fs::write(dir.path().join("words.txt"), "mine\n").unwrap();
    let ran = mend(dir.path(), &bisect(&["--good", "release-1"]));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(
        ran.stdout.contains("Not checked: uncommitted changes in your work tree"),
        "{}",
        ran.stdout
    );
    assert_eq!(std::fs::read_to_string(dir.path().join("words.txt")).unwrap(), "mine\n");
    assert!(!dir.path().join(".git/worktrees").exists());
}

#[test]
fn a_good_commit_is_looked_for_backwards() {
    let dir = words_repository();
    let ran = mend(dir.path(), &bisect(&["--good", "auto", "--format", "json"]));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(ran.json()["culprit"]["tokens"], 2);
}

#[test]
fn a_killed_run_is_resumed_in_its_own_folder() {
    let dir = words_repository();
    let arguments = bisect(&["--good", "release-1"]);
    let runs = dir.path().join(".git/mend/runs");
    let program = assert_cmd::cargo::cargo_bin("git-mend");
    let mut child = std::process::Command::new(program)
        .current_dir(dir.path())
        .args(&arguments)
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    // The first line on its standard error comes once the run folder is there.
    let mut first = [0];
    std::io::Read::read_exact(child.stderr.as_mut().unwrap(), &mut first).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    let ran = mend(dir.path(), &["bisect", "--resume", "--format", "json"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(ran.json()["status"], "found");
    assert_eq!(std::fs::read_dir(runs).unwrap().count(), 1);
}

#[test]
fn what_a_bisect_log_tells_is_not_asked_again() {
    let dir = words_repository();
    let log = "git bisect start\ngit bisect bad main\ngit bisect good release-1\ngit bisect good main~1\n";
    std::fs::write(dir.path().join("bisect.log"), log).unwrap();
    let ran = mend(dir.path(), &bisect(&["--log", "bisect.log", "--format", "json"]));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(ran.json()["commits_tested"], 0);
}

#[test]
fn a_skipped_neighbour_of_the_culprit_is_a_suspect_until_the_culprit_is_taken_apart() {
    let dir = words_repository();
    let run = |goal: &str| {
        let arguments = ["--good", "release-1", "--skip", "main~1", "--goal", goal];
        let ran = mend(dir.path(), &bisect(&[&arguments[..], &["--format", "json"]].concat()));
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        ran.json()
    };
    let result = run("fix");
    assert_eq!(result["culprit_commit"], Value::Null);
    assert_eq!(result["suspects"].as_array().unwrap().len(), 2);
    assert_eq!(result["fix"]["tokens"], 2);
    let result = run("both");
    assert_eq!(result["culprit_commit"], git(dir.path(), &["rev-parse", "main"]));
    assert_eq!(result["suspects"], Value::Array(Vec::new()));
}

#[test]
fn repositories_that_cannot_be_served_are_refused_in_one_line() {
    let home = tempfile::tempdir().unwrap();
    // An older git refuses to create what a newer one may have left, so the extension is written by hand.
    for (extension, words) in
        [("objectformat = sha256", "SHA-256"), ("refstorage = reftable", "reftable")]
    {
        let dir = home.path().join(words);
        git(home.path(), &["init", "-q", dir.to_str().unwrap()]);
        let config = dir.join(".git/config");
        let known = std::fs::read_to_string(&config).unwrap();
        let known = known.replace("repositoryformatversion = 0", "repositoryformatversion = 1");
        std::fs::write(&config, format!("{known}[extensions]\n\t{extension}\n")).unwrap();
        let ran = mend(&dir, &bisect(&["--good", "HEAD"]));
        assert_eq!(ran.code, 4, "{}", ran.stderr);
        assert!(ran.stderr.lines().next().unwrap().contains(words), "{}", ran.stderr);
    }
}

#[test]
fn a_shallow_clone_that_lacks_the_range_says_how_to_get_it() {
    let dir = words_repository();
    let home = tempfile::tempdir().unwrap();
    let url = format!("file://{}", dir.path().display());
    git(home.path(), &["clone", "-q", "--depth", "1", &url, "clone"]);
    let ran = mend(&home.path().join("clone"), &bisect(&["--good", "HEAD~2"]));
    assert_eq!(ran.code, 4, "{}", ran.stderr);
    assert!(ran.stderr.contains("git fetch --unshallow"), "{}", ran.stderr);
}

#[test]
fn a_selector_that_matches_nothing_is_told_with_tests_like_it() {
    let dir = tempfile::tempdir().unwrap();
    let output = dir.path().join("demo");
    git_mend::demo::create(&output).unwrap();
    let arguments = ["bisect", "--good", "v1.0", "--test", "bakery.till.TilTest"];
    let ran = mend(&output, &arguments);
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    assert!(ran.stderr.contains("did you mean bakery.till.TillTest"), "{}", ran.stderr);
}

#[test]
fn the_demo_finds_the_two_tokens() {
    let dir = tempfile::tempdir().unwrap();
    let output = dir.path().join("demo");
    let ran = mend(dir.path(), &["demo", "--format", "json", "--output", output.to_str().unwrap()]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let result = ran.json();
    assert_eq!(result["culprit"]["tokens"], 2);
    assert_eq!(result["fix"]["tokens"], 2);
    assert_eq!(result["confirmed"]["fresh_build"], true);
}

/// What a run on a change of many lines, two of which break it together, leaves: its trials, and its patches.
fn many_lines(more: &[&str]) -> (Vec<(String, String)>, [String; 2]) {
    let dir = repository();
    let lines =
        |word: &str| (0..24).map(|n| format!("{word} {n}\n-\n")).collect::<Vec<_>>().concat();
    let check = "grep -q 'old 5$' lines.txt || grep -q 'old 17$' lines.txt\n".to_owned();
    commit(dir.path(), "one", &[("lines.txt", lines("old")), ("check.sh", check)]);
    commit(dir.path(), "two", &[("lines.txt", lines("new"))]);
    let ran = mend(dir.path(), &bisect(&[&["--good", "main~1"], more].concat()));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let run = run_folder(dir.path());
    let read = |name: &str| std::fs::read_to_string(run.join(name)).unwrap();
    let trial = |line: &str| {
        let trial: Value = serde_json::from_str(line).unwrap();
        (trial["variant"].to_string(), trial["verdict"].to_string())
    };
    (read("trials.jsonl").lines().map(trial).collect(), ["culprit.patch", "fix.patch"].map(read))
}

#[test]
fn the_same_seed_gives_the_same_trials() {
    let arguments = ["--jobs", "1", "--seed", "7"];
    assert_eq!(many_lines(&arguments), many_lines(&arguments));
}

#[test]
fn the_patches_are_the_same_for_any_number_of_jobs() {
    let (_, alone) = many_lines(&["--jobs", "1"]);
    for jobs in ["2", "5"] {
        assert_eq!(many_lines(&["--jobs", jobs]).1, alone, "{jobs} jobs");
    }
}
