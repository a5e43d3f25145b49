//! Tests of `git mend bisect` and `git mend demo`, from the command line to the run folder.

use crate::support::{
    bisect_arguments, commit, git, repository, run_folder, run_mend, words_repository,
};
use serde_json::Value;
use std::path::Path;

#[test]
fn command_bisection_finds_commit_and_line() {
    let dir = words_repository();
    let output =
        run_mend(dir.path(), &bisect_arguments(&["--good", "release-1", "--format", "json"]));
    assert_eq!(output.code, 0, "{}", output.stderr);
    let result = output.json();
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
fn second_run_repeats_only_the_verification() {
    let dir = words_repository();
    run_mend(dir.path(), &bisect_arguments(&["--good", "release-1"]));
    let second_run =
        run_mend(dir.path(), &bisect_arguments(&["--good", "release-1", "--format", "json"]))
            .json();
    assert_eq!(second_run["cost"]["tests"], 2);
}

/// Creates a repository whose second commit removes a lock, so that the test fails under few schedules.
fn racing_till() -> tempfile::TempDir {
    let dir = repository();
    let till = |modifier: &str, more: &str| {
        format!(
            "package shop;\n\nclass Till {{\n    private int sum;\n\n    {modifier}void add(int amount) {{\n        \
             sum += amount;\n    }}\n\n    synchronized int sum() {{\n        return sum;\n    }}\n{more}}}\n"
        )
    };
    let test = "package shop;\n\nclass TillTest {\n    public static void main(String[] x) throws Exception {\n        \
        Till till = new Till();\n        Thread other = new Thread(() -> till.add(1));\n        other.start();\n        \
        till.add(1);\n        other.join();\n        \
        if (till.sum() != 2) throw new IllegalStateException(\"lost\");\n    }\n}\n";
    let source = "src/main/java/shop/Till.java";
    let good = till("synchronized ", "");
    commit(dir.path(), "Add up", &[("src/test/java/shop/TillTest.java", test), (source, &good)]);
    commit(dir.path(), "Add without waiting", &[(source, till("", ""))]);
    let later =
        till("", "\n    synchronized boolean isEmpty() {\n        return sum == 0;\n    }\n");
    commit(dir.path(), "Ask for money", &[(source, later)]);
    dir
}

#[test]
fn regression_that_is_a_race_is_bisected_under_schedules() {
    let dir = racing_till();
    let arguments = ["bisect", "--good", "HEAD~2", "--test", "shop.TillTest", "--format", "json"];
    let output = run_mend(dir.path(), &[&arguments[..], &["--schedules", "100"]].concat());
    assert_eq!(output.code, 0, "{}", output.stderr);
    let result = output.json();
    assert_eq!(result["culprit_commit"], git(dir.path(), &["rev-parse", "HEAD~1"]), "{result}");
    assert_eq!(result["culprit"]["tokens"], 1, "{result}");
    assert_eq!(result["fix"]["tokens"], 1, "{result}");
    let notes = result["not_checked"].to_string();
    assert!(notes.contains("thread schedules beyond 100 of each test and version"), "{notes}");
}

#[test]
fn folders_can_be_bisected_without_a_repository() {
    let dir = tempfile::tempdir().unwrap();
    for (side, word) in [("old", "good"), ("new", "bad")] {
        let folder = dir.path().join(side);
        std::fs::create_dir(&folder).unwrap();
        std::fs::write(folder.join("words.txt"), word).unwrap();
        std::fs::write(folder.join("check.sh"), "grep -q good words.txt\n").unwrap();
    }
    let output = run_mend(
        dir.path(),
        &bisect_arguments(&["--good", "old", "--bad", "new", "--format", "json"]),
    );
    assert_eq!(output.code, 0, "{}", output.stderr);
    assert_eq!(output.json()["fix"]["tokens"], 2);
}

#[test]
fn bad_input_gets_clear_error_and_exit_code() {
    let dir = words_repository();
    let nowhere = tempfile::tempdir().unwrap();
    let cases: [(&Path, Vec<&str>, i32, &str); 7] = [
        (
            nowhere.path(),
            bisect_arguments(&["--good", "release-1"]),
            2,
            "is not inside a git repository",
        ),
        (dir.path(), bisect_arguments(&["--good", "release-2"]), 2, "did you mean release-1?"),
        (
            dir.path(),
            bisect_arguments(&["--good", "main", "--bad", "release-1"]),
            3,
            "are they swapped?",
        ),
        (dir.path(), bisect_arguments(&["--good", "main", "--bad", "main"]), 2, "do not differ"),
        (
            dir.path(),
            bisect_arguments(&["--good", "release-1", "--bad", "main~1"]),
            3,
            "does not fail on bad (main~1)",
        ),
        (dir.path(), bisect_arguments(&[]), 2, "no good version given"),
        (
            dir.path(),
            vec!["bisect", "--good", "release-1", "--", "no-such-program"],
            4,
            "no-such-program",
        ),
    ];
    for (folder, arguments, code, words) in cases {
        let output = run_mend(folder, &arguments);
        assert_eq!(output.code, code, "{arguments:?}: {}", output.stderr);
        assert!(output.stderr.contains(words), "{arguments:?}: {}", output.stderr);
        assert!(output.stderr.contains("help: "), "{arguments:?}: {}", output.stderr);
    }
}

#[test]
fn work_tree_and_repository_stay_unchanged() {
    let dir = words_repository();
    std::fs::write(dir.path().join("words.txt"), "mine\n").unwrap();
    let output = run_mend(dir.path(), &bisect_arguments(&["--good", "release-1"]));
    assert_eq!(output.code, 0, "{}", output.stderr);
    assert!(
        output.stdout.contains("Not checked: uncommitted changes in your work tree"),
        "{}",
        output.stdout
    );
    assert_eq!(std::fs::read_to_string(dir.path().join("words.txt")).unwrap(), "mine\n");
    assert!(!dir.path().join(".git/worktrees").exists());
}

#[test]
fn good_auto_finds_a_passing_ancestor() {
    let dir = words_repository();
    let output = run_mend(dir.path(), &bisect_arguments(&["--good", "auto", "--format", "json"]));
    assert_eq!(output.code, 0, "{}", output.stderr);
    assert_eq!(output.json()["culprit"]["tokens"], 2);
}

#[test]
fn killed_run_resumes_in_its_folder() {
    let dir = words_repository();
    let arguments = bisect_arguments(&["--good", "release-1"]);
    let runs = dir.path().join(".git/mend/runs");
    let program = assert_cmd::cargo::cargo_bin("git-mend");
    let mut child = std::process::Command::new(program)
        .current_dir(dir.path())
        .args(&arguments)
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    // The run folder exists when the first line appears on standard error.
    let mut first = [0];
    std::io::Read::read_exact(child.stderr.as_mut().unwrap(), &mut first).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    let output = run_mend(dir.path(), &["bisect", "--resume", "--format", "json"]);
    assert_eq!(output.code, 0, "{}", output.stderr);
    assert_eq!(output.json()["status"], "found");
    assert_eq!(std::fs::read_dir(runs).unwrap().count(), 1);
}

#[test]
fn commits_in_bisect_log_are_not_tested() {
    let dir = words_repository();
    let log = "git bisect start\ngit bisect bad main\ngit bisect good release-1\ngit bisect good main~1\n";
    std::fs::write(dir.path().join("bisect.log"), log).unwrap();
    let output =
        run_mend(dir.path(), &bisect_arguments(&["--log", "bisect.log", "--format", "json"]));
    assert_eq!(output.code, 0, "{}", output.stderr);
    assert_eq!(output.json()["commits_tested"], 0);
}

#[test]
fn skipped_neighbour_is_a_suspect_until_minimisation() {
    let dir = words_repository();
    let run = |goal: &str| {
        let arguments = ["--good", "release-1", "--skip", "main~1", "--goal", goal];
        let output = run_mend(
            dir.path(),
            &bisect_arguments(&[&arguments[..], &["--format", "json"]].concat()),
        );
        assert_eq!(output.code, 0, "{}", output.stderr);
        output.json()
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
fn unsupported_repository_formats_are_rejected() {
    let home = tempfile::tempdir().unwrap();
    // Older git versions cannot create such repositories, so the test writes the extension itself.
    for (extension, words) in [
        ("objectformat = sha256", "SHA-256"),
        ("refstorage = reftable", "extension found: refstorage"),
    ] {
        let dir = home.path().join(extension);
        git(home.path(), &["init", "-q", dir.to_str().unwrap()]);
        let config = dir.join(".git/config");
        let config_text = std::fs::read_to_string(&config).unwrap();
        let config_text =
            config_text.replace("repositoryformatversion = 0", "repositoryformatversion = 1");
        std::fs::write(&config, format!("{config_text}[extensions]\n\t{extension}\n")).unwrap();
        let output = run_mend(&dir, &bisect_arguments(&["--good", "HEAD"]));
        assert_eq!(output.code, 4, "{}", output.stderr);
        assert!(output.stderr.lines().next().unwrap().contains(words), "{}", output.stderr);
    }
}

#[test]
fn shallow_clone_error_suggests_unshallow() {
    let dir = words_repository();
    let home = tempfile::tempdir().unwrap();
    let url = format!("file://{}", dir.path().display());
    git(home.path(), &["clone", "-q", "--depth", "1", &url, "clone"]);
    let output = run_mend(&home.path().join("clone"), &bisect_arguments(&["--good", "HEAD~2"]));
    assert_eq!(output.code, 4, "{}", output.stderr);
    assert!(output.stderr.contains("git fetch --unshallow"), "{}", output.stderr);
}

#[test]
fn unmatched_selector_suggests_similar_tests() {
    let dir = tempfile::tempdir().unwrap();
    let output = dir.path().join("demo");
    git_mend::demo::create_repository(&output).unwrap();
    let arguments = ["bisect", "--good", "v1.0", "--test", "bakery.till.TilTest"];
    let command_output = run_mend(&output, &arguments);
    assert_eq!(command_output.code, 2, "{}", command_output.stderr);
    assert!(
        command_output.stderr.contains("did you mean bakery.till.TillTest"),
        "{}",
        command_output.stderr
    );
}

#[test]
fn demo_finds_the_two_token_culprit() {
    let dir = tempfile::tempdir().unwrap();
    let output = dir.path().join("demo");
    let command_output =
        run_mend(dir.path(), &["demo", "--format", "json", "--output", output.to_str().unwrap()]);
    assert_eq!(command_output.code, 0, "{}", command_output.stderr);
    let result = command_output.json();
    assert_eq!(result["culprit"]["tokens"], 2);
    assert_eq!(result["fix"]["tokens"], 2);
    assert_eq!(result["confirmed"]["fresh_build"], true);
}

/// Bisects a change of many lines, two of which break the test together. Returns the trials and the patches.
fn bisect_many_lines(more: &[&str]) -> (Vec<(String, String)>, [String; 2]) {
    let dir = repository();
    let lines =
        |word: &str| (0..24).map(|n| format!("{word} {n}\n-\n")).collect::<Vec<_>>().concat();
    let check = "grep -q 'old 5$' lines.txt || grep -q 'old 17$' lines.txt\n".to_owned();
    commit(dir.path(), "one", &[("lines.txt", lines("old")), ("check.sh", check)]);
    commit(dir.path(), "two", &[("lines.txt", lines("new"))]);
    let output = run_mend(dir.path(), &bisect_arguments(&[&["--good", "main~1"], more].concat()));
    assert_eq!(output.code, 0, "{}", output.stderr);
    let run = run_folder(dir.path());
    let read = |name: &str| std::fs::read_to_string(run.join(name)).unwrap();
    let trial = |line: &str| {
        let trial: Value = serde_json::from_str(line).unwrap();
        (trial["variant"].to_string(), trial["verdict"].to_string())
    };
    (read("trials.jsonl").lines().map(trial).collect(), ["culprit.patch", "fix.patch"].map(read))
}

#[test]
fn same_seed_gives_same_trials() {
    let arguments = ["--jobs", "1", "--seed", "7"];
    assert_eq!(bisect_many_lines(&arguments), bisect_many_lines(&arguments));
}

#[test]
fn patches_do_not_depend_on_job_count() {
    let (_, alone) = bisect_many_lines(&["--jobs", "1"]);
    for jobs in ["2", "5"] {
        assert_eq!(bisect_many_lines(&["--jobs", jobs]).1, alone, "{jobs} jobs");
    }
}
