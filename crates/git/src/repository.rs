//! The user's repository: its folders, its kind, and read access. It is never written to.

use super::Git;
use crate::clone_state::CloneState;
use crate::download_policy::DownloadPolicy;
use crate::location::RepositoryLocation;
use crate::partial_clone::PartialClone;
use crate::program::unreadable_problem;
use mend_model::{Problem, Result, TreeId};
use std::path::{Path, PathBuf};
use std::sync::{PoisonError, RwLock};

/// The user's repository. The git program reads its history, because only git supports every kind of clone; files are
/// read through a [`super::ObjectStore`].
#[derive(Debug)]
pub struct Repository {
    location: RepositoryLocation,
    /// Changes when a shallow clone gets more history.
    clone_state: RwLock<CloneState>,
    /// An additional folder of objects.
    extra_objects: Option<PathBuf>,
    /// Folder for the objects that a partial clone lacks and that were downloaded.
    downloaded_objects: PathBuf,
    download_policy: DownloadPolicy,
}

impl Repository {
    /// Opens the repository of a user's call in `dir`: the one in `GIT_DIR`, or else the one that contains `dir`.
    ///
    /// # Errors
    /// [`Problem::NotARepository`], [`Problem::UnsupportedRepository`], [`Problem::UnreadableRepository`],
    /// [`Problem::ProgramMissing`].
    pub fn open(dir: &Path) -> Result<Self> {
        Self::at(RepositoryLocation::find(dir, Git::in_user_environment)?)
    }

    /// Opens the repository that contains `dir`, regardless of `GIT_DIR`.
    ///
    /// # Errors
    /// Those of [`Self::open`].
    pub fn open_in_folder(dir: &Path) -> Result<Self> {
        Self::at(RepositoryLocation::find(dir, Git::in_folder)?)
    }

    fn at(location: RepositoryLocation) -> Result<Self> {
        check_supported(&location.git_dir)?;
        Ok(Self {
            clone_state: RwLock::new(CloneState::read(&location.git_dir)?),
            downloaded_objects: location.git_dir.join("mend/objects"),
            location,
            extra_objects: None,
            download_policy: DownloadPolicy::default(),
        })
    }

    /// Sets what may be downloaded, and the folder of downloaded objects.
    #[must_use]
    pub fn with_downloads(self, policy: DownloadPolicy, objects: &Path) -> Self {
        Self { download_policy: policy, downloaded_objects: objects.to_owned(), ..self }
    }

    /// Adds a folder of objects outside the repository.
    #[must_use]
    pub fn with_extra_objects(self, objects: Option<&Path>) -> Self {
        Self { extra_objects: objects.map(Path::to_owned), ..self }
    }

    /// Returns all object folders.
    pub(super) fn object_dirs(&self) -> Vec<PathBuf> {
        let own = self.git_dir().join("objects");
        let downloaded = self.partial_clone().map(|clone| clone.objects_dir().to_owned());
        [own].into_iter().chain(self.extra_objects.clone()).chain(downloaded).collect()
    }

    /// Returns the git folder of this work tree.
    pub(super) fn work_tree_git_dir(&self) -> &Path {
        &self.location.work_tree_git_dir
    }

    /// Returns the git folder that all work trees of the repository share (`.git`).
    pub fn git_dir(&self) -> &Path {
        &self.location.git_dir
    }

    /// Returns the root of the opened work tree; `None` for a bare repository.
    pub fn work_tree(&self) -> Option<&Path> {
        self.location.work_tree.as_deref()
    }

    /// Returns a setting of the user or of the repository, if it has a value.
    ///
    /// # Errors
    /// [`Problem::ProgramMissing`] if there is no git program.
    pub fn read_setting(&self, name: &str) -> Result<Option<String>> {
        let git = Git::with_user_settings(self.work_tree_git_dir(), self.git_dir());
        let value = git.args(["config", "--get", name]).output()?.stdout;
        let value = String::from_utf8_lossy(&value).trim().to_owned();
        Ok(Some(value).filter(|value| !value.is_empty()))
    }

    /// Returns true if tracked files differ from the last commit.
    ///
    /// # Errors
    /// Those of [`Self::read_file`].
    pub fn is_dirty(&self) -> Result<bool> {
        let Some(work_dir) = self.work_tree() else { return Ok(false) };
        let status = self.with_objects(Git::in_work_tree(self.work_tree_git_dir(), work_dir));
        let status =
            status.args(["status", "--porcelain", "-z", "--untracked-files=no", "--no-renames"]);
        Ok(!self.run_reading(status)?.is_empty())
    }

    /// Returns the fetch URL of a remote; `None` if there is no remote of this name.
    ///
    /// # Errors
    /// [`Problem::ProgramMissing`] if there is no git program.
    pub fn remote_url(&self, name: &str) -> Result<Option<String>> {
        let answer = self.git().args(["remote", "get-url", name]).output()?;
        let url = String::from_utf8_lossy(&answer.stdout).trim().to_owned();
        Ok(Some(url).filter(|url| answer.is_success() && !url.is_empty()))
    }

    /// Returns the default branch of a remote, if the clone knows it.
    ///
    /// # Errors
    /// [`Problem::ProgramMissing`] if there is no git program.
    pub fn remote_default_branch(&self, remote: &str) -> Result<Option<String>> {
        let reference = format!("refs/remotes/{remote}/HEAD");
        let answer =
            self.git().args(["symbolic-ref", "--quiet", "--short", &reference]).output()?;
        let branch = String::from_utf8_lossy(&answer.stdout);
        Ok(branch.trim().strip_prefix(&format!("{remote}/")).map(str::to_owned))
    }

    /// Returns the content of a regular file in a tree, if it exists.
    ///
    /// # Errors
    /// [`Problem::UnreadableRepository`], and those of downloading it in a partial clone.
    pub fn read_file(&self, tree: &TreeId, path: &str) -> Result<Option<Vec<u8>>> {
        let listing = self.run_reading(self.git().args(["ls-tree", "-z", &tree.0, "--", path]))?;
        let listing = String::from_utf8_lossy(&listing);
        let file =
            ["100644 blob ", "100755 blob "].iter().find_map(|kind| listing.strip_prefix(kind));
        let Some((blob, _)) = file.and_then(|rest| rest.split_once('\t')) else { return Ok(None) };
        self.run_reading(self.git().args(["cat-file", "blob", blob])).map(Some)
    }

    /// Creates a call of git on this repository.
    pub(super) fn git(&self) -> Git {
        self.with_objects(Git::for_git_dir(self.work_tree_git_dir()))
    }

    /// Adds the objects outside the repository to a call, and replaced commits as the user's git shows them. In a
    /// partial clone, the call may download missing objects.
    fn with_objects(&self, git: Git) -> Git {
        let git = git.with_replaced_objects();
        let Some(clone) = self.partial_clone() else {
            let Some(objects) = &self.extra_objects else { return git };
            return git.env("GIT_ALTERNATE_OBJECT_DIRECTORIES", objects);
        };
        clone.lend_objects(git, self.extra_objects.as_deref())
    }

    /// Returns how to get the objects that a partial clone lacks; `None` for a complete clone.
    pub(super) fn partial_clone(&self) -> Option<PartialClone> {
        let remotes = self.promisor_remotes();
        (!remotes.is_empty()).then(|| PartialClone {
            git_dir: self.git_dir().to_owned(),
            remotes,
            objects_dir: self.downloaded_objects.clone(),
            policy: self.download_policy.clone(),
        })
    }

    pub(super) fn clone_state(&self) -> CloneState {
        self.clone_state.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Reads the state of the clone again after a fetch.
    pub(super) fn reload_clone_state(&self) -> Result<()> {
        let state = CloneState::read(self.git_dir())?;
        *self.clone_state.write().unwrap_or_else(PoisonError::into_inner) = state;
        Ok(())
    }

    /// Returns the remotes that have the objects a partial clone lacks; none for a complete clone.
    pub fn promisor_remotes(&self) -> Vec<String> {
        self.clone_state().promisor_remotes().to_vec()
    }

    /// Returns true if the clone lacks history or files.
    pub fn is_incomplete(&self) -> bool {
        let state = self.clone_state();
        state.is_shallow() || !state.promisor_remotes().is_empty()
    }

    pub(super) fn download_policy(&self) -> &DownloadPolicy {
        &self.download_policy
    }

    /// Runs a call that fails only if objects cannot be read, and returns its output.
    pub(super) fn run_reading(&self, call: Git) -> Result<Vec<u8>> {
        let output = call.output()?;
        if output.is_success() {
            return Ok(output.stdout);
        }
        Err(self.reading_problem(&output.stderr))
    }

    /// Returns the problem behind a failed call that only reads.
    pub(super) fn reading_problem(&self, stderr: &str) -> Problem {
        match self.partial_clone() {
            Some(clone) if stderr.contains("promisor remote") => clone.download_problem(stderr),
            _ => unreadable_problem(stderr),
        }
    }
}

/// Refuses a repository whose objects libgit2 cannot read.
fn check_supported(git_dir: &Path) -> Result<()> {
    let format = Git::for_git_dir(git_dir).args(["config", "--get", "extensions.objectFormat"]);
    let format = format.output()?.stdout;
    if !format.trim_ascii().eq_ignore_ascii_case(b"sha256") {
        return Ok(());
    }
    Err(Problem::UnsupportedRepository {
        what: "names its objects by SHA-256".to_owned(),
        remedy: "pass the two versions as plain folders with --good and --bad".to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::TestRepository;

    #[test]
    fn folder_outside_a_repository_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        assert!(matches!(Repository::open_in_folder(dir.path()), Err(Problem::NotARepository(_))));
    }

    #[test]
    fn sha_256_is_refused_with_a_remedy() {
        let test = TestRepository::new();
        test.git(&["init", "--object-format=sha256", "sha256"]);
        let problem = Repository::open_in_folder(&test.path().join("sha256")).unwrap_err();
        assert!(matches!(problem, Problem::UnsupportedRepository { .. }));
        assert!(problem.to_string().contains("SHA-256"), "{problem}");
        assert!(problem.remedy().contains("--good"));
    }

    #[test]
    fn unknown_repository_extension_is_refused_with_git_message() {
        let test = TestRepository::new();
        test.git(&["config", "core.repositoryFormatVersion", "1"]);
        test.git(&["config", "extensions.holograms", "true"]);
        let problem = Repository::open_in_folder(test.path()).unwrap_err();
        assert!(matches!(problem, Problem::UnsupportedRepository { .. }), "{problem}");
        assert!(problem.to_string().contains("holograms"), "{problem}");
        assert!(problem.remedy().contains("install a git"));
    }

    #[test]
    fn repository_is_found_from_a_subfolder() {
        let test = TestRepository::new();
        test.write("deep/er/file", b"x").commit("one");
        let repository = Repository::open_in_folder(&test.path().join("deep/er")).unwrap();
        let root = test.path().canonicalize().unwrap();
        assert_eq!(repository.work_tree().unwrap().canonicalize().unwrap(), root);
        assert_eq!(repository.git_dir(), root.join(".git"));
    }

    #[test]
    fn linked_work_tree_uses_the_common_git_dir() {
        let test = TestRepository::new();
        test.write("file", b"x").commit("one");
        let linked = tempfile::tempdir().unwrap();
        let linked = linked.path().join("linked");
        test.git(&["worktree", "add", linked.to_str().unwrap()]);
        let repository = Repository::open_in_folder(&linked).unwrap();
        assert_eq!(repository.git_dir(), test.path().canonicalize().unwrap().join(".git"));
        assert_eq!(repository.resolve("HEAD").unwrap().summary, "one");
    }

    #[test]
    fn a_bare_repository_has_no_work_tree_and_is_never_dirty() {
        let test = TestRepository::new();
        test.write("file", b"x").commit("one");
        let bare = tempfile::tempdir().unwrap();
        let bare = bare.path().join("bare.git");
        test.git(&["clone", "--bare", ".", bare.to_str().unwrap()]);
        let repository = Repository::open_in_folder(&bare).unwrap();
        assert_eq!(repository.work_tree(), None);
        assert!(!repository.is_dirty().unwrap());
    }

    #[test]
    fn only_tracked_changes_make_it_dirty() {
        let test = TestRepository::new();
        test.write("file", b"x").commit("one");
        test.write("untracked", b"y");
        assert!(!test.open().is_dirty().unwrap());
        test.write("file", b"changed");
        assert!(test.open().is_dirty().unwrap());
    }
}
