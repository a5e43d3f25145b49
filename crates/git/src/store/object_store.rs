//! The run's own object database: it borrows the user's objects and takes every new one.

use crate::clone_state::CloneState;
use crate::oid::ToOid;
use crate::program::failure;
use crate::{Git, Repository, clone_state};
use mend_model::BlobId;
use mend_model::{FileMode, FileState, Problem, RepoPath, Result, TreeId};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// A bare repository inside the run folder. What it reads comes from the user's repository through
/// alternates; what is written stays here. Threads may share it.
pub struct ObjectStore {
    dir: PathBuf,
    completeness: CloneState,
    handle: Mutex<git2::Repository>,
}

/// The right to borrow a store's objects.
#[derive(Clone, Debug)]
pub struct Alternates {
    dir: PathBuf,
    is_partial: bool,
}

/// One file of a tree, without its content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeEntry {
    /// Kind and permission.
    pub mode: FileMode,
    /// Its content; a submodule's commit.
    pub id: BlobId,
}

impl ObjectStore {
    /// Makes the store in `dir`, or takes up the one that an earlier run left there. Without a repository
    /// it starts empty.
    ///
    /// # Errors
    /// [`Problem::DiskFull`] and other failures to write.
    pub fn create(dir: &Path, repository: Option<&Repository>) -> Result<Self> {
        let fault =
            |error: git2::Error| failure(error.into(), "making the object store", dir.into());
        git2::Repository::init_bare(dir).map_err(fault)?;
        let dir = dir.canonicalize().map_err(|error| Problem::io(error, dir))?;
        if let Some(repository) = repository {
            borrow_objects(&dir, repository.objects())?;
            write(&dir.join("packed-refs"), &repository.packed_tags()?)?;
            let boundary = repository.completeness().boundary_file();
            if !boundary.is_empty() {
                write(&dir.join("shallow"), boundary.as_bytes())?;
            }
        }
        let handle = git2::Repository::open_bare(&dir)
            .map_err(|error| failure(error.into(), "opening the object store", dir.clone()))?;
        let completeness = repository.map(|one| one.completeness().clone()).unwrap_or_default();
        Ok(Self { dir, completeness, handle: Mutex::new(handle) })
    }

    /// The bare repository's folder.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Returns the alternates that let another repository borrow this store's objects.
    pub fn loan(&self) -> Alternates {
        Alternates { dir: self.dir.clone(), is_partial: self.completeness.is_partial() }
    }

    /// Every file below a tree; a submodule is one entry.
    ///
    /// # Errors
    /// [`Problem::IncompleteClone`] if a partial clone lacks part of the tree.
    pub fn read_tree(&self, tree: &TreeId) -> Result<BTreeMap<RepoPath, TreeEntry>> {
        self.with_repository(|git| {
            let mut entries = BTreeMap::new();
            let root = git.find_tree(tree.oid()?)?;
            collect(git, &root, &RepoPath::from(""), &mut entries)?;
            Ok(entries)
        })
    }

    /// The bytes of a file as git has them.
    ///
    /// # Errors
    /// [`Problem::IncompleteClone`] if a partial clone lacks them.
    pub fn read_blob(&self, id: &BlobId) -> Result<Arc<[u8]>> {
        self.with_repository(|git| Ok(git.find_blob(id.oid()?)?.content().into()))
    }

    /// One file of a tree; `None` if there is none at this path.
    ///
    /// # Errors
    /// [`Problem::IncompleteClone`] if a partial clone lacks it.
    pub fn file(&self, tree: &TreeId, path: &RepoPath) -> Result<Option<FileState>> {
        self.with_repository(|git| {
            let (mut folder, mut parts) =
                (git.find_tree(tree.oid()?)?, path.components().peekable());
            while let Some((id, bits)) = parts.next().and_then(|part| entry(&folder, part)) {
                match (file_mode(bits), parts.peek()) {
                    (Some(mode), None) => return state(git, mode, id).map(Some),
                    (None, Some(_)) => folder = git.find_tree(id)?,
                    _ => break,
                }
            }
            Ok(None)
        })
    }

    /// Does something with libgit2's handle; its errors become problems.
    pub(crate) fn with_repository<T>(
        &self,
        action: impl FnOnce(&git2::Repository) -> Result<T, git2::Error>,
    ) -> Result<T> {
        let handle = self.handle.lock().unwrap_or_else(PoisonError::into_inner);
        action(&handle).map_err(|error| self.problem(error))
    }

    pub(crate) fn problem(&self, error: git2::Error) -> Problem {
        let is_missing = error.code() == git2::ErrorCode::NotFound;
        if is_missing && self.completeness.is_partial() {
            return clone_state::partial();
        }
        failure(error.into(), "reading objects", self.dir.clone())
    }

    /// A call of git on the store.
    pub(crate) fn git(&self) -> Git {
        Git::for_git_dir(&self.dir)
    }
}

impl Alternates {
    /// Makes the repository `git_dir` borrow the store's objects, and know the user's tags and where a
    /// shallow history ends.
    ///
    /// # Errors
    /// [`Problem::DiskFull`] and other failures to write.
    pub fn give_to(&self, git_dir: &Path) -> Result<()> {
        borrow_objects(git_dir, [self.dir.join("objects")])?;
        for name in ["packed-refs", "shallow"] {
            let (from, to) = (self.dir.join(name), git_dir.join(name));
            if from.exists() {
                fs::copy(from, &to).map_err(|error| Problem::io(error, to))?;
            }
        }
        Ok(())
    }

    /// Why a checkout of borrowed objects failed: those of a partial clone may be missing.
    pub fn explain(&self, problem: Problem) -> Problem {
        match problem {
            Problem::Internal(_) if self.is_partial => clone_state::partial(),
            other => other,
        }
    }
}

/// An object and its mode bits, as a folder lists them.
pub(crate) type EntryId = (git2::Oid, i32);

/// The entry of a folder with this name. libgit2 cannot be asked for names that git could not keep.
pub(crate) fn entry(folder: &git2::Tree<'_>, name: &[u8]) -> Option<EntryId> {
    let found = if name.contains(&0) { None } else { folder.get_name_bytes(name) };
    found.map(|entry| (entry.id(), entry.filemode()))
}

fn borrow_objects(git_dir: &Path, folders: impl IntoIterator<Item = PathBuf>) -> Result<()> {
    let line = |folder: PathBuf| [folder.as_os_str().as_encoded_bytes(), b"\n"].concat();
    let lines: Vec<u8> = folders.into_iter().flat_map(line).collect();
    write(&git_dir.join("objects/info/alternates"), &lines)
}

fn write(path: &Path, content: &[u8]) -> Result<()> {
    let parent = path.parent().unwrap_or(path);
    fs::create_dir_all(parent)
        .and_then(|()| fs::write(path, content))
        .map_err(|error| Problem::io(error, path))
}

fn collect(
    git: &git2::Repository,
    tree: &git2::Tree<'_>,
    at: &RepoPath,
    into: &mut BTreeMap<RepoPath, TreeEntry>,
) -> Result<(), git2::Error> {
    for entry in tree {
        let path = at.join(&RepoPath::new(entry.name_bytes()));
        match file_mode(entry.filemode()) {
            Some(mode) => {
                into.insert(path, TreeEntry { mode, id: BlobId(entry.id().to_string()) });
            }
            None => collect(git, &git.find_tree(entry.id())?, &path, into)?,
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

/// The file behind an entry.
pub(crate) fn state(
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

    fn store(test: &TestRepository) -> (tempfile::TempDir, ObjectStore) {
        let dir = tempfile::tempdir().unwrap();
        let store = ObjectStore::create(&dir.path().join("store"), Some(&test.open())).unwrap();
        (dir, store)
    }

    fn head(test: &TestRepository) -> TreeId {
        test.open().resolve("HEAD").unwrap().tree
    }

    #[test]
    fn every_kind_of_file_is_read() {
        let test = TestRepository::new();
        test.write("dir/plain", b"p\r\n").write("run.sh", b"r");
        symlink("dir/plain", test.path().join("link")).unwrap();
        test.git(&["add", "-A"]);
        test.git(&["update-index", "--chmod=+x", "run.sh"]);
        let commit = "1234567890123456789012345678901234567890";
        test.git(&["update-index", "--add", "--cacheinfo", &format!("160000,{commit},sub")]);
        test.git(&["commit", "-m", "one"]);
        let (_dir, store) = store(&test);
        let modes: Vec<_> = store
            .read_tree(&head(&test))
            .unwrap()
            .into_iter()
            .map(|(path, entry)| (path.to_string(), entry.mode))
            .collect();
        let wanted = [
            ("dir/plain", FileMode::Regular),
            ("link", FileMode::Symlink),
            ("run.sh", FileMode::Executable),
            ("sub", FileMode::Submodule),
        ];
        assert_eq!(modes, wanted.map(|(path, mode)| (path.to_owned(), mode)));
        let file = |path: &str| store.file(&head(&test), &path.into()).unwrap();
        assert_eq!(file("dir/plain"), Some(FileState::regular(*b"p\r\n")));
        assert_eq!(&*file("link").unwrap().content, b"dir/plain");
        assert_eq!(&*file("sub").unwrap().content, commit.as_bytes());
    }

    #[test]
    fn neither_a_folder_nor_nothing_nor_a_file_s_inside_is_a_file() {
        let test = TestRepository::new();
        test.write("dir/plain", b"p").commit("one");
        let (_dir, store) = store(&test);
        for path in ["dir", "none", "dir/none", "dir/plain/deeper", ""] {
            assert_eq!(store.file(&head(&test), &path.into()).unwrap(), None, "{path}");
        }
    }

    #[test]
    fn a_partial_clone_says_what_it_lacks_and_the_remedy_brings_it() {
        let test = TestRepository::new();
        test.write("file", b"content").commit("one");
        let clone = test.clone_with(&["--filter=blob:none"]);
        let (_dir, lacking) = store(&clone);
        let problem = lacking.file(&head(&clone), &"file".into()).unwrap_err();
        assert!(matches!(problem, Problem::IncompleteClone { kind: "partial", .. }));
        let remedy = problem.remedy();
        clone.git(&remedy.split(' ').skip(1).collect::<Vec<_>>());
        let (_dir, whole) = store(&clone);
        assert!(whole.file(&head(&clone), &"file".into()).unwrap().is_some());
    }

    #[test]
    fn a_clone_without_trees_says_what_it_lacks() {
        let test = TestRepository::new();
        test.write("dir/file", b"content").commit("one");
        let clone = test.clone_with(&["--filter=tree:0"]);
        let (_dir, store) = store(&clone);
        let problem = store.read_tree(&head(&clone)).unwrap_err();
        assert!(matches!(problem, Problem::IncompleteClone { kind: "partial", .. }));
        let problem = clone.open().has_submodules(&head(&clone)).unwrap_err();
        assert!(matches!(problem, Problem::IncompleteClone { kind: "partial", .. }));
    }

    #[test]
    fn what_is_written_stays_out_of_the_user_s_database() {
        let test = TestRepository::new();
        test.write("file", b"content").commit("one");
        let before = test.objects();
        let (_dir, store) = store(&test);
        let changes = [("new".into(), Some(FileState::regular(*b"new")))].into();
        let tree = store.write(&TreeEdit { base: head(&test), changes }).unwrap();
        assert_eq!(store.read_tree(&tree).unwrap().len(), 2);
        assert_eq!(test.objects(), before);
    }

    #[test]
    fn a_store_is_taken_up_again() {
        let test = TestRepository::new();
        test.write("file", b"content").commit("one");
        let (dir, first) = store(&test);
        drop(first);
        let again = ObjectStore::create(&dir.path().join("store"), Some(&test.open())).unwrap();
        assert_eq!(again.read_tree(&head(&test)).unwrap().len(), 1);
    }
}
