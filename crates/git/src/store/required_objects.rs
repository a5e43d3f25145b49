//! Objects that an operation reads, and those of them that a partial clone lacks.

use super::tree_entries::{file_mode, find_file};
use crate::Git;
use crate::oid::ToOid;
use git2::{ErrorCode, Odb, OdbLookupFlags, Oid};
use mend_model::{BlobId, FileMode, RepoPath, TreeId};
use std::collections::{BTreeSet, HashSet};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;

/// Objects that an operation reads.
#[derive(Clone, Copy)]
pub(crate) enum RequiredObjects<'a> {
    /// All folders of a tree.
    Folders(&'a TreeId),
    /// All folders and files of a tree.
    Files(&'a TreeId),
    /// All folders of two trees, and the files that differ.
    Changes(&'a TreeId, &'a TreeId),
    /// One file of a tree, and the folders above it.
    File(&'a TreeId, &'a RepoPath),
    /// The content of one file.
    Blob(&'a BlobId),
}

/// Trees without missing objects.
#[derive(Default)]
pub(crate) struct CompleteTrees {
    /// All folders are there.
    with_folders: HashSet<Oid>,
    /// All folders and files are there.
    with_files: HashSet<Oid>,
}

impl RequiredObjects<'_> {
    /// Creates a call of git that reads the same objects and fails if it cannot.
    pub(crate) fn check_command(self, git: Git) -> Git {
        match self {
            Self::Folders(tree) => git.args(["ls-tree", "-r", "-t", &tree.0]),
            Self::Files(tree) => {
                git.args(["archive", "--format=tar", "--output=/dev/null", &tree.0])
            }
            Self::Changes(old, new) => git.args(["diff-tree", "-r", "--numstat", &old.0, &new.0]),
            Self::File(tree, path) => git
                .args(["--literal-pathspecs", "archive", "--format=tar", "--output=/dev/null"])
                .args([&tree.0, "--"])
                .arg(OsStr::from_bytes(path.as_bytes())),
            Self::Blob(id) => git.args(["cat-file", "blob", &id.0]),
        }
    }
}

/// Returns the ids of missing objects, except those that only a missing folder lists.
pub(crate) fn find_missing_objects(
    git: &git2::Repository,
    required: RequiredObjects<'_>,
    complete: &mut CompleteTrees,
) -> Result<BTreeSet<Oid>, git2::Error> {
    let odb = git.odb()?;
    odb.refresh()?;
    let mut search = MissingObjects { git, odb: &odb, missing: BTreeSet::new() };
    match required {
        RequiredObjects::Folders(tree) => {
            search.search_tree(tree.oid()?, false, &mut complete.with_folders)?;
        }
        RequiredObjects::Files(tree) => {
            search.search_tree(tree.oid()?, true, &mut complete.with_files)?;
        }
        RequiredObjects::Changes(old, new) => {
            let mut is_complete = true;
            for tree in [old, new] {
                is_complete &=
                    search.search_tree(tree.oid()?, false, &mut complete.with_folders)?;
            }
            if is_complete {
                search.search_changes(old.oid()?, new.oid()?)?;
            }
        }
        RequiredObjects::File(tree, path) => search.search_file(tree.oid()?, path)?,
        RequiredObjects::Blob(id) => search.search_blob(id.oid()?),
    }
    Ok(search.missing)
}

/// A search for missing objects.
struct MissingObjects<'a> {
    git: &'a git2::Repository,
    odb: &'a Odb<'a>,
    missing: BTreeSet<Oid>,
}

impl MissingObjects<'_> {
    /// Returns true if an object is missing. Does not read the list of packs again for each of thousands of objects.
    fn is_missing(&self, id: Oid) -> bool {
        !self.odb.exists_ext(id, OdbLookupFlags::NO_REFRESH)
    }

    fn search_blob(&mut self, id: Oid) {
        if self.is_missing(id) {
            self.missing.insert(id);
        }
    }

    /// Returns true if nothing of the tree is missing. `complete` are trees that need no search.
    fn search_tree(
        &mut self,
        id: Oid,
        with_files: bool,
        complete: &mut HashSet<Oid>,
    ) -> Result<bool, git2::Error> {
        if complete.contains(&id) {
            return Ok(true);
        }
        if self.is_missing(id) {
            self.missing.insert(id);
            return Ok(false);
        }
        let mut is_complete = true;
        for entry in &self.git.find_tree(id)? {
            match file_mode(entry.filemode()) {
                None => is_complete &= self.search_tree(entry.id(), with_files, complete)?,
                Some(FileMode::Submodule) => {}
                Some(_) if with_files && self.is_missing(entry.id()) => {
                    self.missing.insert(entry.id());
                    is_complete = false;
                }
                Some(_) => {}
            }
        }
        if is_complete {
            complete.insert(id);
        }
        Ok(is_complete)
    }

    /// Searches the files that differ between two trees with all their folders.
    fn search_changes(&mut self, old: Oid, new: Oid) -> Result<(), git2::Error> {
        let (old, new) = (self.git.find_tree(old)?, self.git.find_tree(new)?);
        let diff = self.git.diff_tree_to_tree(Some(&old), Some(&new), None)?;
        for delta in diff.deltas() {
            for file in [delta.old_file(), delta.new_file()] {
                let is_submodule = file.mode() == git2::FileMode::Commit;
                if !file.id().is_zero() && !is_submodule {
                    self.search_blob(file.id());
                }
            }
        }
        Ok(())
    }

    fn search_file(&mut self, tree: Oid, path: &RepoPath) -> Result<(), git2::Error> {
        match find_file(self.git, tree, path) {
            Ok(Some((id, mode))) if mode != FileMode::Submodule => self.search_blob(id),
            Ok(_) => {}
            Err(error) if error.code() == ErrorCode::NotFound => {
                let mut complete = HashSet::new();
                self.search_tree(tree, false, &mut complete)?;
            }
            Err(error) => return Err(error),
        }
        Ok(())
    }
}
