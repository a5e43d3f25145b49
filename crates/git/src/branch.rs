//! A new branch with one commit, made without a work tree.

use super::{Git, Repository};
use mend_model::CommitId;
use mend_model::{Problem, Result};
use std::path::Path;

/// Object id that `update-ref` takes for a reference that does not exist.
const NOTHING: &str = "0000000000000000000000000000000000000000";

/// Content of a new commit.
#[derive(Clone, Copy, Debug)]
pub struct NewCommit<'a> {
    /// The file of the patch to apply.
    pub patch: &'a Path,
    /// The commit message.
    pub message: &'a str,
}

impl Repository {
    /// Looks whether a branch can be made under a name.
    ///
    /// # Errors
    /// [`Problem::Usage`] if the name is none, or there is a branch of that name.
    pub fn check_new_branch(&self, name: &str) -> Result<()> {
        let usage = |message: String, remedy: &str| {
            Err(Problem::Usage { message, remedy: remedy.to_owned() })
        };
        let is_name = Git::for_git_dir(self.git_dir()).args(["check-ref-format", "--branch", name]);
        if name.starts_with('-') || !is_name.answer()?.is_success() {
            return usage(format!("`{name}` is not a valid branch name"), "choose another name");
        }
        let known = Git::for_git_dir(self.git_dir()).args(["show-ref", "--verify", "--quiet"]);
        if known.arg(reference(name)).answer()?.is_success() {
            let remedy = "choose another name, or delete that branch";
            return usage(format!("a branch named `{name}` already exists"), remedy);
        }
        Ok(())
    }

    /// Makes a branch with one commit on `base`: a patch applied to it. The work tree, the index and what is checked
    /// out stay as they are. `scratch` is a folder for a while.
    ///
    /// # Errors
    /// [`Problem::Usage`] with git's words if it refuses: no author is configured, or the name is taken.
    pub fn branch_with(
        &self,
        name: &str,
        base: &CommitId,
        NewCommit { patch, message }: NewCommit<'_>,
        scratch: &Path,
    ) -> Result<()> {
        let index = tempfile::tempdir_in(scratch).map_err(|error| Problem::io(error, scratch))?;
        let git = || Git::for_git_dir(self.git_dir()).index(&index.path().join("index"));
        let base = base.0.as_str();
        checked_output(git().args(["read-tree", base]))?;
        checked_output(git().args(["apply", "--cached", "--whitespace=nowarn"]).arg(patch))?;
        let tree = checked_output(git().arg("write-tree"))?;
        let commit =
            checked_output(git().args(["commit-tree", tree.as_str(), "-p", base, "-m", message]))?;
        checked_output(
            git().arg("update-ref").arg(reference(name)).args([commit.as_str(), NOTHING]),
        )?;
        Ok(())
    }
}

fn reference(name: &str) -> String {
    format!("refs/heads/{name}")
}

/// Returns the output of git, or an error with its message.
fn checked_output(git: Git) -> Result<String> {
    let answer = git.answer()?;
    if answer.is_success() {
        return Ok(String::from_utf8_lossy(&answer.stdout).trim().to_owned());
    }
    let words = answer.stderr.lines().filter(|line| !line.trim().is_empty());
    Err(Problem::Usage {
        message: format!("git cannot create the branch: {}", words.collect::<Vec<_>>().join(" ")),
        remedy: "fix that and apply the patch from the run folder yourself".to_owned(),
    })
}
