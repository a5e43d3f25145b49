//! Folders that programs may have locked.

use crate::model::{Problem, Result};
use std::fs::{self, DirEntry, Permissions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// What a folder's owner needs to change what is inside.
const OWNER: u32 = 0o700;

/// Lets the owner into every folder below `dir` and into itself. Links are not followed.
pub(super) fn unlock(dir: &Path) -> Result<()> {
    let mut left = vec![dir.to_path_buf()];
    while let Some(dir) = left.pop() {
        let unlocked = unlock_one(&dir).and_then(|()| sub_folders(&dir));
        left.extend(unlocked.map_err(|error| Problem::io(error, &dir))?);
    }
    Ok(())
}

/// Removes a folder with all that is in it, if it is there.
///
/// # Errors
/// What keeps it there.
pub fn remove(dir: &Path) -> Result<()> {
    match fs::remove_dir_all(dir) {
        Err(error) if error.kind() == ErrorKind::PermissionDenied => {
            unlock(dir)?;
            fs::remove_dir_all(dir).map_err(|error| Problem::io(error, dir))
        }
        Err(error) if error.kind() != ErrorKind::NotFound => Err(Problem::io(error, dir)),
        _ => Ok(()),
    }
}

fn unlock_one(dir: &Path) -> io::Result<()> {
    let mode = fs::symlink_metadata(dir)?.permissions().mode();
    if mode & OWNER == OWNER {
        return Ok(());
    }
    fs::set_permissions(dir, Permissions::from_mode(mode | OWNER))
}

fn sub_folders(dir: &Path) -> io::Result<Vec<std::path::PathBuf>> {
    let is_folder = |entry: &DirEntry| entry.file_type().is_ok_and(|kind| kind.is_dir());
    let entries = fs::read_dir(dir)?.collect::<io::Result<Vec<_>>>()?;
    Ok(entries.iter().filter(|entry| is_folder(entry)).map(DirEntry::path).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_locked_folder_is_unlocked_and_removed() {
        let dir = tempfile::tempdir().unwrap();
        let locked = dir.path().join("a/locked");
        fs::create_dir_all(locked.join("inside")).unwrap();
        fs::write(locked.join("file"), "").unwrap();
        fs::set_permissions(&locked, Permissions::from_mode(0o500)).unwrap();
        unlock(dir.path()).unwrap();
        assert_eq!(fs::metadata(&locked).unwrap().permissions().mode() & 0o777, 0o700);
        fs::set_permissions(&locked, Permissions::from_mode(0o000)).unwrap();
        remove(&dir.path().join("a")).unwrap();
        assert!(!locked.exists());
    }

    #[test]
    fn what_a_link_points_to_stays() {
        let (dir, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        fs::write(other.path().join("file"), "").unwrap();
        fs::set_permissions(other.path(), Permissions::from_mode(0o500)).unwrap();
        let inside = dir.path().join("inside");
        fs::create_dir(&inside).unwrap();
        std::os::unix::fs::symlink(other.path(), inside.join("link")).unwrap();
        unlock(&inside).unwrap();
        remove(&inside).unwrap();
        assert!(other.path().join("file").exists());
        assert_eq!(fs::metadata(other.path()).unwrap().permissions().mode() & 0o777, 0o500);
    }

    #[test]
    fn a_folder_that_is_not_there_is_removed_already() {
        let dir = tempfile::tempdir().unwrap();
        remove(&dir.path().join("none")).unwrap();
    }
}
