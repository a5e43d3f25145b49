//! Failures whose message or exception differs from run to run.

use crate::support::{commit, git, repository, run_folder, run_mend};
use serde_json::Value;
use std::path::Path;
use tempfile::TempDir;

/// Fails in bad with the exception of `throw`, a statement that may use `name`: letters that differ in each run.
fn test_class(throw: &str) -> String {
    format!(
        "import java.nio.file.*;\nimport java.util.*;\nclass T {{\n\
         static void fail(Path dir, String name) throws Exception {{ {throw} }}\n\
         public static void main(String[] x) throws Exception {{\n\
         StringBuilder name = new StringBuilder();\n\
         for (char c : Long.toString(System.nanoTime()).toCharArray()) name.append((char) (c + 50));\n\
         if (Code.sum(2, 3) != 5) fail(Files.createTempDirectory(\"junit\"), name.toString()); }} }}\n"
    )
}

fn sum_source(operator: char, others: usize) -> String {
    let others: Vec<String> = (0..others)
        .map(|number| format!(" int other{number}() {{ return {number}; }}\n"))
        .collect();
    let others = others.concat();
    format!(
        "class Code {{\n static int sum(int a, int b) {{ return a {operator} b; }}\n{others}}}\n"
    )
}

/// Twelve commits; the fifth one breaks the test.
fn sum_repository(throw: &str) -> TempDir {
    let dir = repository();
    let test = test_class(throw);
    for number in 0..12 {
        let source = sum_source(if number < 4 { '+' } else { '-' }, number);
        let files = [("src/main/java/Code.java", &source), ("src/test/java/T.java", &test)];
        commit(dir.path(), &format!("commit {number}"), &files);
    }
    git(dir.path(), &["tag", "broken", "HEAD~7"]);
    git(dir.path(), &["tag", "good", "HEAD~11"]);
    dir
}

fn bisect(dir: &Path, options: &[&str]) -> Value {
    let arguments = ["bisect", "--good", "good", "--test", "T", "--format", "json"];
    let output = run_mend(dir, &[&arguments[..], options].concat());
    output.assert_exit_and_stderr(0, &[]);
    output.json()
}

/// Asserts that a search found the culprit by bisection and contradicted itself nowhere.
fn assert_culprit_found(dir: &Path, result: &Value) {
    assert_eq!(result["status"], "found");
    assert_eq!(result["culprit_commit"], git(dir, &["rev-parse", "broken"]));
    assert!(result["commits_tested"].as_u64().unwrap() <= 4, "{result}");
    assert_eq!(
        (&result["suspects"], &result["fix"]["tokens"]),
        (&serde_json::json!([]), &2.into())
    );
    let notes = result["not_checked"].to_string();
    assert!(!notes.contains("resident engine") && !notes.contains("another verdict"), "{notes}");
    let trials = std::fs::read_to_string(run_folder(dir).join("trials.jsonl")).unwrap();
    assert!(!trials.contains("other_failure"), "{trials}");
}

const TEMPORARY_PATH: &str = "Files.readAllLines(dir.resolve(\"x.txt\"));";
const VARYING_NAME: &str = "throw new IllegalStateException(\"no user \" + name + \" in shop\");";
const VARYING_MESSAGE: &str = "throw new IllegalStateException(name);";
/// The order of an immutable set differs from JVM to JVM, but not from run to run in the same one.
const VARYING_ORDER: &str = "throw new IllegalStateException(\"expected in this order: \" + \
    String.join(\" \", Set.of(\"a\", \"b\", \"c\", \"d\", \"e\")));";

#[test]
fn varying_part_of_a_message_is_no_other_failure() {
    for throw in [TEMPORARY_PATH, VARYING_NAME, VARYING_ORDER] {
        for engine in ["resident", "process"] {
            let dir = sum_repository(throw);
            let result = bisect(dir.path(), &["--engine", engine]);
            assert_culprit_found(dir.path(), &result);
            let notes = result["not_checked"].to_string();
            assert!(!notes.contains("failure messages"), "{throw}: {notes}");
        }
    }
}

#[test]
fn messages_without_common_words_are_not_compared() {
    let dir = sum_repository(VARYING_MESSAGE);
    let result = bisect(dir.path(), &[]);
    assert_culprit_found(dir.path(), &result);
    let notes = result["not_checked"].to_string();
    assert!(notes.contains("failure messages of T#main: they differ in each run"), "{notes}");
}

#[test]
fn cached_outcomes_of_an_earlier_run_have_the_same_symptom() {
    let dir = sum_repository(VARYING_NAME);
    let output = tempfile::tempdir().unwrap();
    bisect(dir.path(), &["--output", output.path().join("first").to_str().unwrap()]);
    let result = bisect(dir.path(), &[]);
    assert_culprit_found(dir.path(), &result);
    assert!(result["cost"]["cached"].as_u64().unwrap() > 5, "{result}");
}

#[test]
fn test_that_fails_in_each_run_is_not_flaky() {
    let runs = tempfile::NamedTempFile::new().unwrap();
    let alternating_exceptions = format!(
        "Path runs = Paths.get(\"{}\"); Files.write(runs, new byte[1], StandardOpenOption.APPEND);\n\
         if (Files.size(runs) % 2 == 0) throw new IllegalStateException(\"x\");\n\
         throw new IllegalArgumentException(name);",
        runs.path().display()
    );
    let dir = sum_repository(&alternating_exceptions);
    let result = bisect(dir.path(), &["--repeat", "3", "--jobs", "1"]);
    assert_eq!(result["culprit_commit"], git(dir.path(), &["rev-parse", "broken"]));
}

#[test]
fn bad_without_the_symptom_is_reported_as_failing() {
    let dir = sum_repository(VARYING_NAME);
    let output =
        run_mend(dir.path(), &["bisect", "--good", "good", "--test", "T", "--symptom", "no order"]);
    output.assert_exit_and_stderr(
        3,
        &["the test fails on bad (HEAD), but not with the symptom", "help: compare --symptom"],
    );
}
