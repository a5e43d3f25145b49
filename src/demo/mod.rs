//! The repository that the demo takes apart: the till of a small bakery, with a regression hidden in
//! a commit that also renames, extracts, reorders and reformats.
//!
//! `history.fi` is what `git fast-export -M --all` writes for it; to change the story, rewrite the
//! repository that [`create`] makes and export it again.

use std::ffi::OsStr;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context as _, anyhow};

use crate::model::{Problem, Result};

const HISTORY: &str = include_str!("history.fi");

/// What to look for in the demo's repository.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Demo {
    /// A revision where the test passes.
    pub good: &'static str,
    /// A revision where it fails, which is checked out.
    pub bad: &'static str,
    /// The test's class, fully qualified: a `main` that throws when something is wrong.
    pub test: &'static str,
}

/// Makes the repository in `dir`, which is created if it is not there and must be empty otherwise.
///
/// # Errors
/// [`Problem::ProgramMissing`] without git, [`Problem::DiskFull`] where `dir` cannot be created for
/// want of room, [`Problem::Internal`] with git's own words when it refuses.
pub fn create(dir: &Path) -> Result<Demo> {
    std::fs::create_dir_all(dir).map_err(|error| Problem::io(error, dir))?;
    git(dir, &["init", "--quiet", "--template="], "")?;
    git(dir, &["fast-import", "--quiet"], HISTORY)?;
    git(dir, &["checkout", "--quiet", "main"], "")?;
    Ok(Demo { good: "v1.0", bad: "main", test: "bakery.till.TillTest" })
}

fn git(dir: &Path, args: &[&str], input: &str) -> Result<()> {
    let mut child = hermetic_git()
        .args(args)
        .current_dir(dir)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| Problem::ProgramMissing {
            program: "git".to_owned(),
            reason: error.to_string(),
        })?;
    let fed = child.stdin.take().map_or(Ok(()), |mut stdin| stdin.write_all(input.as_bytes()));
    let call = || format!("git {}", args.join(" "));
    let output = child.wait_with_output().with_context(call)?;
    if !output.status.success() {
        let words = String::from_utf8_lossy(&output.stderr);
        return Err(anyhow!("{}: {}", call(), words.trim()).into());
    }
    Ok(fed.with_context(call)?)
}

fn hermetic_git() -> Command {
    let mut command = Command::new("git");
    std::env::vars_os()
        .filter(|(name, _)| is_gits_own(name))
        .for_each(|(name, _)| _ = command.env_remove(name));
    command.env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_CONFIG_GLOBAL", "/dev/null");
    command
}

fn is_gits_own(variable: &OsStr) -> bool {
    variable.as_encoded_bytes().starts_with(b"GIT_")
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
        let own = "commit refs/heads/main\ncommitter A <a@example.org> 0 +0000\ndata 1\nx\n";
        git(dir.path(), &["fast-import", "--quiet", "--force"], own).unwrap();
        let problem = create(dir.path()).unwrap_err();
        assert!(matches!(problem, Problem::Internal(_)));
        assert!(problem.to_string().contains("refs/heads/main"), "{problem}");
    }
}
