//! Tests of `git mend delta` with invalid, generated and unusual Java files: applying all components reproduces the
//! bytes.

use crate::support::{commit, repository, run_mend, run_mend_keeping_repository};
use std::fs;
use std::path::Path;

type Files<'a> = &'a [(&'a str, &'a [u8])];

/// Asserts that all formats of the delta are printed, and that applying no and all components gives the two versions.
fn assert_delta_round_trips(old: Files<'_>, new: Files<'_>) {
    let dir = repository();
    commit(dir.path(), "old", old);
    for (name, _) in old.iter().filter(|(name, _)| new.iter().all(|(other, _)| other != name)) {
        fs::remove_file(dir.path().join(name)).unwrap();
    }
    commit(dir.path(), "new", new);
    for format in ["human", "json", "dot"] {
        let output = run_mend(dir.path(), &["delta", "HEAD~1", "HEAD", "--format", format]);
        assert_eq!(output.code, 0, "{format}: {}", output.stderr);
    }
    for (choice, files) in [("none", old), ("all", new)] {
        let out = tempfile::tempdir().unwrap();
        let output_folder = out.path().join("tree");
        let output_path = output_folder.to_str().unwrap();
        let arguments = ["delta", "HEAD~1", "HEAD", "--apply", choice, "--output", output_path];
        let output = run_mend_keeping_repository(dir.path(), &arguments);
        assert_eq!(output.code, 0, "{choice}: {}", output.stderr);
        assert_tree(&output_folder, files);
    }
}

fn assert_tree(folder: &Path, files: Files<'_>) {
    for (name, content) in files {
        assert!(fs::read(folder.join(name)).unwrap() == *content, "{name}");
    }
    assert_eq!(fs::read_dir(folder).unwrap().count(), files.len());
}

#[test]
fn unusual_java_files_round_trip_byte_for_byte() {
    let good: &[u8] = b"class A {\n    int x = 1;\n}\n";
    let broken: &[u8] = b"class A {\n    int x = = 2;\n    void m( {\n";
    let worse: &[u8] = b"class A {\n    int x = = 3;\n)))\n";
    let utf_16: &[u8] = b"\xff\xfec\0l\0a\0s\0s\0";
    let text = |latin: &[u8], utf: &str, value: &str| {
        let parts: [&[u8]; 7] = [
            b"class M { /* ",
            latin,
            b" */ String s = \"",
            utf.as_bytes(),
            b"\"; int x = ",
            value.as_bytes(),
            b"; }\r\n",
        ];
        parts.concat()
    };
    let mixed = [text(b"J\xfcrgen", "J\u{fc}rgen", "1"), text(b"Ren\xe9", "\u{1f600}", "2")];
    let marked = [b"\xef\xbb\xbf", &mixed[1][..]].concat();
    let one: &[u8] = b"class One {\n    int x = 1;\n    int get() { return x + 2 * x; }\n}\n";
    let two: &[u8] =
        b"class Two {\n    String s;\n    void put(String s) { this.s = s.trim(); }\n}\n";
    let (both, back) = ([one, two].concat(), [two, one].concat());
    assert_delta_round_trips(
        &[
            ("Breaks.java", good),
            ("Heals.java", broken),
            ("Stays.java", broken),
            ("Empty.java", b""),
            ("Mixed.java", &mixed[0]),
            ("Marked.java", &mixed[1]),
            ("One.java", one),
            ("Two.java", two),
            ("Order.java", &both),
            ("Merged.java", one),
            ("Gone.java", two),
        ],
        &[
            ("Breaks.java", broken),
            ("Heals.java", good),
            ("Stays.java", worse),
            ("Empty.java", utf_16),
            ("Mixed.java", &mixed[1]),
            ("Marked.java", &marked),
            ("One.java", two),
            ("Two.java", one),
            ("Order.java", &back),
            ("Merged.java", &both),
        ],
    );
}

#[test]
fn deeply_nested_expression_round_trips() {
    let nested = |value: &str| {
        let (open, close) = ("(".repeat(10_000), ")".repeat(10_000));
        format!("class A {{ int x = {open}{value}{close}; }}")
    };
    let (old, new) = (nested("1"), nested("2 + 3"));
    assert_delta_round_trips(&[("A.java", old.as_bytes())], &[("A.java", new.as_bytes())]);
}
