//! Writes the tree of a variant.

use crate::oid::ToOid;
use crate::store::required_objects::RequiredObjects;
use crate::store::tree_entries::{EntryId, find_entry};
use crate::{ObjectStore, TreeEntry};
use git2::{ObjectType, OdbLookupFlags, Oid};
use mend_model::{FileMode, FileState, RepoPath, Result, TreeEdit, TreeId};
use std::collections::BTreeMap;

/// Mode bits of a folder.
pub(crate) const FOLDER_MODE_BITS: i32 = 0o040_000;

/// State of a file after an edit.
#[derive(Clone, Copy)]
enum FileEdit {
    Present(EntryId),
    Deleted,
}

/// Planned edit of a path component.
#[derive(Default)]
struct EditNode {
    file: Option<FileEdit>,
    /// Edits below it.
    children: BTreeMap<Vec<u8>, Self>,
}

impl ObjectStore {
    /// Writes the tree of a variant. Only folders with changes are rewritten.
    ///
    /// # Errors
    /// [`mend_model::Problem::DiskFull`]; [`mend_model::Problem::Internal`] for names that git rejects.
    pub fn write_tree(&self, edit: &TreeEdit) -> Result<TreeId> {
        self.read(RequiredObjects::Folders(&edit.base), |git| {
            let edits = edit.changes.iter().map(|(path, state)| {
                let entry = state.as_ref().map(|state| write_file(git, state)).transpose()?;
                Ok((path, entry.map_or(FileEdit::Deleted, FileEdit::Present)))
            });
            rewrite_tree(git, &edit.base, edits)
        })
    }

    /// Replaces files of a tree by files of the store, which are not read; `None` deletes a file.
    ///
    /// # Errors
    /// Errors of [`ObjectStore::write_tree`].
    pub fn replace_entries(
        &self,
        base: &TreeId,
        changes: &BTreeMap<&RepoPath, Option<&TreeEntry>>,
    ) -> Result<TreeId> {
        self.read(RequiredObjects::Folders(base), |git| {
            let edits = changes.iter().map(|(path, entry)| {
                let entry = entry.map(entry_id).transpose()?;
                Ok((*path, entry.map_or(FileEdit::Deleted, FileEdit::Present)))
            });
            rewrite_tree(git, base, edits)
        })
    }
}

fn entry_id(entry: &TreeEntry) -> Result<EntryId, git2::Error> {
    Ok((entry.id.oid()?, mode_bits(entry.mode)))
}

/// Writes a tree with edited files.
fn rewrite_tree<'a>(
    git: &git2::Repository,
    base: &TreeId,
    edits: impl Iterator<Item = Result<(&'a RepoPath, FileEdit), git2::Error>>,
) -> Result<TreeId, git2::Error> {
    let mut root = EditNode::default();
    for edit in edits {
        let (path, file) = edit?;
        root.node_mut(path).file = Some(file);
    }
    let base = git.find_tree(base.oid()?)?;
    let tree_id = write_folder(git, Some(&base), &root.children)?;
    Ok(TreeId(tree_id.map_or_else(|| empty_tree(git), Ok)?.to_string()))
}

impl EditNode {
    fn node_mut(&mut self, path: &RepoPath) -> &mut Self {
        path.components().fold(self, |node, part| node.children.entry(part.to_vec()).or_default())
    }

    /// Writes the new entry that replaces the entry `old` of a folder.
    fn rewrite_entry(
        &self,
        git: &git2::Repository,
        old: Option<EntryId>,
    ) -> Result<Option<EntryId>, git2::Error> {
        if let Some(FileEdit::Present(file)) = self.file {
            return Ok(Some(file));
        }
        let (folder, file) = match old {
            Some((id, FOLDER_MODE_BITS)) => (Some(git.find_tree(id)?), None),
            other => (None, other.filter(|_| self.file.is_none())),
        };
        if folder.is_some() && self.children.is_empty() {
            return Ok(old);
        }
        let tree_id = write_folder(git, folder.as_ref(), &self.children)?;
        Ok(tree_id.map(|id| (id, FOLDER_MODE_BITS)).or(file))
    }
}

/// Writes the new tree of a folder; `None` if it is empty.
fn write_folder(
    git: &git2::Repository,
    base: Option<&git2::Tree<'_>>,
    changes: &BTreeMap<Vec<u8>, EditNode>,
) -> Result<Option<Oid>, git2::Error> {
    let mut builder = git.treebuilder(base)?;
    for (name, node) in changes {
        let old = base.and_then(|base| find_entry(base, name));
        match node.rewrite_entry(git, old)? {
            Some((id, mode)) => {
                builder.insert(name.as_slice(), id, mode)?;
            }
            None if old.is_some() => builder.remove(name.as_slice())?,
            None => {}
        }
    }
    if builder.is_empty() { Ok(None) } else { builder.write().map(Some) }
}

fn write_file(git: &git2::Repository, state: &FileState) -> Result<EntryId, git2::Error> {
    let id = match state.mode {
        FileMode::Submodule => Oid::from_str(&String::from_utf8_lossy(&state.content))?,
        _ => write_blob(git, &state.content)?,
    };
    Ok((id, mode_bits(state.mode)))
}

/// Writes the content of a file, unless it is known: libgit2 compresses it into a temporary file before it looks.
fn write_blob(git: &git2::Repository, content: &[u8]) -> Result<Oid, git2::Error> {
    let id = Oid::hash_object(ObjectType::Blob, content)?;
    let is_known = git.odb()?.exists_ext(id, OdbLookupFlags::NO_REFRESH);
    if is_known { Ok(id) } else { git.blob(content) }
}

/// Writes the tree of an empty folder.
pub(crate) fn empty_tree(git: &git2::Repository) -> Result<Oid, git2::Error> {
    git.treebuilder(None)?.write()
}

/// Returns git's mode bits.
pub(crate) fn mode_bits(mode: FileMode) -> i32 {
    match mode {
        FileMode::Regular => 0o100_644,
        FileMode::Executable => 0o100_755,
        FileMode::Symlink => 0o120_000,
        FileMode::Submodule => 0o160_000,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mend_model::BlobId;
    use proptest::prelude::*;
    use proptest::sample::select;

    fn empty_store() -> (tempfile::TempDir, ObjectStore, TreeId) {
        let dir = tempfile::tempdir().unwrap();
        let store = ObjectStore::create(dir.path(), None).unwrap();
        let empty = store.with_repository(empty_tree).unwrap();
        (dir, store, TreeId(empty.to_string()))
    }

    fn tree_edit(base: &TreeId, changes: &[(&str, Option<&[u8]>)]) -> TreeEdit {
        let change = |(path, content): &(&str, Option<&[u8]>)| {
            ((*path).into(), content.map(FileState::regular))
        };
        TreeEdit { base: base.clone(), changes: changes.iter().map(change).collect() }
    }

    fn tree_paths(store: &ObjectStore, tree: &TreeId) -> Vec<String> {
        store.read_tree(tree).unwrap().into_keys().map(|path| path.to_string()).collect()
    }

    #[test]
    fn empty_edit_returns_the_base_tree() {
        let (_dir, store, empty) = empty_store();
        let tree = store.write_tree(&tree_edit(&empty, &[("a/b/c", Some(b"x"))])).unwrap();
        assert_eq!(store.write_tree(&TreeEdit::unchanged(tree.clone())).unwrap(), tree);
        assert_eq!(
            store.write_tree(&tree_edit(&tree, &[("a/b/none", None), ("a", None)])).unwrap(),
            tree
        );
    }

    #[test]
    fn replaced_entries_are_those_of_the_other_tree() {
        let (_dir, store, empty) = empty_store();
        let write = |changes: &[(&str, Option<&[u8]>)]| {
            store.write_tree(&tree_edit(&empty, changes)).unwrap()
        };
        let source = write(&[("a/b", Some(b"new")), ("a/c", Some(b"same"))]);
        let base = write(&[("a/b", Some(b"old")), ("a/d", Some(b"gone")), ("e", Some(b"x"))]);
        let entries = store.read_tree(&source).unwrap();
        let gone = RepoPath::from("a/d");
        let mut changes: BTreeMap<_, _> =
            entries.iter().map(|(path, entry)| (path, Some(entry))).collect();
        changes.insert(&gone, None);
        let expected = write(&[("a/b", Some(b"new")), ("a/c", Some(b"same")), ("e", Some(b"x"))]);
        assert_eq!(store.replace_entries(&base, &changes).unwrap(), expected);
    }

    #[test]
    fn folder_without_files_is_removed() {
        let (_dir, store, empty) = empty_store();
        let tree = store
            .write_tree(&tree_edit(&empty, &[("a/b/c", Some(b"x")), ("d", Some(b"y"))]))
            .unwrap();
        assert_eq!(
            tree_paths(&store, &store.write_tree(&tree_edit(&tree, &[("a/b/c", None)])).unwrap()),
            ["d"]
        );
    }

    #[test]
    fn file_and_folder_can_replace_each_other() {
        let (_dir, store, empty) = empty_store();
        let file = store.write_tree(&tree_edit(&empty, &[("a", Some(b"x"))])).unwrap();
        let folder = tree_edit(&file, &[("a", None), ("a/b", Some(b"y"))]);
        let folder = store.write_tree(&folder).unwrap();
        assert_eq!(tree_paths(&store, &folder), ["a/b"]);
        let restored =
            store.write_tree(&tree_edit(&folder, &[("a", Some(b"x")), ("a/b", None)])).unwrap();
        assert_eq!(restored, file);
    }

    #[test]
    fn all_file_modes_are_written() {
        let (_dir, store, empty) = empty_store();
        let states = [
            (FileMode::Executable, &b"run"[..]),
            (FileMode::Symlink, b"target"),
            (FileMode::Submodule, b"1234567890123456789012345678901234567890"),
        ];
        for (mode, content) in states {
            let state = FileState { mode, content: content.into() };
            let changes = [(RepoPath::from("a"), Some(state.clone()))].into();
            let tree = store.write_tree(&TreeEdit { base: empty.clone(), changes }).unwrap();
            assert_eq!(store.read_file(&tree, &"a".into()).unwrap(), Some(state));
        }
    }

    #[test]
    fn non_utf8_name_is_written() {
        let (_dir, store, empty) = empty_store();
        let path = RepoPath::new(&b"d\xff/\xe4.java"[..]);
        let changes = [(path.clone(), Some(FileState::regular(*b"x")))].into();
        let tree = store.write_tree(&TreeEdit { base: empty, changes }).unwrap();
        assert_eq!(
            store.read_tree(&tree).unwrap().into_keys().collect::<Vec<_>>(),
            std::slice::from_ref(&path)
        );
        assert!(store.read_file(&tree, &path).unwrap().is_some());
    }

    #[test]
    fn invalid_git_path_is_an_error() {
        let (_dir, store, empty) = empty_store();
        for path in [".git/config", "..", "a//b", "nul\0"] {
            assert!(
                store.write_tree(&tree_edit(&empty, &[(path, Some(b"x"))])).is_err(),
                "{path:?}"
            );
        }
    }

    #[test]
    fn large_tree_is_written_and_read() {
        let (_dir, store, empty) = empty_store();
        let paths: Vec<_> = (0..10_000).map(|n| format!("p{}/f{n}", n % 100)).collect();
        let changes: Vec<_> =
            paths.iter().map(|path| (path.as_str(), Some(&b"same"[..]))).collect();
        let tree = store.write_tree(&tree_edit(&empty, &changes)).unwrap();
        let next = store.write_tree(&tree_edit(&tree, &[("p7/f7", Some(b"other"))])).unwrap();
        assert_eq!(store.read_tree(&next).unwrap().len(), 10_000);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]

        #[test]
        fn an_edit_s_tree_holds_exactly_what_it_says(
            old in proptest::collection::btree_map(select(vec!["a", "b/c", "b/d", "e/f/g"]), 0_u8..4, 0..4),
            new in proptest::collection::btree_map(
                select(vec!["a", "b/c", "b/d", "e/f/g"]), proptest::option::of(0_u8..4), 0..4),
        ) {
            let (_dir, empty_store, empty) = empty_store();
            let state = |byte: u8| FileState::regular([byte]);
            let changes = old.iter().map(|(path, byte)| ((*path).into(), Some(state(*byte)))).collect();
            let base = empty_store.write_tree(&TreeEdit { base: empty, changes }).unwrap();
            let changes = new.iter().map(|(path, byte)| ((*path).into(), byte.map(state))).collect();
            let tree = empty_store.write_tree(&TreeEdit { base, changes }).unwrap();
            let mut wanted = old;
            for (path, byte) in new {
                match byte {
                    Some(byte) => wanted.insert(path, byte),
                    None => wanted.remove(path),
                };
            }
            let read = empty_store.read_tree(&tree).unwrap().into_iter().map(|(path, entry)| {
                let id: BlobId = entry.id;
                (path.to_string(), empty_store.read_blob(&id).unwrap()[0])
            });
            let wanted: Vec<_> = wanted.into_iter().map(|(path, byte)| (path.to_owned(), byte)).collect();
            prop_assert_eq!(read.collect::<Vec<_>>(), wanted);
        }
    }
}
