//! Creates the repository of `git mend demo`: a small Java project with a regression hidden in a commit that also
//! renames, extracts, reorders and reformats.
//!
//! `fixtures/README.md` describes the history of this repository and how to change it.

use mend_git::Git;
use mend_model::{Problem, Result};
use std::io::{Seek as _, Write as _};
use std::path::Path;

const DEMO_HISTORY: &str = include_str!("../fixtures/bakery/history.fi");

/// Revisions and test of the demo repository.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Demo {
    /// Passing revision.
    pub good: &'static str,
    /// Failing revision, which is checked out.
    pub bad: &'static str,
    /// Fully qualified name of the test class. Its `main` method throws an exception on failure.
    pub test: &'static str,
}

/// Creates the repository in `dir`, which must be empty or must not exist.
///
/// # Errors
/// [`Problem::ProgramMissing`] without git, [`Problem::DiskFull`] if `dir` does not fit on the disk,
/// [`Problem::Internal`] with git's own words when it refuses.
pub fn create_repository(dir: &Path) -> Result<Demo> {
    std::fs::create_dir_all(dir).map_err(|error| Problem::io(error, dir))?;
    git_command(dir).args(["init", "--quiet", "--template="]).stdout()?;
    import_history(dir, DEMO_HISTORY)?;
    git_command(dir).args(["checkout", "--quiet", "main"]).stdout()?;
    Ok(Demo { good: "v1.0", bad: "main", test: "bakery.till.TillTest" })
}

fn git_command(dir: &Path) -> Git {
    Git::in_folder(dir).without_user_settings()
}

fn import_history(dir: &Path, history: &str) -> Result<()> {
    let mut file =
        tempfile::tempfile().map_err(|error| Problem::io(error, std::env::temp_dir()))?;
    let written = file.write_all(history.as_bytes()).and_then(|()| file.rewind());
    written.map_err(|error| Problem::io(error, std::env::temp_dir()))?;
    git_command(dir).args(["fast-import", "--quiet"]).stdin(file).stdout().map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;
    use git2::Repository;

    fn create_demo() -> (tempfile::TempDir, Repository, Demo) {
        let dir = tempfile::tempdir().unwrap();
        let demo = create_repository(&dir.path().join("bakery")).unwrap();
        let repository = Repository::open(dir.path().join("bakery")).unwrap();
        (dir, repository, demo)
    }

    #[test]
    fn repository_is_a_clean_checkout_of_main() {
        let (_dir, repository, demo) = create_demo();
        assert_eq!(repository.head().unwrap().shorthand().unwrap(), "main");
        assert_eq!(demo.bad, "main");
        assert!(repository.statuses(None).unwrap().is_empty());
    }

    #[test]
    fn main_has_thirty_commits_including_good() {
        let (_dir, repository, demo) = create_demo();
        let commit = |revision| repository.revparse_single(revision).unwrap().peel_to_commit();
        let (good, bad) = (commit(demo.good).unwrap().id(), commit(demo.bad).unwrap().id());
        let mut walk = repository.revwalk().unwrap();
        walk.push(bad).unwrap();
        assert_eq!(walk.count(), 30);
        assert!(repository.graph_descendant_of(bad, good).unwrap());
    }

    #[test]
    fn test_class_is_in_the_work_tree() {
        let (_dir, repository, demo) = create_demo();
        let source = format!("src/test/java/{}.java", demo.test.replace('.', "/"));
        assert!(repository.workdir().unwrap().join(source).is_file());
    }

    #[test]
    fn folder_with_other_history_is_rejected() {
        let dir = tempfile::tempdir().unwrap();
        create_repository(dir.path()).unwrap();
        let identity = ["-c", "user.name=A", "-c", "user.email=a@example.org"];
        let commit = ["commit", "--quiet", "--allow-empty", "--message=x"];
        git_command(dir.path()).args(identity).args(commit).stdout().unwrap();
        let problem = create_repository(dir.path()).unwrap_err();
        assert!(matches!(problem, Problem::Internal(_)));
        assert!(problem.to_string().contains("refs/heads/main"), "{problem}");
    }
}
