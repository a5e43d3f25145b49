//! Object database of a run: borrows the objects of the user's repository, and stores all new ones.

use crate::clone_state::CloneState;
use crate::oid::ToOid;
use crate::program::write_problem;
use crate::{Git, Repository, clone_state};
use mend_model::BlobId;
use mend_model::{FileMode, FileState, Problem, RepoPath, Result, TreeId};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// A bare repository inside the run folder. It reads objects of the user's repository through alternates; new objects
/// are written only here. Threads may share it.
pub struct ObjectStore {
    dir: PathBuf,
    clone_state: CloneState,
    repository: Mutex<git2::Repository>,
}

/// Access to a store's objects for another repository.
#[derive(Clone, Debug)]
pub struct Alternates {
    dir: PathBuf,
    is_partial: bool,
}

/// One file of a tree, without its content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeEntry {
    /// File mode.
    pub mode: FileMode,
    /// Id of its content; the commit of a submodule.
    pub id: BlobId,
}

impl ObjectStore {
    /// Creates the store in `dir`, or opens the existing one of an earlier run. Without a repository it starts empty.
    ///
    /// # Errors
    /// [`Problem::DiskFull`] and other failures to write.
    pub fn create(dir: &Path, repository: Option<&Repository>) -> Result<Self> {
        let git_problem =
            |error: git2::Error| write_problem(error.into(), "making the object store", dir.into());
        git2::Repository::init_bare(dir).map_err(git_problem)?;
        let dir = dir.canonicalize().map_err(|error| Problem::io(error, dir))?;
        if let Some(repository) = repository {
            write_alternates(&dir, repository.object_dirs())?;
            write_file(&dir.join("packed-refs"), &repository.packed_refs_of_tags()?)?;
            let boundary = repository.clone_state().shallow_file_content();
            if !boundary.is_empty() {
                write_file(&dir.join("shallow"), boundary.as_bytes())?;
            }
        }
        let handle = git2::Repository::open_bare(&dir).map_err(|error| {
            write_problem(error.into(), "opening the object store", dir.clone())
        })?;
        let clone_state = repository.map(|one| one.clone_state().clone()).unwrap_or_default();
        Ok(Self { dir, clone_state, repository: Mutex::new(handle) })
    }

    /// Returns the folder of the bare repository.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Returns the alternates that let another repository borrow this store's objects.
    pub fn alternates(&self) -> Alternates {
        Alternates { dir: self.dir.clone(), is_partial: self.clone_state.is_partial() }
    }

    /// Returns all files below a tree; a submodule is one entry.
    ///
    /// # Errors
    /// [`Problem::IncompleteClone`] if a partial clone lacks part of the tree.
    pub fn read_tree(&self, tree: &TreeId) -> Result<BTreeMap<RepoPath, TreeEntry>> {
        self.with_repository(|git| {
            let mut entries = BTreeMap::new();
            let root = git.find_tree(tree.oid()?)?;
            collect_entries(git, &root, &RepoPath::from(""), &mut entries)?;
            Ok(entries)
        })
    }

    /// Returns the content of a file as stored in git.
    ///
    /// # Errors
    /// [`Problem::IncompleteClone`] if a partial clone lacks them.
    pub fn read_blob(&self, id: &BlobId) -> Result<Arc<[u8]>> {
        self.with_repository(|git| Ok(git.find_blob(id.oid()?)?.content().into()))
    }

    /// Returns a file of a tree; `None` if there is none at this path.
    ///
    /// # Errors
    /// [`Problem::IncompleteClone`] if a partial clone lacks it.
    pub fn read_file(&self, tree: &TreeId, path: &RepoPath) -> Result<Option<FileState>> {
        self.with_repository(|git| {
            let (mut folder, mut components) =
                (git.find_tree(tree.oid()?)?, path.components().peekable());
            while let Some((id, bits)) =
                components.next().and_then(|part| find_entry(&folder, part))
            {
                match (file_mode(bits), components.peek()) {
                    (Some(mode), None) => return read_file_state(git, mode, id).map(Some),
                    (None, Some(_)) => folder = git.find_tree(id)?,
                    _ => break,
                }
            }
            Ok(None)
        })
    }

    /// Runs an action on the libgit2 repository, and converts its errors.
    pub(crate) fn with_repository<T>(
        &self,
        action: impl FnOnce(&git2::Repository) -> Result<T, git2::Error>,
    ) -> Result<T> {
        let handle = self.repository.lock().unwrap_or_else(PoisonError::into_inner);
        action(&handle).map_err(|error| self.to_problem(error))
    }

    pub(crate) fn to_problem(&self, error: git2::Error) -> Problem {
        let is_missing = error.code() == git2::ErrorCode::NotFound;
        if is_missing && self.clone_state.is_partial() {
            return clone_state::partial_clone_problem();
        }
        write_problem(error.into(), "reading objects", self.dir.clone())
    }

    /// Creates a call of git on the store.
    pub(crate) fn git(&self) -> Git {
        Git::for_git_dir(&self.dir)
    }
}

impl Alternates {
    /// Makes the repository `git_dir` borrow the store's objects, and copies the user's tags and shallow boundary.
    ///
    /// # Errors
    /// [`Problem::DiskFull`] and other failures to write.
    pub fn write_to(&self, git_dir: &Path) -> Result<()> {
        write_alternates(git_dir, [self.dir.join("objects")])?;
        for name in ["packed-refs", "shallow"] {
            let (from, to) = (self.dir.join(name), git_dir.join(name));
            if from.exists() {
                fs::copy(from, &to).map_err(|error| Problem::io(error, to))?;
            }
        }
        Ok(())
    }

    /// Converts the problem of a failed checkout: objects of a partial clone may be missing.
    pub fn explain_failure(&self, problem: Problem) -> Problem {
        match problem {
            Problem::Internal(_) if self.is_partial => clone_state::partial_clone_problem(),
            other => other,
        }
    }
}

/// Object id and mode bits of a tree entry.
pub(crate) type EntryId = (git2::Oid, i32);

/// Returns the entry of a tree with this name. libgit2 rejects names with a NUL.
pub(crate) fn find_entry(folder: &git2::Tree<'_>, name: &[u8]) -> Option<EntryId> {
    let tree_entry = if name.contains(&0) { None } else { folder.get_name_bytes(name) };
    tree_entry.map(|entry| (entry.id(), entry.filemode()))
}

fn write_alternates(git_dir: &Path, folders: impl IntoIterator<Item = PathBuf>) -> Result<()> {
    let line = |folder: PathBuf| [folder.as_os_str().as_encoded_bytes(), b"\n"].concat();
    let lines: Vec<u8> = folders.into_iter().flat_map(line).collect();
    write_file(&git_dir.join("objects/info/alternates"), &lines)
}

fn write_file(path: &Path, content: &[u8]) -> Result<()> {
    let parent = path.parent().unwrap_or(path);
    fs::create_dir_all(parent)
        .and_then(|()| fs::write(path, content))
        .map_err(|error| Problem::io(error, path))
}

fn collect_entries(
    git: &git2::Repository,
    tree: &git2::Tree<'_>,
    prefix: &RepoPath,
    entries: &mut BTreeMap<RepoPath, TreeEntry>,
) -> Result<(), git2::Error> {
    for entry in tree {
        let path = prefix.join(&RepoPath::new(entry.name_bytes()));
        match file_mode(entry.filemode()) {
            Some(mode) => {
                entries.insert(path, TreeEntry { mode, id: BlobId(entry.id().to_string()) });
            }
            None => collect_entries(git, &git.find_tree(entry.id())?, &path, entries)?,
        }
    }
    Ok(())
}

/// Converts git's mode bits; `None` for a folder.
pub(crate) fn file_mode(bits: i32) -> Option<FileMode> {
    match bits & 0o170_000 {
        0o040_000 => None,
        0o120_000 => Some(FileMode::Symlink),
        0o160_000 => Some(FileMode::Submodule),
        _ if bits & 0o100 != 0 => Some(FileMode::Executable),
        _ => Some(FileMode::Regular),
    }
}

/// Reads the file of an entry.
pub(crate) fn read_file_state(
    git: &git2::Repository,
    mode: FileMode,
    id: git2::Oid,
) -> Result<FileState, git2::Error> {
    let content = match mode {
        FileMode::Submodule => id.to_string().into_bytes().into(),
        _ => git.find_blob(id)?.content().into(),
    };
    Ok(FileState { mode, content })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::TestRepository;
    use mend_model::TreeEdit;
    use std::os::unix::fs::symlink;

    fn create_store(test: &TestRepository) -> (tempfile::TempDir, ObjectStore) {
        let dir = tempfile::tempdir().unwrap();
        let store = ObjectStore::create(&dir.path().join("store"), Some(&test.open())).unwrap();
        (dir, store)
    }

    fn head_tree(test: &TestRepository) -> TreeId {
        test.open().resolve("HEAD").unwrap().tree
    }

    #[test]
    fn all_file_modes_are_read() {
        let test = TestRepository::new();
        test.write("dir/plain", b"p\r\n").write("run.sh", b"r");
        symlink("dir/plain", test.path().join("link")).unwrap();
        test.git(&["add", "-A"]);
        test.git(&["update-index", "--chmod=+x", "run.sh"]);
        let commit = "1234567890123456789012345678901234567890";
        test.git(&["update-index", "--add", "--cacheinfo", &format!("160000,{commit},sub")]);
        test.git(&["commit", "-m", "one"]);
        let (_dir, store) = create_store(&test);
        let modes: Vec<_> = store
            .read_tree(&head_tree(&test))
            .unwrap()
            .into_iter()
            .map(|(path, entry)| (path.to_string(), entry.mode))
            .collect();
        let expected = [
            ("dir/plain", FileMode::Regular),
            ("link", FileMode::Symlink),
            ("run.sh", FileMode::Executable),
            ("sub", FileMode::Submodule),
        ];
        assert_eq!(modes, expected.map(|(path, mode)| (path.to_owned(), mode)));
        let file = |path: &str| store.read_file(&head_tree(&test), &path.into()).unwrap();
        assert_eq!(file("dir/plain"), Some(FileState::regular(*b"p\r\n")));
        assert_eq!(&*file("link").unwrap().content, b"dir/plain");
        assert_eq!(&*file("sub").unwrap().content, commit.as_bytes());
    }

    #[test]
    fn read_file_returns_none_for_non_files() {
        let test = TestRepository::new();
        test.write("dir/plain", b"p").commit("one");
        let (_dir, store) = create_store(&test);
        for path in ["dir", "none", "dir/none", "dir/plain/deeper", ""] {
            assert_eq!(store.read_file(&head_tree(&test), &path.into()).unwrap(), None, "{path}");
        }
    }

    #[test]
    fn partial_clone_remedy_fetches_missing_objects() {
        let test = TestRepository::new();
        test.write("file", b"content").commit("one");
        let clone = test.clone_with(&["--filter=blob:none"]);
        let (_dir, partial_store) = create_store(&clone);
        let problem = partial_store.read_file(&head_tree(&clone), &"file".into()).unwrap_err();
        assert!(matches!(problem, Problem::IncompleteClone { kind: "partial", .. }));
        let remedy = problem.remedy();
        clone.git(&remedy.split(' ').skip(1).collect::<Vec<_>>());
        let (_dir, complete_store) = create_store(&clone);
        assert!(complete_store.read_file(&head_tree(&clone), &"file".into()).unwrap().is_some());
    }

    #[test]
    fn treeless_clone_reports_missing_trees() {
        let test = TestRepository::new();
        test.write("dir/file", b"content").commit("one");
        let clone = test.clone_with(&["--filter=tree:0"]);
        let (_dir, store) = create_store(&clone);
        let problem = store.read_tree(&head_tree(&clone)).unwrap_err();
        assert!(matches!(problem, Problem::IncompleteClone { kind: "partial", .. }));
        let problem = clone.open().has_submodules(&head_tree(&clone)).unwrap_err();
        assert!(matches!(problem, Problem::IncompleteClone { kind: "partial", .. }));
    }

    #[test]
    fn writes_do_not_reach_the_user_object_store() {
        let test = TestRepository::new();
        test.write("file", b"content").commit("one");
        let objects_before = test.count_objects();
        let (_dir, store) = create_store(&test);
        let changes = [("new".into(), Some(FileState::regular(*b"new")))].into();
        let tree = store.write_tree(&TreeEdit { base: head_tree(&test), changes }).unwrap();
        assert_eq!(store.read_tree(&tree).unwrap().len(), 2);
        assert_eq!(test.count_objects(), objects_before);
    }

    #[test]
    fn existing_store_is_reopened() {
        let test = TestRepository::new();
        test.write("file", b"content").commit("one");
        let (dir, first) = create_store(&test);
        drop(first);
        let reopened = ObjectStore::create(&dir.path().join("store"), Some(&test.open())).unwrap();
        assert_eq!(reopened.read_tree(&head_tree(&test)).unwrap().len(), 1);
    }
}
