//! Reads the Java files in revisions of a checkout, and their differences.

use mend_engine::SourceSet;
use mend_model::{FileChange, FileState, RepoPath};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;

pub(crate) type Files = BTreeMap<RepoPath, Arc<[u8]>>;

/// Source folder in a checkout, with its compiler options.
pub(crate) struct Checkout {
    pub(crate) path: PathBuf,
    pub(crate) folder: String,
    /// Values of `--class-path`, `--release` and `--encoding`.
    pub(crate) flags: BTreeMap<String, String>,
}

impl Checkout {
    pub(crate) fn git(&self, arguments: &[&str]) -> Vec<u8> {
        let output =
            Command::new("git").arg("-C").arg(&self.path).args(arguments).output().unwrap();
        assert!(output.status.success(), "git {arguments:?}");
        output.stdout
    }

    pub(crate) fn files_of(&self, revision: &str) -> Files {
        let names = self.git(&["ls-tree", "-rz", "--name-only", revision, "--", &self.folder]);
        let names = names.split(|byte| *byte == 0).filter(|name| name.ends_with(b".java"));
        names
            .map(|name| {
                let text = String::from_utf8_lossy(name);
                let content = self.git(&["cat-file", "blob", &format!("{revision}:{text}")]);
                (RepoPath::new(name.to_vec()), content.into())
            })
            .collect()
    }

    /// Returns the pairs of renamed files according to git.
    pub(crate) fn detect_renames(&self, old: &str, new: &str) -> BTreeMap<RepoPath, RepoPath> {
        let output = self.git(&["diff", "-M", "--name-status", "-z", old, new, "--", &self.folder]);
        let mut words = output.split(|byte| *byte == 0).filter(|word| !word.is_empty());
        let mut renames = BTreeMap::new();
        while let Some(status) = words.next() {
            let first = words.next().unwrap_or_default();
            if status[0] == b'R' {
                let second = words.next().unwrap_or_default();
                renames.insert(RepoPath::new(first.to_vec()), RepoPath::new(second.to_vec()));
            }
        }
        renames
    }

    pub(crate) fn source_set(&self, files: &Files) -> SourceSet {
        let option = |name: &str| self.flags.get(name).cloned();
        let class_path = option("class-path").unwrap_or_default();
        let release = option("release").map(|n| vec!["--release".to_owned(), n]);
        SourceSet {
            files: files.iter().map(|(path, text)| (path.clone(), Arc::clone(text))).collect(),
            source_path: Vec::new(),
            class_path: class_path
                .split(':')
                .filter(|p| !p.is_empty())
                .map(PathBuf::from)
                .collect(),
            options: release.unwrap_or_default(),
            encoding: option("encoding").unwrap_or_default(),
        }
    }
}

pub(crate) fn file_changes(
    old: &Files,
    new: &Files,
    renames: &BTreeMap<RepoPath, RepoPath>,
) -> Vec<FileChange> {
    let side = |path: &RepoPath, text: &Arc<[u8]>| {
        Some((path.clone(), FileState::regular(Arc::clone(text))))
    };
    let mut changes = Vec::new();
    for (path, text) in old {
        let target = renames.get(path).unwrap_or(path);
        let new = new.get(target).and_then(|text| side(target, text));
        let old = side(path, text);
        if old != new {
            changes.push(FileChange { old, new });
        }
    }
    let renamed: BTreeSet<_> = renames.values().collect();
    for (path, text) in new {
        if !old.contains_key(path) && !renamed.contains(path) {
            changes.push(FileChange { old: None, new: side(path, text) });
        }
    }
    changes
}
