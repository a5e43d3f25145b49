//! Tests of `git mend delta`: its output formats, and the versions that it writes.

use crate::support::{commit, repository, run_mend, run_mend_keeping_repository};
use std::fs;
use std::path::Path;
use tempfile::TempDir;

const OLD_SOURCE: &str = "class Till {\n    int sum() {\n        return 1;\n    }\n}\n";
const NEW_SOURCE: &str = "class Till {\n    int vat = 7;\n\n    int sum() {\n        // with tax\n        \
                   return 1 + vat;\n    }\n\n    void close() {}\n}\n";

fn till_repository() -> TempDir {
    let dir = repository();
    commit(dir.path(), "old", &[("src/Till.java", OLD_SOURCE), ("notes.txt", "one\n")]);
    commit(dir.path(), "new", &[("src/Till.java", NEW_SOURCE), ("notes.txt", "two\n")]);
    dir
}

fn write_variant(dir: &Path, choice: &str) -> (String, String) {
    let out = tempfile::tempdir().unwrap();
    let output_path = out.path().to_str().unwrap();
    let arguments = ["delta", "HEAD~1", "HEAD", "--apply", choice, "--output", output_path];
    let output = run_mend_keeping_repository(dir, &arguments);
    assert_eq!(output.code, 0, "{}", output.stderr);
    let read = |name: &str| fs::read_to_string(out.path().join(name)).unwrap();
    (read("src/Till.java"), read("notes.txt"))
}

/// Returns the number of the component with a description.
fn component_id(dir: &Path, what: &str) -> String {
    let json = run_mend(dir, &["delta", "HEAD~1", "HEAD", "--format", "json"]).json();
    let all = json["components"].as_array().unwrap();
    let found = all.iter().find(|one| one["what"].as_str().unwrap().contains(what)).unwrap();
    found["id"].to_string()
}

#[test]
fn applying_none_or_all_gives_old_or_new_version() {
    let dir = till_repository();
    assert_eq!(write_variant(dir.path(), "none"), (OLD_SOURCE.to_owned(), "one\n".to_owned()));
    assert_eq!(write_variant(dir.path(), "all"), (NEW_SOURCE.to_owned(), "two\n".to_owned()));
}

#[test]
fn component_is_applied_with_its_dependencies_only() {
    let dir = till_repository();
    let (till, notes) = write_variant(dir.path(), &component_id(dir.path(), "1 + vat"));
    assert!(till.contains("int vat = 7;") && till.contains("return 1 + vat;"), "{till}");
    assert!(!till.contains("close"), "{till}");
    assert_eq!(notes, "one\n");
}

#[test]
fn delta_prints_a_graphviz_graph() {
    let output =
        run_mend(till_repository().path(), &["delta", "HEAD~1", "HEAD", "--format", "dot"]);
    assert_eq!(output.code, 0);
    assert!(output.stdout.starts_with("digraph {"), "{}", output.stdout);
}

#[test]
fn equal_versions_have_an_empty_delta() {
    let output = run_mend(till_repository().path(), &["delta", "HEAD", "HEAD"]);
    assert_eq!((output.code, output.stdout.lines().count()), (0, 1), "{}", output.stdout);
}

#[test]
fn invalid_delta_requests_are_rejected() {
    let dir = till_repository();
    let out = dir.path().join("src").to_str().unwrap().to_owned();
    let apply = |choice: &str, to: &str| {
        run_mend_keeping_repository(
            dir.path(),
            &["delta", "HEAD~1", "HEAD", "--apply", choice, "--output", to],
        )
    };
    apply("99", "new").assert_exit_and_stderr(2, &["there is no component 99"]);
    apply("9-7", "new").assert_exit_and_stderr(2, &["pass `all`, `none` or component numbers"]);
    apply("all", &out).assert_exit_and_stderr(2, &["is not empty"]);
    run_mend(dir.path(), &["delta", "HEAD~1", "HEAD", "--apply", "all"])
        .assert_exit_and_stderr(2, &["--output"]);
    run_mend(dir.path(), &["delta", "HEAD~1", "main~9"]).assert_exit_and_stderr(2, &["main~9"]);
    run_mend(dir.path(), &["bisect", "--good", "HEAD~1", "--format", "dot", "--", "true"])
        .assert_exit_and_stderr(2, &["only `git mend delta`"]);
}
