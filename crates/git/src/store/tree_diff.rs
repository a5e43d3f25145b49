//! Differences between two trees, and merges of trees.

use crate::ObjectStore;
use crate::oid::ToOid;
use crate::store::required_objects::RequiredObjects;
use crate::store::tree_entries::{file_mode, read_file_state};
use git2::{Delta, DiffFindOptions, DiffOptions};
use mend_model::{FileChange, FileState, RepoPath, Result, TreeId};

/// Maximum number of files compared with each other to detect renames.
const RENAME_LIMIT: usize = 2_000;

impl ObjectStore {
    /// Returns the files that differ between two trees, by path. A removed and an added file count as renamed if at
    /// least half of their content is equal.
    ///
    /// # Errors
    /// Those of [`Self::read_tree`].
    pub fn diff_trees(&self, old: &TreeId, new: &TreeId) -> Result<Vec<FileChange>> {
        let mut changes = self.read(RequiredObjects::Changes(old, new), |git| {
            let (old, new) = (git.find_tree(old.oid()?)?, git.find_tree(new.oid()?)?);
            let mut options = DiffOptions::new();
            options.include_typechange(true).ignore_submodules(false);
            let mut diff = git.diff_tree_to_tree(Some(&old), Some(&new), Some(&mut options))?;
            let mut renames = DiffFindOptions::new();
            renames.renames(true).rename_threshold(50).rename_limit(RENAME_LIMIT);
            diff.find_similar(Some(&mut renames))?;
            diff.deltas().map(|delta| to_file_change(git, &delta)).collect::<Result<Vec<_>, _>>()
        })?;
        changes.sort_by(|a, b| a.path().cmp(&b.path()));
        Ok(changes)
    }

    /// Returns the difference between two trees as a unified diff for `git apply`, including binary files and renames.
    ///
    /// # Errors
    /// [`mend_model::Problem::Internal`] if git fails, and those of downloading in a partial clone.
    pub fn write_patch(&self, old: &TreeId, new: &TreeId) -> Result<Vec<u8>> {
        self.download_missing(RequiredObjects::Changes(old, new))?;
        let diff_options = ["-r", "-p", "--binary", "--full-index", "--find-renames=50%"];
        let format_options =
            ["--no-ext-diff", "--no-textconv", "--no-color", "--src-prefix=a/", "--dst-prefix=b/"];
        self.git()
            .arg("diff-tree")
            .args(diff_options)
            .args(format_options)
            .args([&old.0, &new.0])
            .stdout()
    }

    /// Merges the changes of `ours` and `theirs` to `base`; `None` if they conflict.
    ///
    /// # Errors
    /// Those of [`Self::read_tree`].
    pub fn merge(&self, base: &TreeId, ours: &TreeId, theirs: &TreeId) -> Result<Option<TreeId>> {
        self.download_missing(RequiredObjects::Changes(base, ours))?;
        self.read(RequiredObjects::Changes(base, theirs), |git| {
            let tree = |id: &TreeId| git.find_tree(id.oid()?);
            let mut index = git.merge_trees(&tree(base)?, &tree(ours)?, &tree(theirs)?, None)?;
            if index.has_conflicts() {
                return Ok(None);
            }
            Ok(Some(TreeId(index.write_tree_to(git)?.to_string())))
        })
    }
}

fn to_file_change(
    git: &git2::Repository,
    delta: &git2::DiffDelta<'_>,
) -> Result<FileChange, git2::Error> {
    let (is_added, is_deleted) = (delta.status() == Delta::Added, delta.status() == Delta::Deleted);
    Ok(FileChange {
        old: if is_added { None } else { read_diff_side(git, &delta.old_file())? },
        new: if is_deleted { None } else { read_diff_side(git, &delta.new_file())? },
    })
}

fn read_diff_side(
    git: &git2::Repository,
    file: &git2::DiffFile<'_>,
) -> Result<Option<(RepoPath, FileState)>, git2::Error> {
    let path = RepoPath::new(file.path_bytes().unwrap_or_default());
    let Some(mode) = file_mode(i32::from(file.mode())) else { return Ok(None) };
    Ok(Some((path, read_file_state(git, mode, file.id())?)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use mend_model::{FileMode, TreeEdit};
    use std::collections::BTreeMap;
    use std::fmt::Write as _;

    struct Case {
        _dir: tempfile::TempDir,
        store: ObjectStore,
        empty: TreeId,
    }

    impl Case {
        fn new() -> Self {
            let (dir, empty) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
            let store = ObjectStore::create(dir.path(), None).unwrap();
            let empty = store.import_folder(empty.path()).unwrap();
            Self { _dir: dir, store, empty }
        }

        fn tree(&self, files: &[(&str, &[u8])]) -> TreeId {
            let files = files
                .iter()
                .map(|(path, content)| (RepoPath::from(*path), Some(FileState::regular(*content))));
            let changes: BTreeMap<_, _> = files.collect();
            self.store.write_tree(&TreeEdit { base: self.empty.clone(), changes }).unwrap()
        }

        fn edited_tree(&self, base: &TreeId, path: &str, mode: FileMode, content: &[u8]) -> TreeId {
            let state = FileState { mode, content: content.into() };
            let changes = [(path.into(), Some(state))].into();
            self.store.write_tree(&TreeEdit { base: base.clone(), changes }).unwrap()
        }

        /// Returns pairs of the old and the new path.
        fn changed_paths(&self, old: &TreeId, new: &TreeId) -> Vec<(String, String)> {
            let path_of = |side: &Option<(RepoPath, FileState)>| {
                side.as_ref().map_or_else(String::new, |(path, _)| path.to_string())
            };
            let changes = self.store.diff_trees(old, new).unwrap();
            changes.iter().map(|change| (path_of(&change.old), path_of(&change.new))).collect()
        }
    }

    fn numbered_lines(count: usize, changed: usize) -> Vec<u8> {
        let mut text = String::new();
        for n in 0..count {
            let prefix = if n < changed { "changed" } else { "kept" };
            writeln!(text, "{prefix} line of number {n}").unwrap();
        }
        text.into_bytes()
    }

    fn owned_pairs<const N: usize>(pairs: [(&str, &str); N]) -> [(String, String); N] {
        pairs.map(|(old, new)| (old.to_owned(), new.to_owned()))
    }

    #[test]
    fn changed_files_are_sorted_by_path() {
        let case = Case::new();
        let old = case.tree(&[("b", b"1"), ("c", b"gone"), ("same", b"s")]);
        let new = case.tree(&[("a", b"new and long"), ("b", b"2"), ("same", b"s")]);
        assert_eq!(case.changed_paths(&old, &new), owned_pairs([("", "a"), ("b", "b"), ("c", "")]));
    }

    #[test]
    fn rename_is_detected_at_half_similarity() {
        let case = Case::new();
        let old = case.tree(&[
            ("exact", b"the very same content\n"),
            ("old", &numbered_lines(40, 0)),
            ("x", &numbered_lines(40, 40)),
        ]);
        let new = case
            .tree(&[("moved/exact", b"the very same content\n"), ("new", &numbered_lines(40, 8))]);
        let expected = owned_pairs([("exact", "moved/exact"), ("old", "new"), ("x", "")]);
        assert_eq!(case.changed_paths(&old, &new), expected);
    }

    #[test]
    fn copied_file_is_an_added_file() {
        let case = Case::new();
        let old = case.tree(&[("one", &numbered_lines(40, 0))]);
        let new = case.tree(&[("one", &numbered_lines(40, 0)), ("two", &numbered_lines(40, 0))]);
        assert_eq!(case.changed_paths(&old, &new), owned_pairs([("", "two")]));
    }

    #[test]
    fn mode_or_type_change_is_one_change() {
        let case = Case::new();
        let old = case.tree(&[("run", b"r"), ("link", b"target")]);
        let new = case.edited_tree(&old, "run", FileMode::Executable, b"r");
        let new = case.edited_tree(&new, "link", FileMode::Symlink, b"target");
        assert_eq!(case.changed_paths(&old, &new), owned_pairs([("link", "link"), ("run", "run")]));
    }

    #[test]
    fn merge_combines_both_sides_or_reports_conflict() {
        let case = Case::new();
        let base = case.tree(&[("a", b"1\n"), ("b", b"1\n")]);
        let ours = case.tree(&[("a", b"2\n"), ("b", b"1\n")]);
        let theirs = case.tree(&[("a", b"1\n"), ("b", b"2\n")]);
        let merged = case.tree(&[("a", b"2\n"), ("b", b"2\n")]);
        assert_eq!(case.store.merge(&base, &ours, &theirs).unwrap(), Some(merged));
        let conflicting = case.tree(&[("a", b"3\n"), ("b", b"1\n")]);
        assert_eq!(case.store.merge(&base, &ours, &conflicting).unwrap(), None);
    }
}
