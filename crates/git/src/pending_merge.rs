//! Pending merge: a merge in the index that is not yet committed.

use super::{Git, Repository};
use crate::program::join_paths;
use mend_model::CommitId;
use mend_model::{Problem, Result};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A pending merge as a commit, whose objects are only in a separate folder.
#[derive(Debug)]
pub struct PendingMerge {
    /// The commit that the merge would create.
    pub commit: CommitId,
    temp_dir: TempDir,
}

impl PendingMerge {
    /// Creates the commit from the index, which is unchanged.
    ///
    /// # Errors
    /// Errors of calling git, and [`Problem::DiskFull`].
    pub fn from_index(repository: &Repository, dir: &Path) -> Result<Self> {
        let temp_dir =
            tempfile::tempdir().map_err(|error| Problem::io(error, std::env::temp_dir()))?;
        let index = std::env::var_os("GIT_INDEX_FILE").map(|named| dir.join(named));
        let index = index.unwrap_or_else(|| repository.work_tree_git_dir().join("index"));
        let index_copy = temp_dir.path().join("index");
        std::fs::copy(&index, &index_copy).map_err(|error| Problem::io(error, index))?;
        let objects_dir = objects_dir_in(&temp_dir);
        std::fs::create_dir(&objects_dir).map_err(|error| Problem::io(error, &objects_dir))?;
        let git = || Self::git_with_objects(repository, &objects_dir).with_index_file(&index_copy);
        let tree = git().args(["write-tree", "--missing-ok"]).stdout_text()?;
        let parents = merge_parents(repository)?;
        let parents = parents.iter().flat_map(|parent| ["-p", &*parent.0]);
        let commit = git()
            .args(["commit-tree", "-m", "the merge", tree.trim()])
            .args(parents)
            .stdout_text()?;
        Ok(Self { commit: CommitId(commit.trim().to_owned()), temp_dir })
    }

    /// Returns the folder with the objects that the repository does not have.
    pub fn objects_dir(&self) -> PathBuf {
        objects_dir_in(&self.temp_dir)
    }

    fn git_with_objects(repository: &Repository, objects: &Path) -> Git {
        let identity_roles = ["AUTHOR", "COMMITTER"];
        let git = repository.git().env("GIT_OBJECT_DIRECTORY", objects);
        let git = git.env("GIT_ALTERNATE_OBJECT_DIRECTORIES", join_paths(repository.object_dirs()));
        identity_roles.into_iter().fold(git, |git, role| {
            let git = git.env(&format!("GIT_{role}_NAME"), "uncommitted");
            git.env(&format!("GIT_{role}_EMAIL"), "uncommitted@localhost")
        })
    }
}

fn objects_dir_in(folder: &TempDir) -> PathBuf {
    folder.path().join("objects")
}

/// Returns `HEAD` and the merged commits. While the hook runs, git names the latter only in the environment.
fn merge_parents(repository: &Repository) -> Result<Vec<CommitId>> {
    let mut parents = vec![repository.resolve("HEAD")?.id];
    let merge_head = std::fs::read_to_string(repository.work_tree_git_dir().join("MERGE_HEAD"))
        .unwrap_or_default();
    let environment_ids = std::env::vars_os()
        .filter_map(|(name, _)| name.to_str()?.strip_prefix("GITHEAD_").map(str::to_owned));
    for id in merge_head.lines().map(str::to_owned).chain(environment_ids) {
        if let Ok(commit) = repository.resolve(&id)
            && !parents.contains(&commit.id)
        {
            parents.push(commit.id);
        }
    }
    Ok(parents)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ObjectStore;
    use crate::testing::TestRepository;

    #[test]
    fn pending_merge_commit_is_visible_only_through_its_objects() {
        let test = TestRepository::new();
        test.write("a", b"1").commit("one");
        test.git(&["checkout", "-b", "side"]);
        test.write("b", b"2").commit("side");
        test.git(&["checkout", "main"]);
        test.write("c", b"3").commit("two");
        test.git(&["merge", "--no-ff", "--no-commit", "side"]);
        let (index, objects) =
            (std::fs::read(test.path().join(".git/index")).unwrap(), test.count_objects());
        let merge = PendingMerge::from_index(&test.open(), test.path()).unwrap();
        assert_eq!(std::fs::read(test.path().join(".git/index")).unwrap(), index);
        assert_eq!(test.count_objects(), objects);
        assert!(test.open().resolve(&merge.commit.0).is_err());
        let repository = test.open().with_extra_objects(Some(&merge.objects_dir()));
        let commit = repository.resolve(&merge.commit.0).unwrap();
        let id = |spec: &str| repository.resolve(spec).unwrap().id;
        assert_eq!(commit.parents, [id("main"), id("side")]);
        let dir = tempfile::tempdir().unwrap();
        let store = ObjectStore::create(&dir.path().join("store"), Some(&repository)).unwrap();
        assert_eq!(store.read_tree(&commit.tree).unwrap().len(), 3);
    }
}
