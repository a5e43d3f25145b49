//! Import of folders as trees.

use super::write::{FOLDER_MODE_BITS, empty_tree, mode_bits};
use crate::ObjectStore;
use git2::Oid;
use mend_model::{FileMode, Problem, Result, TreeId};
use std::fs::{self, DirEntry};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

impl ObjectStore {
    /// Imports the files of a folder unchanged, without `.git`. Empty folders and special files are skipped.
    ///
    /// # Errors
    /// [`Problem::Internal`] for files that cannot be read, [`Problem::DiskFull`].
    pub fn import_folder(&self, dir: &Path) -> Result<TreeId> {
        let tree = match self.import_dir(dir)? {
            Some(tree) => tree,
            None => self.with_repository(empty_tree)?,
        };
        Ok(TreeId(tree.to_string()))
    }

    fn import_dir(&self, dir: &Path) -> Result<Option<Oid>> {
        let mut entries = Vec::new();
        for entry in fs::read_dir(dir).map_err(|error| Problem::io(error, dir))? {
            let entry = entry.map_err(|error| Problem::io(error, dir))?;
            let name = entry.file_name().as_bytes().to_vec();
            if name != b".git"
                && let Some((id, mode)) = self.import_entry(&entry)?
            {
                entries.push((name, id, mode));
            }
        }
        if entries.is_empty() {
            return Ok(None);
        }
        let tree_id = self.with_repository(|git| {
            let mut builder = git.treebuilder(None)?;
            for (name, id, mode) in entries {
                builder.insert(name, id, mode)?;
            }
            builder.write()
        });
        Ok(Some(tree_id?))
    }

    fn import_entry(&self, entry: &DirEntry) -> Result<Option<(Oid, i32)>> {
        let path = entry.path();
        let io_problem = |error| Problem::io(error, &path);
        let kind = entry.file_type().map_err(io_problem)?;
        if kind.is_dir() {
            return Ok(self.import_dir(&path)?.map(|tree| (tree, FOLDER_MODE_BITS)));
        }
        let (mode, content) = if kind.is_symlink() {
            let target = fs::read_link(&path).map_err(io_problem)?;
            (FileMode::Symlink, target.as_os_str().as_bytes().to_vec())
        } else if kind.is_file() {
            let permissions = entry.metadata().map_err(io_problem)?.permissions();
            let is_executable = permissions.mode() & 0o100 != 0;
            let mode = if is_executable { FileMode::Executable } else { FileMode::Regular };
            (mode, fs::read(&path).map_err(io_problem)?)
        } else {
            return Ok(None);
        };
        let id = self.with_repository(|git| git.blob(&content));
        Ok(Some((id?, mode_bits(mode))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mend_model::{FileState, RepoPath};
    use std::ffi::OsStr;
    use std::os::unix::fs::symlink;

    #[test]
    fn import_keeps_bytes_modes_and_links() {
        let dir = tempfile::tempdir().unwrap();
        let path_of = |name: &[u8]| dir.path().join(OsStr::from_bytes(name));
        fs::create_dir_all(path_of(b"sub/empty")).unwrap();
        fs::create_dir_all(path_of(b"sub/.git")).unwrap();
        fs::write(path_of(b"sub/.git/config"), "hidden").unwrap();
        fs::write(path_of(b"sub/crlf.txt"), "one\r\n").unwrap();
        fs::write(path_of(b"\xff\xe4"), "bytes").unwrap();
        fs::write(path_of(b"run"), "#!/bin/sh\n").unwrap();
        fs::set_permissions(path_of(b"run"), fs::Permissions::from_mode(0o755)).unwrap();
        symlink("nowhere", path_of(b"link")).unwrap();
        let home = tempfile::tempdir().unwrap();
        let store = ObjectStore::create(home.path(), None).unwrap();
        let tree = store.import_folder(dir.path()).unwrap();
        let modes: Vec<_> = store
            .read_tree(&tree)
            .unwrap()
            .into_iter()
            .map(|(path, entry)| (path, entry.mode))
            .collect();
        let expected = [
            (RepoPath::from("link"), FileMode::Symlink),
            ("run".into(), FileMode::Executable),
            ("sub/crlf.txt".into(), FileMode::Regular),
            (RepoPath::new(&b"\xff\xe4"[..]), FileMode::Regular),
        ];
        assert_eq!(modes, expected);
        let crlf = store.read_file(&tree, &"sub/crlf.txt".into()).unwrap();
        assert_eq!(crlf, Some(FileState::regular(*b"one\r\n")));
    }

    #[test]
    fn empty_folder_imports_as_empty_tree() {
        let (dir, home) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let store = ObjectStore::create(home.path(), None).unwrap();
        let tree = store.import_folder(dir.path()).unwrap();
        assert!(store.read_tree(&tree).unwrap().is_empty());
    }
}
