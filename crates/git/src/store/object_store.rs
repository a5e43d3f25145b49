//! Object database of a run: borrows the objects of the user's repository, and stores all new ones.

use crate::checkout_settings::CheckoutSettings;
use crate::oid::ToOid;
use crate::partial_clone::PartialClone;
use crate::program::{unreadable_problem, write_problem};
use crate::store::required_objects::{CompleteTrees, RequiredObjects, find_missing_objects};
use crate::store::tree_entries::{file_mode, find_file, read_file_state};
use crate::{Git, Repository, Submodules};
use mend_model::BlobId;
use mend_model::{FileMode, FileState, Problem, RepoPath, Result, TreeId};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A bare repository inside the run folder. It reads objects of the user's repository through alternates; new objects
/// are written only here. Threads may share it.
pub struct ObjectStore {
    dir: PathBuf,
    /// Source of missing objects.
    partial_clone: Option<PartialClone>,
    checkout_settings: CheckoutSettings,
    submodules: Submodules,
    checkout_fingerprint: String,
    /// Trees of a partial clone without missing objects.
    complete_trees: Mutex<CompleteTrees>,
    repository: Mutex<git2::Repository>,
}

/// Access to a store's objects for another repository.
#[derive(Clone, Debug)]
pub struct Alternates {
    dir: PathBuf,
    checkout_settings: CheckoutSettings,
    submodules: Submodules,
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
        let partial_clone = repository.and_then(Repository::partial_clone);
        if let Some(partial_clone) = &partial_clone {
            partial_clone.create_objects_dir()?;
        }
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
        let checkout_settings =
            repository.map(CheckoutSettings::read).transpose()?.unwrap_or_default();
        let submodules = repository.map(Submodules::find).transpose()?.unwrap_or_default();
        Ok(Self {
            dir,
            partial_clone,
            checkout_fingerprint: checkout_settings.fingerprint() + &submodules.fingerprint()?,
            checkout_settings,
            submodules,
            complete_trees: Mutex::default(),
            repository: Mutex::new(handle),
        })
    }

    /// Returns the folder of the bare repository.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Returns the alternates that let another repository borrow this store's objects.
    pub fn alternates(&self) -> Alternates {
        Alternates {
            dir: self.dir.clone(),
            checkout_settings: self.checkout_settings.clone(),
            submodules: self.submodules.clone(),
        }
    }

    /// Returns the submodules whose files a checkout contains.
    pub fn submodules(&self) -> &Submodules {
        &self.submodules
    }

    /// Returns a text for cache keys, different where checkouts of the same tree may differ.
    pub fn checkout_fingerprint(&self) -> &str {
        &self.checkout_fingerprint
    }

    /// Returns all files below a tree; a submodule is one entry.
    ///
    /// # Errors
    /// [`Problem::UnreadableRepository`], and in a partial clone those of downloading what it lacks.
    pub fn read_tree(&self, tree: &TreeId) -> Result<BTreeMap<RepoPath, TreeEntry>> {
        self.read(RequiredObjects::Folders(tree), |git| {
            let mut entries = BTreeMap::new();
            let root = git.find_tree(tree.oid()?)?;
            collect_entries(git, &root, &RepoPath::from(""), &mut entries)?;
            Ok(entries)
        })
    }

    /// Returns the content of a file as stored in git.
    ///
    /// # Errors
    /// Those of [`Self::read_tree`].
    pub fn read_blob(&self, id: &BlobId) -> Result<Arc<[u8]>> {
        self.read(RequiredObjects::Blob(id), |git| Ok(git.find_blob(id.oid()?)?.content().into()))
    }

    /// Returns a file of a tree; `None` if there is none at this path.
    ///
    /// # Errors
    /// Those of [`Self::read_tree`].
    pub fn read_file(&self, tree: &TreeId, path: &RepoPath) -> Result<Option<FileState>> {
        self.read(RequiredObjects::File(tree, path), |git| {
            let file = find_file(git, tree.oid()?, path)?;
            file.map(|(id, mode)| read_file_state(git, mode, id)).transpose()
        })
    }

    /// Downloads the missing objects of a tree in a partial clone: one request for all folders, one for all files.
    ///
    /// # Errors
    /// Those of downloading.
    pub fn complete_tree(&self, tree: &TreeId) -> Result<()> {
        self.download_missing(RequiredObjects::Files(tree))
    }

    /// Runs an action that reads objects. Downloads those that a partial clone lacks, and has git explain a failure.
    pub(crate) fn read<T>(
        &self,
        required: RequiredObjects<'_>,
        action: impl FnOnce(&git2::Repository) -> Result<T, git2::Error>,
    ) -> Result<T> {
        self.download_missing(required)?;
        let result = action(&self.lock_repository());
        result.map_err(|error| {
            let check = required.check_command(self.git()).output();
            match check {
                Ok(output) if !output.is_success() => unreadable_problem(&output.stderr),
                _ => self.to_problem(error),
            }
        })
    }

    /// Downloads missing objects of a partial clone. This takes a few requests, because only downloaded folders list
    /// further missing objects.
    pub(crate) fn download_missing(&self, required: RequiredObjects<'_>) -> Result<()> {
        let Some(partial_clone) = &self.partial_clone else { return Ok(()) };
        let find_missing = || {
            let mut complete = self.complete_trees.lock().unwrap_or_else(PoisonError::into_inner);
            find_missing_objects(&self.lock_repository(), required, &mut complete)
                .map_err(|error| self.to_problem(error))
        };
        let mut missing = find_missing()?;
        while !missing.is_empty() {
            partial_clone.download(&missing)?;
            let still_missing = find_missing()?;
            if let Some(id) = still_missing.intersection(&missing).next() {
                return Err(partial_clone.download_problem(&format!("it sent no object {id}")));
            }
            missing = still_missing;
        }
        Ok(())
    }

    fn lock_repository(&self) -> MutexGuard<'_, git2::Repository> {
        self.repository.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs an action on the libgit2 repository, and converts its errors.
    pub(crate) fn with_repository<T>(
        &self,
        action: impl FnOnce(&git2::Repository) -> Result<T, git2::Error>,
    ) -> Result<T> {
        action(&self.lock_repository()).map_err(|error| self.to_problem(error))
    }

    fn to_problem(&self, error: git2::Error) -> Problem {
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

    /// Returns the problem behind a failed checkout of a tree: its objects may be damaged.
    pub(crate) fn explain_failure(&self, tree: &TreeId, problem: Problem) -> Problem {
        let check = RequiredObjects::Files(tree).check_command(Git::for_git_dir(&self.dir));
        match (problem, check.output()) {
            (Problem::Internal(_), Ok(output)) if !output.is_success() => {
                unreadable_problem(&output.stderr)
            }
            (problem, _) => problem,
        }
    }

    /// Returns the settings of the user's repository that change what a checkout writes.
    pub(crate) fn checkout_settings(&self) -> &CheckoutSettings {
        &self.checkout_settings
    }

    /// Returns the submodules whose files a checkout contains.
    pub(crate) fn submodules(&self) -> &Submodules {
        &self.submodules
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DownloadPolicy;
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
    fn partial_clone_downloads_missing_objects_outside_the_user_object_store() {
        let test = TestRepository::new();
        test.write("dir/file", b"content").write("other", b"x").commit("one");
        for filter in ["--filter=blob:none", "--filter=tree:0"] {
            let clone = test.clone_with(&[filter]);
            let objects_before = clone.count_objects();
            let (_dir, store) = create_store(&clone);
            let tree = head_tree(&clone);
            let file = store.read_file(&tree, &"dir/file".into()).unwrap();
            assert_eq!(file, Some(FileState::regular(*b"content")));
            assert_eq!(store.read_tree(&tree).unwrap().len(), 2);
            store.complete_tree(&tree).unwrap();
            let git_dir = clone.path().join(".git");
            assert_eq!(clone.count_objects(), objects_before);
            let packs = git_dir.join("mend/objects/pack").read_dir().unwrap().flatten();
            let packs = packs.filter(|file| file.path().extension().is_some_and(|e| e == "pack"));
            // One request for all folders and one for each set of files.
            assert!(packs.count() <= 3);
        }
    }

    #[test]
    fn offline_partial_clone_reports_missing_objects() {
        let test = TestRepository::new();
        test.write("dir/file", b"content").commit("one");
        let clone = test.clone_with(&["--filter=tree:0"]);
        let repository = clone.open();
        let policy = DownloadPolicy { is_offline: true, ..DownloadPolicy::default() };
        let objects = clone.path().join(".git/mend/objects");
        let repository = repository.with_downloads(policy, &objects);
        let dir = tempfile::tempdir().unwrap();
        let store = ObjectStore::create(dir.path(), Some(&repository)).unwrap();
        let tree = head_tree(&clone);
        for problem in [
            store.read_tree(&tree).unwrap_err(),
            repository.read_file(&tree, "dir/file").unwrap_err(),
        ] {
            assert!(
                matches!(problem, Problem::IncompleteClone { kind: "partial", .. }),
                "{problem}"
            );
        }
    }

    /// Removes the loose file of an object.
    fn remove_object(test: &TestRepository, name: &str) -> String {
        let id = test.git(&["rev-parse", name]);
        let (folder, file) = id.split_at(2);
        fs::remove_file(test.path().join(".git/objects").join(folder).join(file)).unwrap();
        id
    }

    #[test]
    fn missing_objects_are_reported_with_git_message() {
        let test = TestRepository::new();
        test.write("dir/file", b"content").commit("one");
        let tree = head_tree(&test);
        let blob = remove_object(&test, "HEAD:dir/file");
        let (_dir, store) = create_store(&test);
        let problem = store.read_file(&tree, &"dir/file".into()).unwrap_err();
        assert!(matches!(problem, Problem::UnreadableRepository { .. }), "{problem}");
        assert!(problem.to_string().contains(&blob), "{problem}");
        let folder = remove_object(&test, "HEAD:dir");
        let (_dir, store) = create_store(&test);
        let problem = store.read_tree(&tree).unwrap_err();
        assert!(matches!(problem, Problem::UnreadableRepository { .. }), "{problem}");
        assert!(problem.to_string().contains(&folder), "{problem}");
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
