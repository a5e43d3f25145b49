//! Java programs of git-mend, compiled once for all jobs. They are compiled where no repository code ever runs, and
//! each job gets its own copy, so that jobs cannot affect each other.

use super::checkout::git_in;
use mend_model::{Problem, Result};
use mend_process::{ProcessEnd, Supervisor};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use walkdir::WalkDir;

/// Location of the programs in a repository.
const PLACE: &str = ".git/mend/runtime";

/// Function that runs a command with write access to one folder.
pub(crate) type RunConfined<'a> = dyn Fn(&Path, Vec<OsString>) -> Result<ProcessEnd> + 'a;

/// Compiled programs that are shared between jobs.
pub(crate) struct SharedRuntime {
    /// A folder of our own.
    pub(crate) folder: PathBuf,
}

impl SharedRuntime {
    /// Compiles missing programs, and copies them to a repository in which nothing has run yet.
    ///
    /// # Errors
    /// The error. A search compiles missing programs itself.
    pub(crate) fn given_to(
        &self,
        repository: &Path,
        program: &Path,
        confined: &RunConfined<'_>,
        supervisor: &Supervisor,
    ) -> Result<()> {
        let own = self.folder.join("repository");
        fs::create_dir_all(&own).map_err(|error| Problem::io(error, &own))?;
        git_in(&own, supervisor).args(["init", "-q"]).run()?;
        let hook = ["hook", "run", "post-checkout", "-C"].map(OsString::from);
        let command = [program.into()].into_iter().chain(hook).chain([own.clone().into()]);
        confined(&self.folder, command.collect())?;
        copy(&own.join(PLACE), &repository.join(PLACE))
    }
}

/// Copies a folder without its temporary files.
fn copy(from: &Path, to: &Path) -> Result<()> {
    let is_made =
        |entry: &walkdir::DirEntry| !entry.file_name().as_encoded_bytes().starts_with(b".tmp");
    for entry in WalkDir::new(from).into_iter().filter_entry(is_made) {
        let entry = entry.map_err(anyhow::Error::from)?;
        let place = to.join(entry.path().strip_prefix(from).unwrap_or(Path::new("")));
        let copied = if entry.file_type().is_dir() {
            fs::create_dir_all(&place)
        } else {
            fs::copy(entry.path(), &place).map(drop)
        };
        copied.map_err(|error| Problem::io(error, place))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use mend_model::Interrupt;

    #[test]
    fn each_job_has_a_copy_that_no_other_one_reads() {
        let dir = tempfile::tempdir().unwrap();
        let runtime = SharedRuntime { folder: dir.path().join("runtime") };
        let compiled = |folder: &Path, command: Vec<OsString>| {
            let own = PathBuf::from(command.last().unwrap());
            assert!(own.starts_with(folder) && own.join(".git/HEAD").is_file());
            for name in ["classes/A.class", "list.jsa", ".tmp1/half.class"] {
                let file = own.join(PLACE).join(name);
                fs::create_dir_all(file.parent().unwrap()).unwrap();
                fs::write(file, "ours").unwrap();
            }
            Ok(ProcessEnd::Exited(0))
        };
        let supervisor = Supervisor::unwatched(Interrupt::default());
        let place = |job: &str| dir.path().join(job).join(PLACE);
        for job in ["job-1", "job-2"] {
            let (repository, program) = (dir.path().join(job), Path::new("git-mend"));
            runtime.given_to(&repository, program, &compiled, &supervisor).unwrap();
            assert!(!place(job).join(".tmp1").exists());
            for name in ["classes/A.class", "list.jsa"] {
                assert_eq!(fs::read_to_string(place(job).join(name)).unwrap(), "ours");
                fs::write(place(job).join(name), "theirs").unwrap();
            }
        }
    }

    #[test]
    fn where_nothing_was_compiled_that_is_an_error() {
        let dir = tempfile::tempdir().unwrap();
        let runtime = SharedRuntime { folder: dir.path().join("runtime") };
        let supervisor = Supervisor::unwatched(Interrupt::default());
        let nothing = |_: &Path, _: Vec<OsString>| Ok(ProcessEnd::Exited(0));
        let given = runtime.given_to(dir.path(), Path::new("git-mend"), &nothing, &supervisor);
        assert!(given.is_err());
    }
}
