//! Documents, help texts, messages and doc comments are written in standard terms. `phrases` lists what is rejected,
//! with the better wording; `passages` extracts the prose of a file.

mod passages;
mod phrases;

use passages::Passage;
use std::path::Path;
use walkdir::{DirEntry, WalkDir};

/// Folders whose files are prose or contain it.
const FOLDERS: &[&str] = &[
    ".github",
    "action",
    "action.yml",
    "benches",
    "crates",
    "deploy",
    "docs",
    "examples",
    "hooks",
    "java",
    "scripts",
    "src",
];

/// Documents at the root.
const DOCUMENTS: &[&str] = &["CHANGELOG.md", "CONTRIBUTING.md", "DESIGN.md", "README.md"];

/// Returns true if users or contributors read the file: tests contain programs and quoted output.
fn is_read(entry: &DirEntry) -> bool {
    let name = entry.file_name().to_string_lossy();
    !matches!(name.as_ref(), "tests" | "tests.rs" | "snapshots" | "node_modules" | "testing.rs")
}

/// Every passage of prose in the repository, with the path of its file.
fn all_passages() -> Vec<(String, Passage)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    for start in FOLDERS.iter().chain(DOCUMENTS) {
        for entry in WalkDir::new(root.join(start)).into_iter().filter_entry(is_read) {
            let path = entry.unwrap().into_path();
            let name = path.strip_prefix(root).unwrap().display().to_string();
            if path.is_file() {
                found.extend(
                    passages::read(&path).into_iter().map(|passage| (name.clone(), passage)),
                );
            }
        }
    }
    found
}

#[test]
fn prose_uses_standard_terms() {
    let passages = all_passages();
    assert!(passages.len() > 5_000, "only {} passages were read", passages.len());
    let mut complaints = Vec::new();
    for (name, passage) in &passages {
        for (phrase, better) in phrases::found_in(&passage.text) {
            complaints.push(format!("{name}:{}: `{phrase}`: {better}", passage.line));
        }
    }
    assert!(
        complaints.is_empty(),
        "{} phrases want a standard term:\n{}",
        complaints.len(),
        complaints.join("\n")
    );
}

#[test]
fn a_riddle_is_reported_with_the_standard_term() {
    let found = phrases::found_in("tests that come upon the change, mended by `git mend`");
    let phrases: Vec<_> = found.iter().map(|(phrase, _)| phrase.as_str()).collect();
    assert_eq!(phrases, ["come upon", "mended"]);
    assert!(found[0].1.contains("affected tests"), "{}", found[0].1);
}

#[test]
fn the_name_of_the_program_is_no_riddle() {
    for name in ["`git mend fix`", "git-mend", ".git-mend.toml", ".git/mend/runs", "/mend stop"] {
        assert!(phrases::found_in(name).is_empty(), "{name}");
    }
}
