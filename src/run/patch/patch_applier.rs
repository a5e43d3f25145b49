//! Applies patches from outside to bad: diffs, changed sources and changed classes.

use crate::run::patch::patch_source::{PatchSource, is_diff};
use crate::run::session::versions::ResolvedVersion;
use crate::run::subject::test_overlay::{TestOverlay, to_repo_path};
use mend_engine::{REPLACEMENT_CLASSES_FOLDER, class_file_path};
use mend_git::{ApplyResult, ObjectStore, TreeEntry};
use mend_model::{FileChange, FileMode, FileState, RepoPath, Result, TreeEdit, TreeId};
use regex::bytes::Regex;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use walkdir::WalkDir;

/// Note about patches that also change test code.
pub(crate) const TEST_EDITS_NOTE: &str =
    "changes to test code in the patches: the tests of bad were used instead";

/// Applies patches from outside to bad.
pub(crate) struct PatchApplier<'a> {
    store: &'a ObjectStore,
    bad: &'a ResolvedVersion,
    overlay: &'a TestOverlay,
    /// Source folders of bad, test folders last.
    source_roots: &'a [RepoPath],
    /// Files of bad with its own tests.
    original_files: BTreeMap<RepoPath, TreeEntry>,
}

/// Result of applying a patch to bad.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PatchVariant {
    /// Patch that cannot be applied, with the reason.
    Rejected(String),
    /// Patch that changes only test code.
    OnlyTests,
    /// Changed sources, with the tests of bad.
    Sources {
        tree: TreeId,
        /// True if the patch also changes test code, which stays unchanged.
        touches_tests: bool,
    },
    /// Class files that replace compiled ones.
    Classes(TreeId),
}

/// Result, or the reason why a patch cannot be applied.
type OrReason<T> = std::result::Result<T, String>;

/// New contents of files.
type ChangedFiles = BTreeMap<RepoPath, Option<FileState>>;

impl<'a> PatchApplier<'a> {
    pub(crate) fn new(
        store: &'a ObjectStore,
        bad: &'a ResolvedVersion,
        overlay: &'a TestOverlay,
        roots: &'a [RepoPath],
    ) -> Result<Self> {
        let files = store.read_tree(&bad.original_tree)?;
        Ok(Self { store, bad, overlay, source_roots: roots, original_files: files })
    }

    /// Returns the store of the trees.
    pub(crate) fn store(&self) -> &ObjectStore {
        self.store
    }

    /// Applies a patch to bad. An unusable patch is not an error.
    pub(crate) fn apply(&self, source: &PatchSource) -> Result<PatchVariant> {
        let variant = match source {
            PatchSource::Unreadable(reason) => Err(reason.clone()),
            PatchSource::Diff(path) => self.apply_diff(path)?,
            PatchSource::Folder(path) => self.apply_folder(path)?,
        };
        Ok(variant.unwrap_or_else(PatchVariant::Rejected))
    }

    fn apply_diff(&self, path: &Path) -> Result<OrReason<PatchVariant>> {
        match std::fs::read(path) {
            Err(error) => return Ok(Err(format!("cannot read it: {error}"))),
            Ok(text) if text.iter().all(u8::is_ascii_whitespace) => {
                return Ok(Err("the file is empty".to_owned()));
            }
            Ok(_) => {}
        }
        let base = &self.bad.original_tree;
        match self.store.apply(base, path)? {
            ApplyResult::Rejected(said) => Ok(Err(first_git_error(&said))),
            ApplyResult::Tree(tree) => self.overlay_tests(&tree),
        }
    }

    fn apply_folder(&self, folder: &Path) -> Result<OrReason<PatchVariant>> {
        let files = match files_below(folder) {
            Ok(files) => files,
            Err(reason) => return Ok(Err(reason)),
        };
        let with_extension = |end: &str| -> Vec<&PathBuf> {
            files.iter().filter(|path| path.extension().is_some_and(|e| e == end)).collect()
        };
        let (java, class) = (with_extension("java"), with_extension("class"));
        let diffs: Vec<_> = files.iter().filter(|path| is_diff(path)).collect();
        match (&java[..], &class[..], &diffs[..]) {
            ([], [], [diff]) => self.apply_diff(diff),
            ([], [], []) => {
                Ok(Err("it contains no .java, .class, .patch or .diff file".to_owned()))
            }
            ([], [], _) => {
                Ok(Err("it contains several diffs; put each one directly into the pool".to_owned()))
            }
            ([], classes, _) => self.apply_class_files(classes),
            (sources, _, _) => self.apply_java_files(folder, sources),
        }
    }

    fn apply_java_files(
        &self,
        folder: &Path,
        sources: &[&PathBuf],
    ) -> Result<OrReason<PatchVariant>> {
        let mut changes = ChangedFiles::new();
        for path in sources {
            let content = match std::fs::read(path) {
                Ok(content) => content,
                Err(error) => return Ok(Err(format!("cannot read {}: {error}", path.display()))),
            };
            let relative_path = to_repo_path(path.strip_prefix(folder).unwrap_or(path));
            let Some(target_path) = self.find_target_path(&relative_path, &content) else {
                return Ok(Err(format!("{relative_path} is in no source folder")));
            };
            let mode =
                self.original_files.get(&target_path).map_or(FileMode::Regular, |entry| entry.mode);
            changes.insert(target_path, Some(FileState { mode, content: content.into() }));
        }
        let edit = TreeEdit { base: self.bad.original_tree.clone(), changes };
        self.overlay_tests(&self.store.write_tree(&edit)?)
    }

    /// Returns the path of a source file in the project: its own path, a path below a source root, or the path of its
    /// package.
    fn find_target_path(&self, relative_path: &RepoPath, content: &[u8]) -> Option<RepoPath> {
        let parts: Vec<&[u8]> = relative_path.components().map(AsRef::as_ref).collect();
        let path_suffixes = (0..parts.len()).map(|from| RepoPath::new(parts[from..].join(&b'/')));
        let by_package =
            package_path(content).join(&RepoPath::new(relative_path.file_name().to_vec()));
        let names: Vec<RepoPath> = path_suffixes.chain([by_package.clone()]).collect();
        let target_paths = names.iter().flat_map(|name| {
            std::iter::once(name.clone())
                .chain(self.source_roots.iter().map(|root| root.join(name)))
        });
        let existing_path =
            target_paths.into_iter().find(|place| self.original_files.contains_key(place));
        existing_path.or_else(|| {
            let is_in_source_root =
                self.source_roots.iter().any(|root| relative_path.is_under(root));
            let in_first_root = || self.source_roots.first().map(|root| root.join(&by_package));
            if is_in_source_root { Some(relative_path.clone()) } else { in_first_root() }
        })
    }

    /// Returns the tree of changed sources with the tests of bad.
    fn overlay_tests(&self, tree: &TreeId) -> Result<OrReason<PatchVariant>> {
        let changes = self.store.diff_trees(&self.bad.original_tree, tree)?;
        if changes.is_empty() {
            return Ok(Err("it changes nothing".to_owned()));
        }
        if let Some(reason) = changes.iter().find_map(rejection_reason) {
            return Ok(Err(reason));
        }
        let tree = self.overlay.apply_to(tree, self.store)?;
        if tree == self.bad.overlaid_tree {
            return Ok(Ok(PatchVariant::OnlyTests));
        }
        let touches_tests =
            self.store.diff_trees(&self.bad.overlaid_tree, &tree)?.len() < changes.len();
        Ok(Ok(PatchVariant::Sources { tree, touches_tests }))
    }

    fn apply_class_files(&self, classes: &[&PathBuf]) -> Result<OrReason<PatchVariant>> {
        let mut changes = ChangedFiles::new();
        for path in classes {
            let content = match std::fs::read(path) {
                Ok(content) => content,
                Err(error) => return Ok(Err(format!("cannot read {}: {error}", path.display()))),
            };
            let Some(target_path) = class_file_path(&content) else {
                return Ok(Err(format!("{} is not a class file", path.display())));
            };
            let target_path = RepoPath::from(REPLACEMENT_CLASSES_FOLDER).join(&target_path);
            changes.insert(target_path, Some(FileState::regular(content)));
        }
        let edit = TreeEdit { base: self.bad.overlaid_tree.clone(), changes };
        Ok(Ok(PatchVariant::Classes(self.store.write_tree(&edit)?)))
    }
}

/// Returns the reason to reject a change, if it is not allowed.
fn rejection_reason(change: &FileChange) -> Option<String> {
    let is_submodule = |side: &&(RepoPath, FileState)| side.1.mode == FileMode::Submodule;
    if let Some((path, _)) = change.old.iter().chain(&change.new).find(is_submodule) {
        return Some(format!("{path} is a submodule"));
    }
    let (path, state) = change.new.as_ref()?;
    if path.is_under(&REPLACEMENT_CLASSES_FOLDER.into()) {
        return Some(format!("{path} is not a file of the project"));
    }
    // A renamed link is unchanged.
    let was_same_link = change.old.as_ref().is_some_and(|(_, old)| old == state);
    let leads_away = state.mode == FileMode::Symlink && !was_same_link;
    leads_away.then(|| format!("{path} is a symbolic link, which may point outside the tree"))
}

/// Returns every file below a folder.
fn files_below(folder: &Path) -> OrReason<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in WalkDir::new(folder).sort_by_file_name() {
        let entry = entry.map_err(|error| format!("cannot read it: {error}"))?;
        let path = entry.path();
        if entry.path_is_symlink() && entry.depth() > 0 {
            let name = path.strip_prefix(folder).unwrap_or(path);
            return Err(format!(
                "{} is a symbolic link, which may point outside the folder",
                name.display()
            ));
        }
        if entry.file_type().is_file() {
            files.push(path.to_owned());
        }
    }
    Ok(files)
}

/// Returns the folder of a file's package.
fn package_path(content: &[u8]) -> RepoPath {
    static PACKAGE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?m)^\s*package\s+([\w.]+)\s*;")
            .unwrap_or_else(|_| unreachable!("a constant pattern"))
    });
    let name = PACKAGE.captures(content).and_then(|found| found.get(1));
    let dot_to_slash = |byte: &u8| if *byte == b'.' { b'/' } else { *byte };
    let path = name.map(|name| name.as_bytes().iter().map(dot_to_slash).collect::<Vec<u8>>());
    RepoPath::new(path.unwrap_or_default())
}

/// Returns the first error message of git.
fn first_git_error(git_output: &str) -> String {
    let line =
        git_output.lines().find(|line| line.starts_with("error: ")).or(git_output.lines().next());
    let line = line.map_or("", |line| line.trim_start_matches("error: "));
    if line.starts_with("No valid patches in input") {
        // Git suggests one of its own options, which does not apply here.
        return "git finds no diff in it".to_owned();
    }
    format!("git cannot apply it: {line}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changed_links_and_submodules_are_rejected() {
        let file = |path: &str, mode, content: &[u8]| {
            Some((RepoPath::from(path), FileState { mode, content: content.into() }))
        };
        let (link, submodule) = (FileMode::Symlink, FileMode::Submodule);
        for (old, new, is_rejected) in [
            (None, file("a", link, b"/etc"), true),
            (file("a", link, b"b"), file("a", link, b"/etc"), true),
            (file("a", link, b"b"), file("c", link, b"b"), false),
            (file("a", link, b"b"), None, false),
            (file("a", submodule, b"1"), file("a", submodule, b"2"), true),
            (file("a", submodule, b"1"), None, true),
            (file("a", FileMode::Regular, b"1"), file("a", FileMode::Regular, b"2"), false),
        ] {
            let change = FileChange { old, new };
            assert_eq!(rejection_reason(&change).is_some(), is_rejected, "{change:?}");
        }
    }

    #[test]
    fn git_rejection_is_reported_on_one_line() {
        let git_output = "warning: 1 line adds\nerror: patch failed: a:1\nerror: a: no match\n";
        assert_eq!(first_git_error(git_output), "git cannot apply it: patch failed: a:1");
        let git_output = "error: No valid patches in input (allow with \"--allow-empty\")\n";
        assert_eq!(first_git_error(git_output), "git finds no diff in it");
    }
}
