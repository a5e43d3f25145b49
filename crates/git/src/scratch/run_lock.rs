//! Locks of run folders, and removal of files of killed runs.

use super::folder_removal;
use mend_model::{Problem, Result};
use rustix::fs::{FlockOperation, flock};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

/// Lock file of a run folder.
const LOCK_FILE: &str = "lock";

/// Subfolder of a run folder that is not needed after the run.
const WORK_FOLDER: &str = "work";

/// Lock of a run folder. The system releases it when the process ends, even abnormally.
#[derive(Debug)]
pub struct RunLock(#[expect(dead_code, reason = "an open file is what holds the lock")] File);

impl RunLock {
    /// Acquires the lock of a run folder, which is created if it does not exist.
    ///
    /// # Errors
    /// [`Problem::Usage`] if another run holds it.
    pub fn acquire(run_dir: &Path) -> Result<Self> {
        let path = run_dir.join(LOCK_FILE);
        let open = || {
            fs::create_dir_all(run_dir)?;
            File::options().create(true).truncate(false).write(true).open(&path)
        };
        let file = open().map_err(|error| Problem::io(error, &path))?;
        if try_lock(&file).map_err(|error| Problem::io(error, &path))? {
            return Ok(Self(file));
        }
        Err(Problem::Usage {
            message: format!("another git-mend is running in {}", run_dir.display()),
            remedy: "wait until it ends, or choose another folder with --output".into(),
        })
    }

    /// Returns true if a run holds the lock of a run folder.
    pub fn is_held(run_dir: &Path) -> bool {
        File::open(run_dir.join(LOCK_FILE)).is_ok_and(|file| matches!(try_lock(&file), Ok(false)))
    }

    /// Returns the folder for files that are not needed after the run.
    pub fn work_dir(run_dir: &Path) -> PathBuf {
        run_dir.join(WORK_FOLDER)
    }
}

/// Removes what killed runs left in `runs_dir`: the work folder of every run folder whose lock is free. Returns the
/// folders that could not be removed.
///
/// # Errors
/// [`Problem::Internal`] if `runs_dir` exists and cannot be read.
pub fn remove_stale_work(runs_dir: &Path) -> Result<Vec<PathBuf>> {
    let entries = match fs::read_dir(runs_dir) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(Problem::io(error, runs_dir)),
    };
    let runs = entries.flatten().map(|entry| entry.path());
    Ok(runs.filter_map(|run| remove_work_if_unlocked(&run)).collect())
}

/// Removes the work folder of an unlocked run folder. Returns it if that fails.
fn remove_work_if_unlocked(run_dir: &Path) -> Option<PathBuf> {
    let lock = File::open(run_dir.join(LOCK_FILE)).ok()?;
    if !try_lock(&lock).ok()? {
        return None;
    }
    let work_dir = RunLock::work_dir(run_dir);
    folder_removal::remove_folder(&work_dir).err().map(|_| work_dir)
}

fn try_lock(file: &File) -> io::Result<bool> {
    match flock(file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(true),
        Err(rustix::io::Errno::WOULDBLOCK) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt;

    fn create_run_with_work(runs: &Path, name: &str) -> PathBuf {
        let run_dir = runs.join(name);
        fs::create_dir_all(run_dir.join("work/tree/locked")).unwrap();
        fs::write(run_dir.join("result.json"), "{}").unwrap();
        fs::set_permissions(run_dir.join("work/tree/locked"), Permissions::from_mode(0o500))
            .unwrap();
        run_dir
    }

    #[test]
    fn stale_work_is_removed_only_for_ended_runs() {
        let runs = tempfile::tempdir().unwrap();
        let (ended_run, live_run, unlocked_run) = (
            create_run_with_work(runs.path(), "dead"),
            create_run_with_work(runs.path(), "living"),
            create_run_with_work(runs.path(), "without-a-lock"),
        );
        drop(RunLock::acquire(&ended_run).unwrap());
        let _lock = RunLock::acquire(&live_run).unwrap();
        assert!(remove_stale_work(runs.path()).unwrap().is_empty());
        assert!(!ended_run.join("work").exists() && ended_run.join("result.json").exists());
        assert!(live_run.join("work").exists() && unlocked_run.join("work").exists());
    }

    #[test]
    fn run_lock_is_exclusive() {
        let dir = tempfile::tempdir().unwrap();
        let run_dir = dir.path().join("run");
        let lock = RunLock::acquire(&run_dir).unwrap();
        assert!(matches!(RunLock::acquire(&run_dir), Err(Problem::Usage { .. })));
        assert!(RunLock::is_held(&run_dir));
        drop(lock);
        assert!(!RunLock::is_held(&run_dir));
        RunLock::acquire(&run_dir).unwrap();
    }

    #[test]
    fn missing_runs_folder_needs_no_cleanup() {
        let dir = tempfile::tempdir().unwrap();
        assert!(remove_stale_work(&dir.path().join("none")).unwrap().is_empty());
    }
}
