//! Submodules that the user has checked out, and their files in the checkouts of a run.

use crate::{Git, Repository};
use bstr::ByteSlice as _;
use mend_model::{BlobId, Problem, RepoPath, Result};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Git folders of the submodules in the user's work tree, by their path. They are only read.
#[derive(Clone, Debug, Default)]
pub struct Submodules(BTreeMap<RepoPath, PathBuf>);

impl Submodules {
    /// Finds the submodules that are checked out in the user's work tree.
    pub(super) fn find(repository: &Repository) -> Result<Self> {
        let mut git_dirs = BTreeMap::new();
        let Some(work_tree) = repository.work_tree() else { return Ok(Self(git_dirs)) };
        if !work_tree.join(".gitmodules").exists() {
            return Ok(Self(git_dirs));
        }
        let git = Git::in_work_tree(repository.work_tree_git_dir(), work_tree);
        for (path, _) in list_submodules(git)? {
            let folder = work_tree.join(path.to_fs_path());
            if !folder.join(".git").exists() {
                continue;
            }
            let git_dir = Git::in_folder(&folder).args(["rev-parse", "--absolute-git-dir"]);
            let git_dir = git_dir.output()?;
            if let (true, Ok(git_dir)) = (git_dir.is_success(), git_dir.stdout.trim_end().to_path())
            {
                git_dirs.insert(path, git_dir.to_owned());
            }
        }
        Ok(Self(git_dirs))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns true if the files of a submodule's commit are here.
    ///
    /// # Errors
    /// [`Problem::ProgramMissing`] if there is no git program.
    pub fn has_commit(&self, path: &RepoPath, commit: &BlobId) -> Result<bool> {
        let Some(git_dir) = self.0.get(path) else { return Ok(false) };
        let tree = format!("{commit}^{{tree}}");
        Ok(Git::for_git_dir(git_dir).args(["cat-file", "-e", &tree]).output()?.is_success())
    }

    /// Makes the files of each submodule in a checkout those of its commit, and removes all others. The folder of a
    /// submodule whose commit is not here becomes empty. `git` is a call on the checkout, whose git folder keeps
    /// the indexes.
    ///
    /// # Errors
    /// [`Problem::DiskFull`] and other failures to write.
    pub(super) fn check_out(&self, git: Git, work_tree: &Path, git_dir: &Path) -> Result<()> {
        let indexes = git_dir.join("submodules");
        fs::create_dir_all(&indexes).map_err(|error| Problem::io(error, &indexes))?;
        for (path, commit) in list_submodules(git)? {
            let Some(source) = self.0.get(&path) else { continue };
            let folder = work_tree.join(path.to_fs_path());
            fs::create_dir_all(&folder).map_err(|error| Problem::io(error, &folder))?;
            let tree = if self.has_commit(&path, &commit)? { &*commit.0 } else { EMPTY_TREE };
            let position = self.0.keys().position(|known| *known == path).unwrap_or_default();
            let index = indexes.join(position.to_string());
            let git = || Git::in_work_tree(source, &folder).with_index_file(&index);
            git().args(["read-tree", "--reset", "-u", tree]).stdout()?;
            git().args(["clean", "-ffdxq"]).stdout()?;
        }
        Ok(())
    }

    /// Returns a text that changes when further commits of a submodule arrive.
    pub(super) fn fingerprint(&self) -> Result<String> {
        let describe = |(path, git_dir): (&RepoPath, &PathBuf)| {
            let objects = Git::for_git_dir(git_dir).args(["count-objects", "-v"]).output()?;
            Ok(format!("{path}\n{}", String::from_utf8_lossy(&objects.stdout)))
        };
        self.0.iter().map(describe).collect()
    }
}

/// Id of the tree without files, which every repository has.
const EMPTY_TREE: &str = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

/// Returns the submodules in the index of a work tree, with their commits.
fn list_submodules(git: Git) -> Result<Vec<(RepoPath, BlobId)>> {
    let listing = git.args(["ls-files", "--stage", "-z"]).stdout()?;
    let parse = |entry: &[u8]| {
        let (attributes, path) = entry.split_once_str("\t")?;
        let attributes = attributes.to_str().ok()?;
        let commit = attributes.strip_prefix("160000 ")?.split(' ').next()?;
        Some((RepoPath::new(path), BlobId(commit.to_owned())))
    };
    Ok(listing.split(|byte| *byte == 0).filter_map(parse).collect())
}
