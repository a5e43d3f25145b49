//! Writing a variant's tree.

use crate::ObjectStore;
use crate::oid::ToOid;
use crate::store::object_store::{EntryId, entry};
use git2::Oid;
use mend_model::{FileMode, FileState, RepoPath, Result, TreeEdit, TreeId};
use std::collections::BTreeMap;

/// The mode bits of a folder.
pub(crate) const FOLDER: i32 = 0o040_000;

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
    below: BTreeMap<Vec<u8>, Self>,
}

impl ObjectStore {
    /// Writes the tree that an edit describes. Only folders with changes are written anew.
    ///
    /// # Errors
    /// [`mend_model::Problem::DiskFull`]; [`mend_model::Problem::Internal`] for names that git refuses.
    pub fn write(&self, edit: &TreeEdit) -> Result<TreeId> {
        self.with_repository(|git| {
            let mut root = EditNode::default();
            for (path, state) in &edit.changes {
                let file = match state {
                    Some(state) => FileEdit::Present(write_file(git, state)?),
                    None => FileEdit::Deleted,
                };
                root.node_at(path).file = Some(file);
            }
            let base = git.find_tree(edit.base.oid()?)?;
            let written = write_folder(git, Some(&base), &root.below)?;
            Ok(TreeId(written.map_or_else(|| empty_tree(git), Ok)?.to_string()))
        })
    }
}

impl EditNode {
    fn node_at(&mut self, path: &RepoPath) -> &mut Self {
        path.components().fold(self, |node, part| node.below.entry(part.to_vec()).or_default())
    }

    /// Writes the new entry that replaces the entry `old` of a folder.
    fn rewritten(
        &self,
        git: &git2::Repository,
        old: Option<EntryId>,
    ) -> Result<Option<EntryId>, git2::Error> {
        if let Some(FileEdit::Present(file)) = self.file {
            return Ok(Some(file));
        }
        let (folder, file) = match old {
            Some((id, FOLDER)) => (Some(git.find_tree(id)?), None),
            other => (None, other.filter(|_| self.file.is_none())),
        };
        if folder.is_some() && self.below.is_empty() {
            return Ok(old);
        }
        let written = write_folder(git, folder.as_ref(), &self.below)?;
        Ok(written.map(|id| (id, FOLDER)).or(file))
    }
}

/// The folder's new tree; `None` if nothing is left in it.
fn write_folder(
    git: &git2::Repository,
    base: Option<&git2::Tree<'_>>,
    changes: &BTreeMap<Vec<u8>, EditNode>,
) -> Result<Option<Oid>, git2::Error> {
    let mut builder = git.treebuilder(base)?;
    for (name, node) in changes {
        let old = base.and_then(|base| entry(base, name));
        match node.rewritten(git, old)? {
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
        _ => git.blob(&state.content)?,
    };
    Ok((id, mode_bits(state.mode)))
}

/// The empty folder as a tree.
pub(crate) fn empty_tree(git: &git2::Repository) -> Result<Oid, git2::Error> {
    git.treebuilder(None)?.write()
}

/// The bits that git keeps for a mode.
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

    fn store() -> (tempfile::TempDir, ObjectStore, TreeId) {
        let dir = tempfile::tempdir().unwrap();
        let store = ObjectStore::create(dir.path(), None).unwrap();
        let empty = store.with_repository(empty_tree).unwrap();
        (dir, store, TreeId(empty.to_string()))
    }

    fn edit(base: &TreeId, changes: &[(&str, Option<&[u8]>)]) -> TreeEdit {
        let change = |(path, content): &(&str, Option<&[u8]>)| {
            ((*path).into(), content.map(FileState::regular))
        };
        TreeEdit { base: base.clone(), changes: changes.iter().map(change).collect() }
    }

    fn paths(store: &ObjectStore, tree: &TreeId) -> Vec<String> {
        store.read_tree(tree).unwrap().into_keys().map(|path| path.to_string()).collect()
    }

    #[test]
    fn no_change_gives_the_base_itself() {
        let (_dir, store, empty) = store();
        let tree = store.write(&edit(&empty, &[("a/b/c", Some(b"x"))])).unwrap();
        assert_eq!(store.write(&TreeEdit::unchanged(tree.clone())).unwrap(), tree);
        assert_eq!(store.write(&edit(&tree, &[("a/b/none", None), ("a", None)])).unwrap(), tree);
    }

    #[test]
    fn a_folder_that_loses_its_last_file_goes() {
        let (_dir, store, empty) = store();
        let tree = store.write(&edit(&empty, &[("a/b/c", Some(b"x")), ("d", Some(b"y"))])).unwrap();
        assert_eq!(paths(&store, &store.write(&edit(&tree, &[("a/b/c", None)])).unwrap()), ["d"]);
    }

    #[test]
    fn a_file_and_a_folder_may_take_each_other_s_place() {
        let (_dir, store, empty) = store();
        let file = store.write(&edit(&empty, &[("a", Some(b"x"))])).unwrap();
        let folder = edit(&file, &[("a", None), ("a/b", Some(b"y"))]);
        let folder = store.write(&folder).unwrap();
        assert_eq!(paths(&store, &folder), ["a/b"]);
        let back = store.write(&edit(&folder, &[("a", Some(b"x")), ("a/b", None)])).unwrap();
        assert_eq!(back, file);
    }

    #[test]
    fn every_mode_is_kept() {
        let (_dir, store, empty) = store();
        let states = [
            (FileMode::Executable, &b"run"[..]),
            (FileMode::Symlink, b"target"),
            (FileMode::Submodule, b"1234567890123456789012345678901234567890"),
        ];
        for (mode, content) in states {
            let state = FileState { mode, content: content.into() };
            let changes = [(RepoPath::from("a"), Some(state.clone()))].into();
            let tree = store.write(&TreeEdit { base: empty.clone(), changes }).unwrap();
            assert_eq!(store.file(&tree, &"a".into()).unwrap(), Some(state));
        }
    }

    #[test]
    fn a_name_that_is_not_utf_8_is_kept() {
        let (_dir, store, empty) = store();
        let path = RepoPath::new(&b"d\xff/\xe4.java"[..]);
        let changes = [(path.clone(), Some(FileState::regular(*b"x")))].into();
        let tree = store.write(&TreeEdit { base: empty, changes }).unwrap();
        assert_eq!(
            store.read_tree(&tree).unwrap().into_keys().collect::<Vec<_>>(),
            std::slice::from_ref(&path)
        );
        assert!(store.file(&tree, &path).unwrap().is_some());
    }

    #[test]
    fn a_name_that_git_refuses_cannot_be_written() {
        let (_dir, store, empty) = store();
        for path in [".git/config", "..", "a//b", "nul\0"] {
            assert!(store.write(&edit(&empty, &[(path, Some(b"x"))])).is_err(), "{path:?}");
        }
    }

    #[test]
    fn a_large_tree_is_written_and_read() {
        let (_dir, store, empty) = store();
        let all: Vec<_> = (0..10_000).map(|n| format!("p{}/f{n}", n % 100)).collect();
        let changes: Vec<_> = all.iter().map(|path| (path.as_str(), Some(&b"same"[..]))).collect();
        let tree = store.write(&edit(&empty, &changes)).unwrap();
        let next = store.write(&edit(&tree, &[("p7/f7", Some(b"other"))])).unwrap();
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
            let (_dir, store, empty) = store();
            let state = |byte: u8| FileState::regular([byte]);
            let changes = old.iter().map(|(path, byte)| ((*path).into(), Some(state(*byte)))).collect();
            let base = store.write(&TreeEdit { base: empty, changes }).unwrap();
            let changes = new.iter().map(|(path, byte)| ((*path).into(), byte.map(state))).collect();
            let tree = store.write(&TreeEdit { base, changes }).unwrap();
            let mut wanted = old;
            for (path, byte) in new {
                match byte {
                    Some(byte) => wanted.insert(path, byte),
                    None => wanted.remove(path),
                };
            }
            let read = store.read_tree(&tree).unwrap().into_iter().map(|(path, entry)| {
                let id: BlobId = entry.id;
                (path.to_string(), store.read_blob(&id).unwrap()[0])
            });
            let wanted: Vec<_> = wanted.into_iter().map(|(path, byte)| (path.to_owned(), byte)).collect();
            prop_assert_eq!(read.collect::<Vec<_>>(), wanted);
        }
    }
}
