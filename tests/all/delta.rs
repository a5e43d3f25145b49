//! `git mend delta`: what it shows, and what it writes.

use crate::support::{commit, mend, mend_untouched, repository};
use std::fs;
use std::path::Path;
use tempfile::TempDir;

const OLD: &str = "class Till {\n    int sum() {\n        return 1;\n    }\n}\n";
const NEW: &str = "class Till {\n    int vat = 7;\n\n    int sum() {\n        // with tax\n        \
                   return 1 + vat;\n    }\n\n    void close() {}\n}\n";

fn till() -> TempDir {
    let dir = repository();
    commit(dir.path(), "old", &[("src/Till.java", OLD), ("notes.txt", "one\n")]);
    commit(dir.path(), "new", &[("src/Till.java", NEW), ("notes.txt", "two\n")]);
    dir
}

fn variant(dir: &Path, choice: &str) -> (String, String) {
    let out = tempfile::tempdir().unwrap();
    let place = out.path().to_str().unwrap();
    let arguments = ["delta", "HEAD~1", "HEAD", "--apply", choice, "--output", place];
    let ran = mend_untouched(dir, &arguments);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let read = |name: &str| fs::read_to_string(out.path().join(name)).unwrap();
    (read("src/Till.java"), read("notes.txt"))
}

/// The number of the component that does something.
fn component(dir: &Path, what: &str) -> String {
    let json = mend(dir, &["delta", "HEAD~1", "HEAD", "--format", "json"]).json();
    let all = json["components"].as_array().unwrap();
    let found = all.iter().find(|one| one["what"].as_str().unwrap().contains(what)).unwrap();
    found["id"].to_string()
}

#[test]
fn none_of_it_is_the_old_version_and_all_of_it_the_new_one() {
    let dir = till();
    assert_eq!(variant(dir.path(), "none"), (OLD.to_owned(), "one\n".to_owned()));
    assert_eq!(variant(dir.path(), "all"), (NEW.to_owned(), "two\n".to_owned()));
}

#[test]
fn a_component_brings_what_it_needs_and_nothing_else() {
    let dir = till();
    let (till, notes) = variant(dir.path(), &component(dir.path(), "1 + vat"));
    assert!(till.contains("int vat = 7;") && till.contains("return 1 + vat;"), "{till}");
    assert!(!till.contains("close"), "{till}");
    assert_eq!(notes, "one\n");
}

#[test]
fn a_graph_is_written_for_graphviz() {
    let ran = mend(till().path(), &["delta", "HEAD~1", "HEAD", "--format", "dot"]);
    assert_eq!(ran.code, 0);
    assert!(ran.stdout.starts_with("digraph {"), "{}", ran.stdout);
}

#[test]
fn a_delta_of_equal_versions_is_empty() {
    let ran = mend(till().path(), &["delta", "HEAD", "HEAD"]);
    assert_eq!((ran.code, ran.stdout.lines().count()), (0, 1), "{}", ran.stdout);
}

#[test]
fn what_cannot_be_applied_is_refused() {
    let dir = till();
    let out = dir.path().join("src").to_str().unwrap().to_owned();
    let apply = |choice: &str, to: &str| {
        mend_untouched(dir.path(), &["delta", "HEAD~1", "HEAD", "--apply", choice, "--output", to])
    };
    apply("99", "new").says(2, &["there is no component 99"]);
    apply("9-7", "new").says(2, &["pass `all`, `none` or component numbers"]);
    apply("all", &out).says(2, &["is not empty"]);
    mend(dir.path(), &["delta", "HEAD~1", "HEAD", "--apply", "all"]).says(2, &["--output"]);
    mend(dir.path(), &["delta", "HEAD~1", "main~9"]).says(2, &["main~9"]);
    mend(dir.path(), &["bisect", "--good", "HEAD~1", "--format", "dot", "--", "true"])
        .says(2, &["only `git mend delta`"]);
}
