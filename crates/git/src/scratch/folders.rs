//! Folders that programs may have locked.

use mend_model::{Problem, Result};
use std::fs::{self, DirEntry, Permissions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Permissions that the owner of a folder needs to change its content.
const OWNER: u32 = 0o700;

/// Lets the owner into every folder below `dir` and into itself. Links are not followed.
pub(crate) fn unlock(dir: &Path) -> Result<()> {
    let mut left = vec![dir.to_path_buf()];
    while let Some(dir) = left.pop() {
        let unlocked = unlock_one(&dir).and_then(|()| sub_folders(&dir));
        left.extend(unlocked.map_err(|error| Problem::io(error, &dir))?);
    }
    Ok(())
}

/// Removes a folder with its content, if it exists, also if untrusted code made it hard to remove:
/// locked folders, or nested too deeply for a path. Sub-folders are moved to the top and removed
/// there.
///
/// # Errors
/// Fails if something cannot be removed.
pub fn remove(dir: &Path) -> Result<()> {
    match fs::symlink_metadata(dir) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        Ok(kind) if !kind.is_dir() => fs::remove_file(dir),
        Ok(_) => remove_flat(dir),
        Err(error) => Err(error),
    }
    .map_err(|error| Problem::io(error, dir))
}

fn remove_flat(dir: &Path) -> io::Result<()> {
    unlock_one(dir)?;
    // A name that nothing else here has.
    let top = tempfile::Builder::new().prefix("removed-").tempdir_in(dir)?.keep();
    let mut made = 0_u64;
    let mut left = empty(dir, |folder| (folder != top).then(|| next_place(&top, &mut made)))?;
    while let Some(folder) = left.pop() {
        left.extend(empty(&folder, |_| Some(next_place(&top, &mut made)))?);
        fs::remove_dir(&folder)?;
    }
    fs::remove_dir(&top)?;
    fs::remove_dir(dir)
}

fn next_place(top: &Path, made: &mut u64) -> PathBuf {
    *made += 1;
    top.join(made.to_string())
}

/// Removes the files of a folder and moves its folders to where `place` says, if it does; gives where they are now.
fn empty(
    folder: &Path,
    mut place: impl FnMut(&Path) -> Option<PathBuf>,
) -> io::Result<Vec<PathBuf>> {
    let mut moved = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let path = entry.path();
        if !entry.file_type()?.is_dir() {
            fs::remove_file(path)?;
        } else if let Some(place) = place(&path) {
            // A folder that is moved is written to.
            unlock_one(&path)?;
            fs::rename(path, &place)?;
            moved.push(place);
        }
    }
    Ok(moved)
}

fn unlock_one(dir: &Path) -> io::Result<()> {
    let mode = fs::symlink_metadata(dir)?.permissions().mode();
    if mode & OWNER == OWNER {
        return Ok(());
    }
    fs::set_permissions(dir, Permissions::from_mode(mode | OWNER))
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
    fn a_folder_is_removed_however_deep_it_is() {
        let dir = tempfile::tempdir().unwrap();
        let (deep, around) = (dir.path().join("deep"), dir.path().join("around"));
        fs::create_dir(&deep).unwrap();
        fs::write(deep.join("large"), "x").unwrap();
        for _ in 0..3000 {
            fs::create_dir(&around).unwrap();
            fs::rename(&deep, around.join("one-more")).unwrap();
            fs::rename(&around, &deep).unwrap();
        }
        fs::set_permissions(deep.join("one-more/one-more"), Permissions::from_mode(0o000)).unwrap();
        remove(&deep).unwrap();
        assert!(!deep.exists());
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
