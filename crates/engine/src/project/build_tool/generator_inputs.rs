//! Files from which a build may generate sources and resources.

use crate::cache::digest::Digest;
use std::path::Path;
use walkdir::{DirEntry, WalkDir};

/// Folders that generators do not read: build outputs, documentation, and test data.
const IGNORED_FOLDERS: [&str; 7] = [
    "target",
    "node_modules",
    "docs",
    "src/site",
    "src/changes",
    "src/test/java",
    "src/test/resources",
];

/// Extensions of files that are not generated from.
const IGNORED_EXTENSIONS: [&str; 4] = ["java", "md", "adoc", "class"];

/// Beginnings of the names of documents.
const DOCUMENT_NAMES: [&str; 6] =
    ["README", "LICENSE", "NOTICE", "CHANGE", "RELEASE-NOTES", "AUTHORS"];

/// Returns a hash of all files of a tree that a generator may read, by content. Java sources do not count, because
/// a variant would otherwise need a run of the build tool each time.
pub(crate) fn hash_inputs(tree: &Path) -> String {
    let is_searched = |entry: &DirEntry| {
        let name = entry.path().strip_prefix(tree).unwrap_or(entry.path());
        let is_hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
        let is_ignored = IGNORED_FOLDERS.iter().any(|folder| name.ends_with(folder));
        entry.depth() == 0 || !(is_hidden || entry.file_type().is_dir() && is_ignored)
    };
    let is_input = |entry: &DirEntry| {
        let extension = entry.path().extension().unwrap_or_default();
        let name = entry.file_name().to_string_lossy();
        let is_ignored = IGNORED_EXTENSIONS.iter().any(|one| extension == *one)
            || DOCUMENT_NAMES.iter().any(|start| name.starts_with(start));
        entry.file_type().is_file() && !is_ignored
    };
    let entries = WalkDir::new(tree).sort_by_file_name().into_iter().filter_entry(is_searched);
    let mut digest = Digest::default();
    for entry in entries.flatten().filter(is_input) {
        let name = entry.path().strip_prefix(tree).unwrap_or(entry.path()).to_string_lossy();
        digest.add(&name, std::fs::read(entry.path()).unwrap_or_default());
    }
    digest.finish_hex()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_that_generators_read_change_the_hash() {
        let tree = tempfile::tempdir().unwrap();
        let write = |file: &str| {
            let path = tree.path().join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "x").unwrap();
            hash_inputs(tree.path())
        };
        let first = write("src/main/proto/a.proto");
        for file in
            ["LICENSE.txt", "docs.md", "src/main/java/A.java", "m/src/test/resources/x", "target/y"]
        {
            assert_eq!(write(file), first, "{file}");
        }
        let second = write("m/src/main/proto/b.proto");
        assert_ne!(second, first);
        assert_ne!(write("src/main/words/list.txt"), second);
    }
}
