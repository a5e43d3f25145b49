//! Compiles git-mend's Java programs once and copies them for each job. No repository code runs where they are
//! compiled, and each job has its own copy, so that jobs cannot affect each other.

use super::checkout::isolated_git;
use mend_model::{Problem, Result};
use mend_process::{ProcessEnd, Supervisor};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use walkdir::WalkDir;

/// Location of the programs in a repository.
const RUNTIME_PATH: &str = ".git/mend/runtime";

/// Function that runs a command with write access to one folder.
pub(crate) type RunConfined<'a> = dyn Fn(&Path, Vec<OsString>) -> Result<ProcessEnd> + 'a;

/// Compiled Java programs that are shared between jobs.
pub(crate) struct SharedRuntime {
    /// Folder that only the server writes.
    pub(crate) folder: PathBuf,
}

impl SharedRuntime {
    /// Compiles missing programs, and copies them to a repository in which no code has run yet.
    ///
    /// # Errors
    /// Error of the compilation or copy. A search compiles missing programs itself.
    pub(crate) fn copy_to(
        &self,
        repository: &Path,
        program: &Path,
        run_confined: &RunConfined<'_>,
        supervisor: &Supervisor,
    ) -> Result<()> {
        let own_repository = self.folder.join("repository");
        fs::create_dir_all(&own_repository).map_err(|error| Problem::io(error, &own_repository))?;
        isolated_git(&own_repository).args(["init", "-q"]).supervised(supervisor).run()?;
        let hook = ["hook", "run", "post-checkout", "-C"].map(OsString::from);
        let command =
            [program.into()].into_iter().chain(hook).chain([own_repository.clone().into()]);
        run_confined(&self.folder, command.collect())?;
        copy_folder(&own_repository.join(RUNTIME_PATH), &repository.join(RUNTIME_PATH))
    }
}

/// Copies a folder without its temporary files.
fn copy_folder(from: &Path, to: &Path) -> Result<()> {
    let is_permanent =
        |entry: &walkdir::DirEntry| !entry.file_name().as_encoded_bytes().starts_with(b".tmp");
    for entry in WalkDir::new(from).into_iter().filter_entry(is_permanent) {
        let entry = entry.map_err(anyhow::Error::from)?;
        let target = to.join(entry.path().strip_prefix(from).unwrap_or(Path::new("")));
        let result = if entry.file_type().is_dir() {
            fs::create_dir_all(&target)
        } else {
            fs::copy(entry.path(), &target).map(drop)
        };
        result.map_err(|error| Problem::io(error, target))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use mend_model::Interrupt;

    #[test]
    fn each_job_has_its_own_runtime_copy() {
        let dir = tempfile::tempdir().unwrap();
        let runtime = SharedRuntime { folder: dir.path().join("runtime") };
        let compile = |folder: &Path, command: Vec<OsString>| {
            let own_repository = PathBuf::from(command.last().unwrap());
            assert!(
                own_repository.starts_with(folder) && own_repository.join(".git/HEAD").is_file()
            );
            for name in ["classes/A.class", "list.jsa", ".tmp1/half.class"] {
                let file = own_repository.join(RUNTIME_PATH).join(name);
                fs::create_dir_all(file.parent().unwrap()).unwrap();
                fs::write(file, "ours").unwrap();
            }
            Ok(ProcessEnd::Exited(0))
        };
        let supervisor = Supervisor::without_watchdog(Interrupt::default());
        let runtime_path = |job: &str| dir.path().join(job).join(RUNTIME_PATH);
        for job in ["job-1", "job-2"] {
            let (repository, program) = (dir.path().join(job), Path::new("git-mend"));
            runtime.copy_to(&repository, program, &compile, &supervisor).unwrap();
            assert!(!runtime_path(job).join(".tmp1").exists());
            for name in ["classes/A.class", "list.jsa"] {
                assert_eq!(fs::read_to_string(runtime_path(job).join(name)).unwrap(), "ours");
                fs::write(runtime_path(job).join(name), "theirs").unwrap();
            }
        }
    }

    #[test]
    fn missing_compiled_runtime_is_an_error() {
        let dir = tempfile::tempdir().unwrap();
        let runtime = SharedRuntime { folder: dir.path().join("runtime") };
        let supervisor = Supervisor::without_watchdog(Interrupt::default());
        let do_nothing = |_: &Path, _: Vec<OsString>| Ok(ProcessEnd::Exited(0));
        let result = runtime.copy_to(dir.path(), Path::new("git-mend"), &do_nothing, &supervisor);
        assert!(result.is_err());
    }
}
