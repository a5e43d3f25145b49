//! Removal of folders, including those that programs made read-only or nested deeply.

use mend_model::{Problem, Result};
use std::fs::{self, DirEntry, Permissions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Permissions that the owner of a folder needs to change its content.
const OWNER_PERMISSIONS: u32 = 0o700;

/// Makes `dir` and all folders below it writable for the owner. Links are not followed.
pub(crate) fn make_writable(dir: &Path) -> Result<()> {
    let mut pending = vec![dir.to_path_buf()];
    while let Some(dir) = pending.pop() {
        let unlocked = make_folder_writable(&dir).and_then(|()| sub_folders(&dir));
        pending.extend(unlocked.map_err(|error| Problem::io(error, &dir))?);
    }
    Ok(())
}

/// Removes a folder with its content, if it exists, even if untrusted code made that difficult: read-only folders, or
/// folders that are nested too deeply for a path. Subfolders are moved to the top and removed there.
///
/// # Errors
/// Errors of removing a file or folder.
pub fn remove_folder(dir: &Path) -> Result<()> {
    match fs::symlink_metadata(dir) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        Ok(kind) if !kind.is_dir() => fs::remove_file(dir),
        Ok(_) => remove_by_flattening(dir),
        Err(error) => Err(error),
    }
    .map_err(|error| Problem::io(error, dir))
}

fn remove_by_flattening(dir: &Path) -> io::Result<()> {
    make_folder_writable(dir)?;
    // A name that no other entry here has.
    let flat_dir = tempfile::Builder::new().prefix("removed-").tempdir_in(dir)?.keep();
    let mut moved_count = 0_u64;
    let mut pending = empty_folder(dir, |folder| {
        (folder != flat_dir).then(|| next_free_path(&flat_dir, &mut moved_count))
    })?;
    while let Some(folder) = pending.pop() {
        pending
            .extend(empty_folder(&folder, |_| Some(next_free_path(&flat_dir, &mut moved_count)))?);
        fs::remove_dir(&folder)?;
    }
    fs::remove_dir(&flat_dir)?;
    fs::remove_dir(dir)
}

fn next_free_path(flat_dir: &Path, moved_count: &mut u64) -> PathBuf {
    *moved_count += 1;
    flat_dir.join(moved_count.to_string())
}

/// Removes the files of a folder, and moves its subfolders to their `destination`, if any. Returns the new paths.
fn empty_folder(
    folder: &Path,
    mut destination: impl FnMut(&Path) -> Option<PathBuf>,
) -> io::Result<Vec<PathBuf>> {
    let mut moved = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let path = entry.path();
        if !entry.file_type()?.is_dir() {
            fs::remove_file(path)?;
        } else if let Some(destination) = destination(&path) {
            // Moving a folder writes to it.
            make_folder_writable(&path)?;
            fs::rename(path, &destination)?;
            moved.push(destination);
        }
    }
    Ok(moved)
}

fn make_folder_writable(dir: &Path) -> io::Result<()> {
    let mode = fs::symlink_metadata(dir)?.permissions().mode();
    if mode & OWNER_PERMISSIONS == OWNER_PERMISSIONS {
        return Ok(());
    }
    fs::set_permissions(dir, Permissions::from_mode(mode | OWNER_PERMISSIONS))
}

fn sub_folders(dir: &Path) -> io::Result<Vec<PathBuf>> {
    let is_folder = |entry: &DirEntry| entry.file_type().is_ok_and(|kind| kind.is_dir());
    let entries = fs::read_dir(dir)?.collect::<io::Result<Vec<_>>>()?;
    Ok(entries.iter().filter(|entry| is_folder(entry)).map(DirEntry::path).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn read_only_folder_is_made_writable_and_removed() {
        let dir = tempfile::tempdir().unwrap();
        let locked = dir.path().join("a/locked");
        fs::create_dir_all(locked.join("inside")).unwrap();
        fs::write(locked.join("file"), "").unwrap();
        fs::set_permissions(&locked, Permissions::from_mode(0o500)).unwrap();
        make_writable(dir.path()).unwrap();
        assert_eq!(fs::metadata(&locked).unwrap().permissions().mode() & 0o777, 0o700);
        fs::set_permissions(&locked, Permissions::from_mode(0o000)).unwrap();
        remove_folder(&dir.path().join("a")).unwrap();
        assert!(!locked.exists());
    }

    #[test]
    fn deeply_nested_folder_is_removed() {
        let dir = tempfile::tempdir().unwrap();
        let (deep, outer) = (dir.path().join("deep"), dir.path().join("around"));
        fs::create_dir(&deep).unwrap();
        fs::write(deep.join("large"), "x").unwrap();
        for _ in 0..3000 {
            fs::create_dir(&outer).unwrap();
            fs::rename(&deep, outer.join("one-more")).unwrap();
            fs::rename(&outer, &deep).unwrap();
        }
        fs::set_permissions(deep.join("one-more/one-more"), Permissions::from_mode(0o000)).unwrap();
        remove_folder(&deep).unwrap();
        assert!(!deep.exists());
    }

    #[test]
    fn remove_does_not_follow_symlinks() {
        let (dir, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        fs::write(other.path().join("file"), "").unwrap();
        fs::set_permissions(other.path(), Permissions::from_mode(0o500)).unwrap();
        let inside = dir.path().join("inside");
        fs::create_dir(&inside).unwrap();
        std::os::unix::fs::symlink(other.path(), inside.join("link")).unwrap();
        make_writable(&inside).unwrap();
        remove_folder(&inside).unwrap();
        assert!(other.path().join("file").exists());
        assert_eq!(fs::metadata(other.path()).unwrap().permissions().mode() & 0o777, 0o500);
    }

    #[test]
    fn removing_a_missing_folder_succeeds() {
        let dir = tempfile::tempdir().unwrap();
        remove_folder(&dir.path().join("none")).unwrap();
    }
}
