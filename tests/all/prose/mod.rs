//! Tests that documents, help texts, messages and doc comments use standard terms. `phrases` lists the rejected phrases
//! with better wordings; `passages` extracts the prose of a file.

mod passages;
mod phrases;

use passages::Passage;
use std::path::Path;
use walkdir::{DirEntry, WalkDir};

/// Folders whose files are prose or contain it.
const PROSE_FOLDERS: &[&str] = &[
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

/// Documents in the root folder.
const ROOT_DOCUMENTS: &[&str] = &["CHANGELOG.md", "CONTRIBUTING.md", "DESIGN.md", "README.md"];

/// Returns true if users or contributors read the file. Tests are excluded, because they contain programs and quoted
/// output.
fn is_prose_entry(entry: &DirEntry) -> bool {
    let name = entry.file_name().to_string_lossy();
    !matches!(name.as_ref(), "tests" | "tests.rs" | "snapshots" | "node_modules" | "testing.rs")
}

/// Returns every passage of prose in the repository, with the path of its file.
fn all_passages() -> Vec<(String, Passage)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut passages_found = Vec::new();
    for start in PROSE_FOLDERS.iter().chain(ROOT_DOCUMENTS) {
        for entry in WalkDir::new(root.join(start)).into_iter().filter_entry(is_prose_entry) {
            let path = entry.unwrap().into_path();
            let name = path.strip_prefix(root).unwrap().display().to_string();
            if path.is_file() {
                passages_found.extend(
                    passages::read(&path).into_iter().map(|passage| (name.clone(), passage)),
                );
            }
        }
    }
    passages_found
}

#[test]
fn prose_uses_standard_terms() {
    let passages = all_passages();
    assert!(passages.len() > 5_000, "only {} passages were read", passages.len());
    let mut complaints = Vec::new();
    for (name, passage) in &passages {
        for (phrase, better) in phrases::find_phrases(&passage.text) {
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
fn rejected_phrase_is_reported_with_standard_term() {
    let phrases_found =
        phrases::find_phrases("tests that come upon the change, mended by `git mend`");
    let phrases: Vec<_> = phrases_found.iter().map(|(phrase, _)| phrase.as_str()).collect();
    assert_eq!(phrases, ["come upon", "mended"]);
    assert!(phrases_found[0].1.contains("affected tests"), "{}", phrases_found[0].1);
}

#[test]
fn program_name_is_not_rejected() {
    for name in ["`git mend fix`", "git-mend", ".git-mend.toml", ".git/mend/runs", "/mend stop"] {
        assert!(phrases::find_phrases(name).is_empty(), "{name}");
    }
}
