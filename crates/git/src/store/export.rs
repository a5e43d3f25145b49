//! Export of trees to folders.

use crate::ObjectStore;
use mend_model::{FileMode, Problem, Result, TreeId};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

impl ObjectStore {
    /// Writes the files of a tree, with the bytes stored in git, into a folder that is empty or does not exist. A
    /// submodule becomes an empty folder.
    ///
    /// # Errors
    /// [`Problem::Usage`] if the folder is not empty; [`Problem::DiskFull`] and other failures to write.
    pub fn export(&self, tree: &TreeId, dir: &Path) -> Result<()> {
        fs::create_dir_all(dir).map_err(|error| Problem::io(error, dir))?;
        let mut present = fs::read_dir(dir).map_err(|error| Problem::io(error, dir))?;
        if present.next().is_some() {
            return Err(Problem::Usage {
                message: format!("{} is not empty", dir.display()),
                remedy: "choose a new or empty folder".to_owned(),
            });
        }
        self.complete_tree(tree)?;
        let entries = self.read_tree(tree)?;
        entries.iter().try_for_each(|(path, entry)| {
            let target = dir.join(path.to_fs_path());
            let content = match entry.mode {
                FileMode::Submodule => None,
                _ => Some(self.read_blob(&entry.id)?),
            };
            write_entry(&target, entry.mode, content.as_deref())
                .map_err(|error| Problem::io(error, target.clone()))
        })
    }
}

fn write_entry(target: &Path, mode: FileMode, content: Option<&[u8]>) -> std::io::Result<()> {
    let Some(content) = content else { return fs::create_dir_all(target) };
    target.parent().map_or(Ok(()), fs::create_dir_all)?;
    if mode == FileMode::Symlink {
        return symlink(OsStr::from_bytes(content), target);
    }
    fs::write(target, content)?;
    if mode == FileMode::Executable {
        fs::set_permissions(target, fs::Permissions::from_mode(0o755))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exported_tree_imports_identically() {
        let (dir, home) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        fs::create_dir(dir.path().join("sub")).unwrap();
        fs::write(dir.path().join("sub/crlf.txt"), b"one\r\n\xff").unwrap();
        fs::write(dir.path().join("run"), "#!/bin/sh\n").unwrap();
        fs::set_permissions(dir.path().join("run"), fs::Permissions::from_mode(0o755)).unwrap();
        symlink("nowhere", dir.path().join("link")).unwrap();
        let store = ObjectStore::create(&home.path().join("store"), None).unwrap();
        let tree = store.import_folder(dir.path()).unwrap();
        let copy = home.path().join("deep/copy");
        store.export(&tree, &copy).unwrap();
        assert_eq!(store.import_folder(&copy).unwrap(), tree);
        let second_export = store.export(&tree, &copy);
        assert!(matches!(second_export, Err(Problem::Usage { .. })));
    }
}
