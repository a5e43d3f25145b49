//! The place of a repository, as the git program finds it.

use crate::Git;
use crate::program::{summarize_errors, unreadable_problem};
use mend_model::{Problem, Result};
use std::fs;
use std::path::{Path, PathBuf};

/// Folders of a repository.
#[derive(Debug)]
pub(super) struct RepositoryLocation {
    /// Git folder of this work tree alone, which contains its `HEAD`.
    pub(super) work_tree_git_dir: PathBuf,
    /// Git folder that all work trees share.
    pub(super) git_dir: PathBuf,
    /// Root of the work tree; a bare repository has none.
    pub(super) work_tree: Option<PathBuf>,
}

impl RepositoryLocation {
    /// Finds the repository of a folder. `git` makes a call in this folder.
    ///
    /// # Errors
    /// [`Problem::NotARepository`], [`Problem::UnsupportedRepository`], [`Problem::UnreadableRepository`].
    pub(super) fn find(dir: &Path, git: impl Fn(&Path) -> Git) -> Result<Self> {
        let git_dir = git(dir).args(["rev-parse", "--absolute-git-dir"]).output()?;
        let Some(work_tree_git_dir) =
            path_of_line(&git_dir.stdout).filter(|_| git_dir.is_success())
        else {
            return Err(location_problem(dir, &git_dir.stderr));
        };
        let work_tree_git_dir = canonical(&work_tree_git_dir)?;
        let work_tree = git(dir).args(["rev-parse", "--show-toplevel"]).output()?;
        Ok(Self {
            git_dir: read_common_dir(&work_tree_git_dir)?,
            work_tree_git_dir,
            work_tree: path_of_line(&work_tree.stdout).filter(|_| work_tree.is_success()),
        })
    }
}

/// Returns the path that git printed.
fn path_of_line(output: &[u8]) -> Option<PathBuf> {
    let line = output.strip_suffix(b"\n").unwrap_or(output);
    let path = bstr::ByteSlice::to_path(line).ok().filter(|path| !path.as_os_str().is_empty());
    path.map(Path::to_owned)
}

fn canonical(path: &Path) -> Result<PathBuf> {
    path.canonicalize().map_err(|error| Problem::io(error, path))
}

fn read_common_dir(work_tree_git_dir: &Path) -> Result<PathBuf> {
    match fs::read_to_string(work_tree_git_dir.join("commondir")) {
        Ok(relative) => canonical(&work_tree_git_dir.join(relative.trim_end())),
        Err(_) => Ok(work_tree_git_dir.to_path_buf()),
    }
}

/// Returns the reason why git finds no repository in a folder.
fn location_problem(dir: &Path, stderr: &str) -> Problem {
    let unsupported =
        |what: String, remedy: String| Problem::UnsupportedRepository { what, remedy };
    if stderr.contains("dubious ownership") || stderr.contains("unsafe repository") {
        let exception = stderr.lines().map(str::trim).find(|line| line.starts_with("git config"));
        let remedy = exception.map_or_else(
            || format!("git config --global --add safe.directory '{}'", dir.display()),
            str::to_owned,
        );
        let message = stderr.lines().next().unwrap_or_default();
        return unsupported(
            format!("belongs to another user ({})", summarize_errors(message)),
            remedy,
        );
    }
    if stderr.contains("repository extension") || stderr.contains("expected git repo version") {
        return unsupported(
            format!("needs a newer git ({})", summarize_errors(stderr)),
            "install a git that knows its format, or pass two folders as --good and --bad"
                .to_owned(),
        );
    }
    let named_git_dir = stderr.split_once("not a git repository: '").map(|(_, rest)| rest);
    if let Some(named_git_dir) = named_git_dir {
        return Problem::NotARepository(dir.join(named_git_dir.trim_end().trim_end_matches('\'')));
    }
    if stderr.contains("not a git repository (or any") && !is_below_git_dir(dir) {
        return Problem::NotARepository(dir.to_path_buf());
    }
    unreadable_problem(stderr)
}

/// Returns true if `dir` is below a git folder, which git then rejected as damaged.
fn is_below_git_dir(dir: &Path) -> bool {
    let dir = dir.canonicalize().unwrap_or_else(|_| dir.to_owned());
    dir.ancestors().any(|folder| folder.join(".git/objects").is_dir())
}
