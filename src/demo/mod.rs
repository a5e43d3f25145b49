//! The repository of the demo: the till of a small bakery, with a regression hidden in a commit
//! that also renames, extracts, reorders and reformats.
//!
//! `fixtures/README.md` says how its story is changed.

use mend_git::Git;
use mend_model::{Problem, Result};
use std::io::{Seek as _, Write as _};
use std::path::Path;

const HISTORY: &str = include_str!("../../fixtures/bakery/history.fi");

/// Revisions and test of the demo repository.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Demo {
    /// A revision where the test passes.
    pub good: &'static str,
    /// A revision where it fails, which is checked out.
    pub bad: &'static str,
    /// The test's class, fully qualified: a `main` that throws when something is wrong.
    pub test: &'static str,
}

/// Creates the repository in `dir`, which must be empty or not exist yet.
///
/// # Errors
/// [`Problem::ProgramMissing`] without git, [`Problem::DiskFull`] if `dir` does not fit on the disk,
/// [`Problem::Internal`] with git's own words when it refuses.
pub fn create(dir: &Path) -> Result<Demo> {
    std::fs::create_dir_all(dir).map_err(|error| Problem::io(error, dir))?;
    git(dir).args(["init", "--quiet", "--template="]).stdout()?;
    import(dir, HISTORY)?;
    git(dir).args(["checkout", "--quiet", "main"]).stdout()?;
    Ok(Demo { good: "v1.0", bad: "main", test: "bakery.till.TillTest" })
}

fn git(dir: &Path) -> Git {
    Git::from_folder(dir).without_settings()
}

fn import(dir: &Path, history: &str) -> Result<()> {
    let mut file =
        tempfile::tempfile().map_err(|error| Problem::io(error, std::env::temp_dir()))?;
    let fed = file.write_all(history.as_bytes()).and_then(|()| file.rewind());
    fed.map_err(|error| Problem::io(error, std::env::temp_dir()))?;
    git(dir).args(["fast-import", "--quiet"]).input(file).stdout().map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;
    use git2::Repository;

    fn created() -> (tempfile::TempDir, Repository, Demo) {
        let dir = tempfile::tempdir().unwrap();
        let demo = create(&dir.path().join("bakery")).unwrap();
        let repository = Repository::open(dir.path().join("bakery")).unwrap();
        (dir, repository, demo)
    }

    #[test]
    fn the_repository_is_a_clean_checkout_of_main() {
        let (_dir, repository, demo) = created();
        assert_eq!(repository.head().unwrap().shorthand().unwrap(), "main");
        assert_eq!(demo.bad, "main");
        assert!(repository.statuses(None).unwrap().is_empty());
    }

    #[test]
    fn thirty_commits_lead_to_main_and_the_good_one_is_among_them() {
        let (_dir, repository, demo) = created();
        let commit = |revision| repository.revparse_single(revision).unwrap().peel_to_commit();
        let (good, bad) = (commit(demo.good).unwrap().id(), commit(demo.bad).unwrap().id());
        let mut walk = repository.revwalk().unwrap();
        walk.push(bad).unwrap();
        assert_eq!(walk.count(), 30);
        assert!(repository.graph_descendant_of(bad, good).unwrap());
    }

    #[test]
    fn the_test_class_is_in_the_work_tree() {
        let (_dir, repository, demo) = created();
        let source = format!("src/test/java/{}.java", demo.test.replace('.', "/"));
        assert!(repository.workdir().unwrap().join(source).is_file());
    }

    #[test]
    fn a_folder_that_holds_other_history_is_refused_in_gits_words() {
        let dir = tempfile::tempdir().unwrap();
        create(dir.path()).unwrap();
        let identity = ["-c", "user.name=A", "-c", "user.email=a@example.org"];
        let commit = ["commit", "--quiet", "--allow-empty", "--message=x"];
        git(dir.path()).args(identity).args(commit).stdout().unwrap();
        let problem = create(dir.path()).unwrap_err();
        assert!(matches!(problem, Problem::Internal(_)));
        assert!(problem.to_string().contains("refs/heads/main"), "{problem}");
    }
}
