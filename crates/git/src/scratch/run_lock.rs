//! Locks of run folders, and removal of stale ones.

use super::folders;
use mend_model::{Problem, Result};
use rustix::fs::{FlockOperation, flock};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

/// The file of a run folder that its run keeps locked.
const LOCK_FILE: &str = "lock";

/// The part of a run folder that is not needed after the run.
const WORK_FOLDER: &str = "work";

/// The right to work in a run folder; the system takes it back when the process ends, however it ends.
#[derive(Debug)]
pub struct RunLock(#[expect(dead_code, reason = "an open file is what holds the lock")] File);

impl RunLock {
    /// Takes the lock of a run folder, which is made if it is not there.
    ///
    /// # Errors
    /// [`Problem::Usage`] if another run has it.
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

    /// Returns the folder for files that are not needed after the run.
    pub fn work_dir(run_dir: &Path) -> PathBuf {
        run_dir.join(WORK_FOLDER)
    }
}

/// Removes what runs left in `runs_dir` that were killed: the work folder of every run folder whose lock
/// is free. Gives back the folders that could not be removed.
///
/// # Errors
/// [`Problem::Internal`] if `runs_dir` cannot be read; there may be none.
pub fn remove_stale_work(runs_dir: &Path) -> Result<Vec<PathBuf>> {
    let entries = match fs::read_dir(runs_dir) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(Problem::io(error, runs_dir)),
    };
    let runs = entries.flatten().map(|entry| entry.path());
    Ok(runs.filter_map(|run| remove_work_if_unlocked(&run)).collect())
}

/// Clears a run folder that is not in use; gives back what is in the way.
fn remove_work_if_unlocked(run_dir: &Path) -> Option<PathBuf> {
    let lock = File::open(run_dir.join(LOCK_FILE)).ok()?;
    if !try_lock(&lock).ok()? {
        return None;
    }
    let work_dir = RunLock::work_dir(run_dir);
    folders::remove_folder(&work_dir).err().map(|_| work_dir)
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
        drop(lock);
        RunLock::acquire(&run_dir).unwrap();
    }

    #[test]
    fn missing_runs_folder_needs_no_cleanup() {
        let dir = tempfile::tempdir().unwrap();
        assert!(remove_stale_work(&dir.path().join("none")).unwrap().is_empty());
    }
}
