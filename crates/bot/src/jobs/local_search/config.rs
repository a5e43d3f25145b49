//! Configuration of searches on this machine, and the folders of jobs.

use crate::jobs::local_search::java_runtime::SharedRuntime;
use crate::queue::JobId;
use mend_git::remove_folder;
use mend_model::Problem;
use mend_process::Sandbox;
use mend_report::{EnvironmentInfo, RunResult};
use std::ffi::OsStr;
use std::path::PathBuf;
use std::time::Duration;
use tracing::warn;

/// Configuration of searches on this machine.
pub(crate) struct LocalSearchConfig {
    /// Folder that contains one folder per job.
    pub(crate) folder: PathBuf,
    /// Path of the git-mend executable.
    pub(crate) program: PathBuf,
    /// Sandbox for untrusted code, or `None` if this server runs no repository code.
    pub(crate) sandbox: Option<Sandbox>,
    /// Time limit of a job.
    pub(crate) time_limit: Duration,
}

/// Prefix of the name of a job folder, before the job's number.
const JOB_FOLDER_PREFIX: &str = "job-";
/// Name of the run folder in a job folder.
pub(super) const RUN_FOLDER_NAME: &str = "run";

impl LocalSearchConfig {
    /// Returns the jobs that have a folder. Other files in the folder belong to no job.
    pub(crate) fn jobs_with_folder(&self) -> Vec<JobId> {
        let entries = std::fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let job_number =
            |name: &OsStr| name.to_str()?.strip_prefix(JOB_FOLDER_PREFIX)?.parse().ok();
        entries.filter_map(|entry| job_number(&entry.file_name()).map(JobId)).collect()
    }

    pub(crate) fn job_folder(&self, job: JobId) -> JobFolder {
        JobFolder(self.folder.join(format!("{JOB_FOLDER_PREFIX}{job}")))
    }

    pub(crate) fn shared_runtime(&self) -> SharedRuntime {
        SharedRuntime { folder: self.folder.join("runtime") }
    }
}

/// Folder of a job. Dropping it removes it.
pub(crate) struct JobFolder(pub(crate) PathBuf);

impl JobFolder {
    pub(crate) fn repository_path(&self) -> PathBuf {
        self.0.join("repository")
    }

    pub(crate) fn run_path(&self) -> PathBuf {
        self.0.join(RUN_FOLDER_NAME)
    }

    /// Writes a new run folder that contains only the reason for the missing run, and returns its name. It is
    /// unpredictable, so untrusted code cannot have created it.
    pub(crate) fn write_failed_search(&self, reason: String) -> mend_model::Result<String> {
        let created = tempfile::Builder::new().prefix("unsearched-").tempdir_in(&self.0);
        let run = created.map_err(|error| Problem::io(error, &self.0))?.keep();
        RunResult::write_failed_search(&run, EnvironmentInfo::default(), reason)?;
        Ok(run.file_name().unwrap_or_default().to_string_lossy().into_owned())
    }

    /// Removes the clone of the repository, which only the search needs.
    pub(crate) fn remove_repository(&self) {
        if let Err(problem) = remove_folder(&self.repository_path()) {
            warn!(%problem, "cannot remove a clone now; it is removed with the folder of the job");
        }
    }

    /// Recreates the folder. Untrusted code wrote the content of an earlier attempt, including git settings: if it
    /// cannot be removed, the job fails.
    pub(crate) fn recreate(&self) -> mend_model::Result<()> {
        remove_folder(&self.0)?;
        let parent_created = self.0.parent().map_or(Ok(()), std::fs::create_dir_all);
        let created = parent_created.and_then(|()| std::fs::create_dir(&self.0));
        created.map_err(|error| Problem::io(error, &self.0))
    }
}

impl Drop for JobFolder {
    fn drop(&mut self) {
        // The server removes remaining folders every hour.
        if let Err(problem) = remove_folder(&self.0) {
            warn!(%problem, "cannot remove the folder of a job now; the server tries it again");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;
    use std::path::Path;

    /// Creates a job folder in which the job's code made a folder read-only.
    fn locked_job_folder(parent: &Path, name: &str) -> PathBuf {
        let job = parent.join(name);
        let inside = job.join("repository/locked");
        fs::create_dir_all(inside.join("deep")).unwrap();
        fs::write(inside.join("deep/large"), "x").unwrap();
        for folder in [inside.join("deep"), inside, job.join("repository")] {
            fs::set_permissions(folder, fs::Permissions::from_mode(0o000)).unwrap();
        }
        job
    }

    #[test]
    fn locked_job_folders_are_removed() {
        let dir = tempfile::tempdir().unwrap();
        drop(JobFolder(locked_job_folder(dir.path(), "job-1")));
        assert!(!dir.path().join("job-1").exists());
        let recreated = JobFolder(locked_job_folder(dir.path(), "job-2"));
        recreated.recreate().unwrap();
        assert_eq!(fs::read_dir(&recreated.0).unwrap().count(), 0);
        locked_job_folder(dir.path(), "job-3");
        std::fs::create_dir(dir.path().join("runtime")).unwrap();
        let config = LocalSearchConfig {
            folder: dir.path().to_owned(),
            program: PathBuf::new(),
            sandbox: None,
            time_limit: Duration::ZERO,
        };
        let mut jobs = config.jobs_with_folder();
        jobs.sort_unstable();
        assert_eq!(jobs, [JobId(2), JobId(3)]);
        drop(config.job_folder(JobId(3)));
        assert!(!dir.path().join("job-3").exists());
    }
}
