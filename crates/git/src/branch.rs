//! Creation of a branch with one commit, without a work tree.

use super::{Git, Repository};
use mend_model::CommitId;
use mend_model::{Problem, Result};
use std::path::Path;

/// Object id by which `update-ref` requires that a reference does not exist.
const NULL_OBJECT_ID: &str = "0000000000000000000000000000000000000000";

/// Content of a new commit.
#[derive(Clone, Copy, Debug)]
pub struct NewCommit<'a> {
    /// Patch file to apply.
    pub patch: &'a Path,
    /// The commit message.
    pub message: &'a str,
}

impl Repository {
    /// Checks that a branch of this name can be created.
    ///
    /// # Errors
    /// [`Problem::Usage`] if the name is invalid, or the branch exists.
    pub fn check_new_branch(&self, name: &str) -> Result<()> {
        let usage_problem = |message: String, remedy: &str| {
            Err(Problem::Usage { message, remedy: remedy.to_owned() })
        };
        let name_check =
            Git::for_git_dir(self.git_dir()).args(["check-ref-format", "--branch", name]);
        if name.starts_with('-') || !name_check.output()?.is_success() {
            return usage_problem(
                format!("`{name}` is not a valid branch name"),
                "choose another name",
            );
        }
        let existing = Git::for_git_dir(self.git_dir()).args(["show-ref", "--verify", "--quiet"]);
        if existing.arg(branch_ref(name)).output()?.is_success() {
            let remedy = "choose another name, or delete that branch";
            return usage_problem(format!("a branch named `{name}` already exists"), remedy);
        }
        Ok(())
    }

    /// Creates a branch with one commit on `base` that applies a patch. The work tree, the index and `HEAD` do not
    /// change. `scratch` is a folder for temporary files.
    ///
    /// # Errors
    /// [`Problem::Usage`] with git's message if it fails: no author is configured, or the name is taken.
    pub fn create_branch_with_patch(
        &self,
        name: &str,
        base: &CommitId,
        NewCommit { patch, message }: NewCommit<'_>,
        scratch: &Path,
    ) -> Result<()> {
        let index = tempfile::tempdir_in(scratch).map_err(|error| Problem::io(error, scratch))?;
        let git = || Git::for_git_dir(self.git_dir()).with_index_file(&index.path().join("index"));
        let base = base.0.as_str();
        run_checked(git().args(["read-tree", base]))?;
        run_checked(git().args(["apply", "--cached", "--whitespace=nowarn"]).arg(patch))?;
        let tree = run_checked(git().arg("write-tree"))?;
        let commit =
            run_checked(git().args(["commit-tree", tree.as_str(), "-p", base, "-m", message]))?;
        run_checked(
            git().arg("update-ref").arg(branch_ref(name)).args([commit.as_str(), NULL_OBJECT_ID]),
        )?;
        Ok(())
    }
}

fn branch_ref(name: &str) -> String {
    format!("refs/heads/{name}")
}

/// Returns the output of git, or an error with its message.
fn run_checked(git: Git) -> Result<String> {
    let output = git.output()?;
    if output.is_success() {
        return Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned());
    }
    let error_lines = output.stderr.lines().filter(|line| !line.trim().is_empty());
    Err(Problem::Usage {
        message: format!(
            "git cannot create the branch: {}",
            error_lines.collect::<Vec<_>>().join(" ")
        ),
        remedy: "fix that and apply the patch from the run folder yourself".to_owned(),
    })
}
