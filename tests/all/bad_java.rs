//! Java that is broken, generated or written elsewhere: it is taken apart all the same, to the byte.

use crate::support::{commit, mend, mend_untouched, repository};
use std::fs;
use std::path::Path;

type Files<'a> = &'a [(&'a str, &'a [u8])];

/// Every view of the change is shown, and nothing and everything of it are the two versions.
fn check(old: Files<'_>, new: Files<'_>) {
    let dir = repository();
    commit(dir.path(), "old", old);
    for (name, _) in old.iter().filter(|(name, _)| new.iter().all(|(other, _)| other != name)) {
        fs::remove_file(dir.path().join(name)).unwrap();
    }
    commit(dir.path(), "new", new);
    for format in ["human", "json", "dot"] {
        let ran = mend(dir.path(), &["delta", "HEAD~1", "HEAD", "--format", format]);
        assert_eq!(ran.code, 0, "{format}: {}", ran.stderr);
    }
    for (choice, files) in [("none", old), ("all", new)] {
        let out = tempfile::tempdir().unwrap();
        let place = out.path().join("tree");
        let place_text = place.to_str().unwrap();
        let arguments = ["delta", "HEAD~1", "HEAD", "--apply", choice, "--output", place_text];
        let ran = mend_untouched(dir.path(), &arguments);
        assert_eq!(ran.code, 0, "{choice}: {}", ran.stderr);
        is_tree(&place, files);
    }
}

fn is_tree(place: &Path, files: Files<'_>) {
    for (name, content) in files {
        assert!(fs::read(place.join(name)).unwrap() == *content, "{name}");
    }
    assert_eq!(fs::read_dir(place).unwrap().count(), files.len());
}

#[test]
fn broken_and_foreign_files_and_types_that_change_places_are_kept_to_the_byte() {
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
    check(
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
fn ten_thousand_levels_are_shown_and_applied() {
    let nested = |value: &str| {
        let (open, close) = ("(".repeat(10_000), ")".repeat(10_000));
        format!("class A {{ int x = {open}{value}{close}; }}")
    };
    let (old, new) = (nested("1"), nested("2 + 3"));
    check(&[("A.java", old.as_bytes())], &[("A.java", new.as_bytes())]);
}
