//! The user's repository: its folders, its kind, and read access. It is never written to.

use super::Git;
use crate::clone_state;
use crate::clone_state::CloneState;
use anyhow::Context;
use mend_model::{Problem, Result, TreeId};
use std::fs;
use std::path::{Path, PathBuf};

/// The user's repository. The git program reads its history, because only git supports every kind of clone; files are
/// read through a [`super::ObjectStore`].
#[derive(Debug)]
pub struct Repository {
    /// Git folder of this work tree, which contains its `HEAD`.
    work_tree_git_dir: PathBuf,
    git_dir: PathBuf,
    work_tree: Option<PathBuf>,
    clone_state: CloneState,
    /// An additional folder of objects.
    extra_objects: Option<PathBuf>,
}

impl Repository {
    /// Opens the repository that contains `dir`.
    ///
    /// # Errors
    /// [`Problem::NotARepository`], [`Problem::UnsupportedRepository`], [`Problem::ProgramMissing`].
    pub fn open(dir: &Path) -> Result<Self> {
        let work_tree_git_dir = git2::Repository::discover_path(dir, [] as [&Path; 0])
            .map_err(|_| Problem::NotARepository(dir.to_path_buf()))?;
        let work_tree_git_dir = canonical(&work_tree_git_dir)?;
        let git_dir = read_common_dir(&work_tree_git_dir)?;
        let config = git2::Config::open(&git_dir.join("config"))
            .with_context(|| format!("reading the settings of {}", git_dir.display()))?;
        check_supported(&config)?;
        Ok(Self {
            work_tree: find_work_tree(dir)?,
            clone_state: CloneState::read(&git_dir, &config)?,
            work_tree_git_dir,
            git_dir,
            extra_objects: None,
        })
    }

    /// Adds a folder of objects outside the repository.
    #[must_use]
    pub fn with_extra_objects(self, objects: Option<&Path>) -> Self {
        Self { extra_objects: objects.map(Path::to_owned), ..self }
    }

    /// Returns all object folders.
    pub(super) fn object_dirs(&self) -> impl Iterator<Item = PathBuf> {
        std::iter::once(self.git_dir.join("objects")).chain(self.extra_objects.clone())
    }

    /// Returns the git folder of this work tree.
    pub(super) fn work_tree_git_dir(&self) -> &Path {
        &self.work_tree_git_dir
    }

    /// Returns the git folder that all work trees of the repository share (`.git`).
    pub fn git_dir(&self) -> &Path {
        &self.git_dir
    }

    /// Returns the root of the opened work tree; `None` for a bare repository.
    pub fn work_tree(&self) -> Option<&Path> {
        self.work_tree.as_deref()
    }

    /// Returns true if tracked files differ from the last commit.
    ///
    /// # Errors
    /// [`Problem::IncompleteClone`] if a partial clone lacks objects of the commit.
    pub fn is_dirty(&self) -> Result<bool> {
        let Some(work_dir) = &self.work_tree else { return Ok(false) };
        let status = Git::in_work_tree(&self.work_tree_git_dir, work_dir).args([
            "status",
            "--porcelain",
            "-z",
            "--untracked-files=no",
        ]);
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

    /// Returns the content of a regular file in a tree, if it exists.
    ///
    /// # Errors
    /// [`Problem::IncompleteClone`] if a partial clone lacks it.
    pub fn read_file(&self, tree: &TreeId, path: &str) -> Result<Option<Vec<u8>>> {
        let listing = self.run_reading(self.git().args(["ls-tree", "-z", &tree.0, "--", path]))?;
        let listing = String::from_utf8_lossy(&listing);
        let file =
            ["100644 blob ", "100755 blob "].iter().find_map(|kind| listing.strip_prefix(kind));
        let Some((blob, _)) = file.and_then(|rest| rest.split_once('\t')) else { return Ok(None) };
        self.run_reading(self.git().args(["cat-file", "blob", blob])).map(Some)
    }

    /// Returns true if a tree contains submodules.
    ///
    /// # Errors
    /// [`Problem::IncompleteClone`] if a partial clone lacks part of the tree.
    pub fn has_submodules(&self, tree: &TreeId) -> Result<bool> {
        let listing = self.run_reading(self.git().args(["ls-tree", "-r", "-z", &tree.0]))?;
        Ok(listing.split(|byte| *byte == 0).any(|entry| entry.starts_with(b"160000 ")))
    }

    /// Creates a call of git on this repository.
    pub(super) fn git(&self) -> Git {
        let git = Git::for_git_dir(&self.work_tree_git_dir);
        match &self.extra_objects {
            Some(objects) => git.env("GIT_ALTERNATE_OBJECT_DIRECTORIES", objects),
            None => git,
        }
    }

    pub(super) fn clone_state(&self) -> &CloneState {
        &self.clone_state
    }

    /// Runs a call that fails only if objects are missing, and returns its output.
    pub(super) fn run_reading(&self, call: Git) -> Result<Vec<u8>> {
        call.stdout().map_err(|problem| match problem {
            Problem::Internal(_) if self.clone_state.is_partial() => {
                clone_state::partial_clone_problem()
            }
            other => other,
        })
    }
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

fn check_supported(config: &git2::Config) -> Result<()> {
    let refuse = |what: &str, remedy: &str| {
        Err(Problem::UnsupportedRepository { what: what.into(), remedy: remedy.into() })
    };
    let setting = |name: &str| config.get_string(name).unwrap_or_default().to_ascii_lowercase();
    if setting("extensions.objectformat") == "sha256" {
        return refuse(
            "names its objects by SHA-256",
            "pass the two versions as plain folders with --good and --bad",
        );
    }
    if setting("extensions.refstorage").starts_with("reftable") {
        return refuse(
            "keeps its references in a reftable",
            "convert a copy of it with `git refs migrate --ref-format=files`",
        );
    }
    Ok(())
}

fn find_work_tree(dir: &Path) -> Result<Option<PathBuf>> {
    let answer = Git::in_folder(dir).args(["rev-parse", "--show-toplevel"]).output()?;
    if answer.stderr.contains("dubious ownership") {
        return Err(Problem::UnsupportedRepository {
            what: "belongs to another user".into(),
            remedy: format!("git config --global --add safe.directory '{}'", dir.display()),
        });
    }
    let bytes = answer.stdout.strip_suffix(b"\n").unwrap_or(&answer.stdout);
    let path = bstr::ByteSlice::to_path(bytes).ok();
    Ok(path.filter(|_| answer.is_success()).map(Path::to_path_buf))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::TestRepository;

    /// Returns the error and the help line for a repository with an extension, which git itself may not support.
    fn open_with_extension(extension: &str) -> (String, String) {
        let test = TestRepository::new();
        let config = test.path().join(".git/config");
        let config_text = fs::read_to_string(&config).unwrap();
        let config_text =
            config_text.replace("repositoryformatversion = 0", "repositoryformatversion = 1");
        fs::write(&config, format!("{config_text}[extensions]\n\t{extension}\n")).unwrap();
        let problem = Repository::open(test.path()).unwrap_err();
        assert!(matches!(problem, Problem::UnsupportedRepository { .. }));
        (problem.to_string(), problem.remedy())
    }

    #[test]
    fn folder_outside_a_repository_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        assert!(matches!(Repository::open(dir.path()), Err(Problem::NotARepository(_))));
    }

    #[test]
    fn sha_256_is_refused_with_a_remedy() {
        let (message, remedy) = open_with_extension("objectformat = sha256");
        assert!(message.contains("SHA-256"));
        assert!(remedy.contains("--good"));
    }

    #[test]
    fn reftable_is_refused_with_a_remedy() {
        let (message, remedy) = open_with_extension("refstorage = reftable");
        assert!(message.contains("reftable"));
        assert!(remedy.contains("migrate"));
    }

    #[test]
    fn repository_is_found_from_a_subfolder() {
        let test = TestRepository::new();
        test.write("deep/er/file", b"x").commit("one");
        let repository = Repository::open(&test.path().join("deep/er")).unwrap();
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
        let repository = Repository::open(&linked).unwrap();
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
        let repository = Repository::open(&bare).unwrap();
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

    #[test]
    fn submodule_is_detected() {
        let test = TestRepository::new();
        test.write("file", b"x").commit("one");
        let repository = test.open();
        let head = repository.resolve("HEAD").unwrap();
        assert!(!repository.has_submodules(&head.tree).unwrap());
        let entry = format!("160000,{},sub", head.id);
        test.git(&["update-index", "--add", "--cacheinfo", &entry]);
        test.git(&["commit", "-m", "two"]);
        let head = repository.resolve("HEAD").unwrap();
        assert!(repository.has_submodules(&head.tree).unwrap());
    }
}
