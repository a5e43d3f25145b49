//! Locks of run folders, and removal of stale ones.

use super::folders;
use mend_model::{Problem, Result};
use rustix::fs::{FlockOperation, flock};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

/// The file of a run folder that its run keeps locked.
const LOCK: &str = "lock";

/// The part of a run folder that is not needed after the run.
const WORK: &str = "work";

/// The right to work in a run folder; the system takes it back when the process ends, however it ends.
#[derive(Debug)]
pub struct RunLock(#[expect(dead_code, reason = "an open file is what holds the lock")] File);

impl RunLock {
    /// Takes the lock of a run folder, which is made if it is not there.
    ///
    /// # Errors
    /// [`Problem::Usage`] if another run has it.
    pub fn take(run_dir: &Path) -> Result<Self> {
        let path = run_dir.join(LOCK);
        let open = || {
            fs::create_dir_all(run_dir)?;
            File::options().create(true).truncate(false).write(true).open(&path)
        };
        let file = open().map_err(|error| Problem::io(error, &path))?;
        if is_locked_by_us(&file).map_err(|error| Problem::io(error, &path))? {
            return Ok(Self(file));
        }
        Err(Problem::Usage {
            message: format!("another git-mend is running in {}", run_dir.display()),
            remedy: "wait until it ends, or choose another folder with --output".into(),
        })
    }

    /// Returns the folder for files that are not needed after the run.
    pub fn work_dir(run_dir: &Path) -> PathBuf {
        run_dir.join(WORK)
    }
}

/// Removes what runs left in `runs_dir` that were killed: the work folder of every run folder whose lock
/// is free. Gives back the folders that could not be removed.
///
/// # Errors
/// [`Problem::Internal`] if `runs_dir` cannot be read; there may be none.
pub fn sweep(runs_dir: &Path) -> Result<Vec<PathBuf>> {
    let entries = match fs::read_dir(runs_dir) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(Problem::io(error, runs_dir)),
    };
    let runs = entries.flatten().map(|entry| entry.path());
    Ok(runs.filter_map(|run| clear(&run)).collect())
}

/// Clears a run folder that is not in use; gives back what is in the way.
fn clear(run_dir: &Path) -> Option<PathBuf> {
    let lock = File::open(run_dir.join(LOCK)).ok()?;
    if !is_locked_by_us(&lock).ok()? {
        return None;
    }
    let work = RunLock::work_dir(run_dir);
    folders::remove(&work).err().map(|_| work)
}

fn is_locked_by_us(file: &File) -> io::Result<bool> {
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

    fn run_with_work(runs: &Path, name: &str) -> PathBuf {
        let run = runs.join(name);
        fs::create_dir_all(run.join("work/tree/locked")).unwrap();
        fs::write(run.join("result.json"), "{}").unwrap();
        fs::set_permissions(run.join("work/tree/locked"), Permissions::from_mode(0o500)).unwrap();
        run
    }

    #[test]
    fn only_the_work_of_runs_that_ended_is_swept() {
        let runs = tempfile::tempdir().unwrap();
        let (dead, living, other) = (
            run_with_work(runs.path(), "dead"),
            run_with_work(runs.path(), "living"),
            run_with_work(runs.path(), "without-a-lock"),
        );
        drop(RunLock::take(&dead).unwrap());
        let _lock = RunLock::take(&living).unwrap();
        assert!(sweep(runs.path()).unwrap().is_empty());
        assert!(!dead.join("work").exists() && dead.join("result.json").exists());
        assert!(living.join("work").exists() && other.join("work").exists());
    }

    #[test]
    fn a_run_folder_serves_one_run_at_a_time() {
        let dir = tempfile::tempdir().unwrap();
        let run = dir.path().join("run");
        let lock = RunLock::take(&run).unwrap();
        assert!(matches!(RunLock::take(&run), Err(Problem::Usage { .. })));
        drop(lock);
        RunLock::take(&run).unwrap();
    }

    #[test]
    fn no_runs_are_nothing_to_sweep() {
        let dir = tempfile::tempdir().unwrap();
        assert!(sweep(&dir.path().join("none")).unwrap().is_empty());
    }
}
