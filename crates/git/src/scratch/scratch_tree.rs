//! Scratch tree: a worker's folder in which variants are built and tested.

use super::folder_removal;
use crate::{Alternates, Git, ObjectStore, write_problem};
use mend_model::CommitId;
use mend_model::{Problem, Result, TreeId, is_disk_full};
use mend_process::ProgramOutput;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Content of `HEAD` if no commit is checked out.
const UNBORN_HEAD: &str = "ref: refs/heads/trial\n";

/// A folder with a git repository that borrows the objects of the run's store. The user's repository does not refer to
/// it.
#[derive(Debug)]
pub struct ScratchTree {
    dir: PathBuf,
    git_dir: PathBuf,
    alternates: Alternates,
}

/// Result of applying a patch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ApplyStatus {
    /// The patch was applied completely.
    Applied,
    /// Nothing of the patch was applied.
    Rejected {
        /// The error message of git.
        reason: String,
    },
}

impl ScratchTree {
    /// Creates the folder, or reuses an existing one.
    ///
    /// # Errors
    /// [`Problem::DiskFull`] and other failures to write.
    pub fn create(dir: &Path, store: &ObjectStore) -> Result<Self> {
        fs::create_dir_all(dir).map_err(|error| Problem::io(error, dir))?;
        let dir = dir.canonicalize().map_err(|error| Problem::io(error, dir))?;
        let tree = Self { git_dir: dir.join(".git"), dir, alternates: store.alternates() };
        tree.init_repository()?;
        Ok(tree)
    }

    /// Returns the root of the work tree.
    pub fn path(&self) -> &Path {
        &self.dir
    }

    /// Makes the tracked files equal to `tree`, regardless of the last trial. Unchanged files are not touched, and
    /// untracked ones are kept. `HEAD` is detached at `head`.
    ///
    /// The store must have the whole tree ([`ObjectStore::complete_tree`]).
    ///
    /// # Errors
    /// [`Problem::UnreadableRepository`] if some files are missing or damaged; [`Problem::DiskFull`].
    pub fn checkout(&self, tree: &TreeId, head: Option<&CommitId>) -> Result<()> {
        if self.detach_head(head).is_ok()
            && let output = self.read_tree_command(tree).output()?
            && succeeded_silently(&output)
        {
            return self.check_out_submodules();
        }
        self.recreate()?;
        self.detach_head(head)?;
        self.read_tree_command(tree)
            .stdout()
            .map_err(|problem| self.alternates.explain_failure(tree, problem))?;
        self.check_out_submodules()
    }

    fn check_out_submodules(&self) -> Result<()> {
        let submodules = self.alternates.submodules();
        if submodules.is_empty() {
            return Ok(());
        }
        submodules.check_out(self.git(), &self.dir, &self.git_dir)
    }

    /// Removes all untracked files, including ignored ones.
    ///
    /// # Errors
    /// [`Problem::Internal`] if a file cannot be removed.
    pub fn clean(&self) -> Result<()> {
        let clean = || self.git().args(["clean", "-ffdxq"]);
        if succeeded_silently(&clean().output()?) {
            return Ok(());
        }
        folder_removal::make_writable(&self.dir)?;
        clean().stdout()?;
        Ok(())
    }

    /// Removes the folder with its content.
    ///
    /// # Errors
    /// [`Problem::Internal`] if a file cannot be removed.
    pub fn remove(self) -> Result<()> {
        folder_removal::remove_folder(&self.dir)
    }

    /// Applies a patch to the current files.
    ///
    /// # Errors
    /// [`Problem::ProgramMissing`], [`Problem::DiskFull`]; a patch that does not apply is no error.
    pub fn apply(&self, patch: &Path) -> Result<ApplyStatus> {
        let patch = std::path::absolute(patch).map_err(|error| Problem::io(error, patch))?;
        let has_submodules = !self.alternates.submodules().is_empty();
        // Only the index says which commit of a submodule a patch asks for.
        let index_option = has_submodules.then_some("--index");
        let git = self.git().args(["apply", "--whitespace=nowarn"]).args(index_option);
        let answer = git.arg(patch).output()?;
        if answer.is_success() {
            self.check_out_submodules()?;
            return Ok(ApplyStatus::Applied);
        }
        if is_disk_full(&self.dir) {
            return Err(Problem::DiskFull { path: self.dir.clone() });
        }
        Ok(ApplyStatus::Rejected { reason: answer.stderr })
    }

    fn git(&self) -> Git {
        Git::in_work_tree(&self.git_dir, &self.dir)
    }

    fn read_tree_command(&self, tree: &TreeId) -> Git {
        self.git().args(["read-tree", "--reset", "-u", &tree.0])
    }

    fn init_repository(&self) -> Result<()> {
        git2::Repository::init(&self.dir).map_err(|error| {
            write_problem(error.into(), "making a scratch tree", self.dir.clone())
        })?;
        self.alternates.write_to(&self.git_dir)?;
        self.alternates.checkout_settings().write_to(&self.git_dir)
    }

    /// Sets `HEAD`, and removes the lock file that a killed git of the last trial may have left.
    fn detach_head(&self, head: Option<&CommitId>) -> Result<()> {
        let lock = self.git_dir.join("index.lock");
        match fs::remove_file(&lock) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                return Err(Problem::io(error, lock));
            }
            _ => {}
        }
        let content = head.map_or_else(|| UNBORN_HEAD.to_owned(), |id| format!("{id}\n"));
        let path = self.git_dir.join("HEAD");
        fs::write(&path, content).map_err(|error| Problem::io(error, path))
    }

    /// Deletes and creates the folder again.
    fn recreate(&self) -> Result<()> {
        folder_removal::remove_folder(&self.dir)?;
        fs::create_dir_all(&self.dir).map_err(|error| Problem::io(error, &self.dir))?;
        self.init_repository()
    }
}

/// Returns true if git succeeded without a warning: it only warns if it cannot remove a file.
fn succeeded_silently(output: &ProgramOutput) -> bool {
    output.is_success() && output.stderr.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Repository;
    use crate::testing::TestRepository;
    use mend_model::{FileMode, FileState, RepoPath, TreeEdit};
    use mend_process::Program;
    use std::ffi::OsStr;
    use std::fs::Permissions;
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

    struct Case {
        user: TestRepository,
        _dir: tempfile::TempDir,
        store: ObjectStore,
        scratch: ScratchTree,
    }

    impl Case {
        fn for_repository(user: TestRepository) -> Self {
            let dir = tempfile::tempdir().unwrap();
            let store = ObjectStore::create(&dir.path().join("store"), Some(&user.open())).unwrap();
            let scratch = ScratchTree::create(&dir.path().join("work/1"), &store).unwrap();
            Self { user, _dir: dir, store, scratch }
        }

        /// Creates a repository with one commit of these files.
        fn with_files(files: &[(&str, &[u8])]) -> Self {
            let user = TestRepository::new();
            for (path, content) in files {
                user.write(path, content);
            }
            user.commit("one");
            Self::for_repository(user)
        }

        fn repository(&self) -> Repository {
            self.user.open()
        }

        fn head_tree(&self) -> TreeId {
            self.repository().resolve("HEAD").unwrap().tree
        }

        fn write_edited_tree(&self, changes: &[(&str, Option<FileState>)]) -> TreeId {
            let changes = changes.iter().map(|(path, state)| ((*path).into(), state.clone()));
            self.store
                .write_tree(&TreeEdit { base: self.head_tree(), changes: changes.collect() })
                .unwrap()
        }

        fn checkout(&self, tree: &TreeId) {
            self.scratch.checkout(tree, None).unwrap();
        }

        fn path(&self, path: &str) -> PathBuf {
            self.scratch.path().join(path)
        }

        /// Returns the files of the folder as a tree.
        fn import_scratch_files(&self) -> TreeId {
            self.store.import_folder(self.scratch.path()).unwrap()
        }
    }

    fn file(content: &[u8]) -> FileState {
        FileState::regular(content)
    }

    #[test]
    fn checkout_makes_files_equal_the_tree() {
        let case = Case::with_files(&[("a", b"1"), ("dir/b", b"2"), ("dir/c", b"3")]);
        let link = FileState { mode: FileMode::Symlink, content: (*b"a").into() };
        let executable = FileState { mode: FileMode::Executable, content: (*b"run").into() };
        let changes =
            [("dir", None), ("dir/b", None), ("dir/c", Some(link)), ("new/d", Some(executable))];
        for tree in [
            case.head_tree(),
            case.write_edited_tree(&changes),
            case.write_edited_tree(&[("a", None)]),
            case.head_tree(),
        ] {
            case.checkout(&tree);
            assert_eq!(case.import_scratch_files(), tree);
        }
    }

    #[test]
    fn checkout_leaves_unchanged_files_untouched() {
        let case = Case::with_files(&[("a", b"1"), ("b", b"1")]);
        case.checkout(&case.head_tree());
        let before = fs::metadata(case.path("a")).unwrap();
        case.checkout(&case.write_edited_tree(&[("b", Some(file(b"2")))]));
        let after = fs::metadata(case.path("a")).unwrap();
        assert_eq!((before.ino(), before.mtime_nsec()), (after.ino(), after.mtime_nsec()));
    }

    #[test]
    fn checkout_reverts_changes_to_tracked_files() {
        let case =
            Case::with_files(&[("changed", b"1"), ("gone", b"2"), ("dir/file", b"3"), ("x", b"4")]);
        case.checkout(&case.head_tree());
        fs::write(case.path("changed"), b"2").unwrap();
        fs::remove_file(case.path("gone")).unwrap();
        fs::remove_dir_all(case.path("dir")).unwrap();
        let elsewhere = tempfile::tempdir().unwrap();
        symlink(elsewhere.path(), case.path("dir")).unwrap();
        fs::remove_file(case.path("x")).unwrap();
        fs::create_dir_all(case.path("x/full")).unwrap();
        fs::write(case.path("x/full/file"), "").unwrap();
        fs::write(case.scratch.git_dir.join("index.lock"), "").unwrap();
        case.checkout(&case.head_tree());
        assert_eq!(case.import_scratch_files(), case.head_tree());
        assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 0);
    }

    #[test]
    fn checkout_recreates_a_destroyed_repository() {
        let case = Case::with_files(&[("a", b"1")]);
        for removed in ["", "index", "objects"] {
            case.checkout(&case.head_tree());
            let removed_path = case.scratch.git_dir.join(removed);
            fs::remove_dir_all(&removed_path)
                .or_else(|_| fs::write(&removed_path, "no index"))
                .unwrap();
            fs::write(case.path("a"), "changed").unwrap();
            case.checkout(&case.head_tree());
            assert_eq!(case.import_scratch_files(), case.head_tree(), "{removed}");
        }
    }

    #[test]
    fn checkout_and_clean_handle_read_only_folders() {
        let case = Case::with_files(&[("dir/a", b"1"), ("dir/b", b"2")]);
        case.checkout(&case.head_tree());
        fs::create_dir(case.path("built")).unwrap();
        fs::write(case.path("built/file"), "").unwrap();
        for dir in ["dir", "built"] {
            fs::set_permissions(case.path(dir), Permissions::from_mode(0o500)).unwrap();
        }
        let tree = case.write_edited_tree(&[("dir/a", None), ("dir/b", Some(file(b"3")))]);
        case.checkout(&tree);
        case.scratch.clean().unwrap();
        assert_eq!(case.import_scratch_files(), tree);
    }

    #[test]
    fn clean_removes_untracked_ignored_and_nested_repositories() {
        let case = Case::with_files(&[(".gitignore", b"*.class\n"), ("a", b"1")]);
        case.checkout(&case.head_tree());
        fs::write(case.path("A.class"), "").unwrap();
        fs::write(case.path("untracked"), "").unwrap();
        git2::Repository::init(case.path("nested/repository")).unwrap();
        case.scratch.clean().unwrap();
        assert_eq!(case.import_scratch_files(), case.head_tree());
        assert!(!case.path("nested").exists());
    }

    #[test]
    fn user_repository_is_unchanged() {
        let user = TestRepository::new();
        user.write("a", b"1").commit("one");
        let hook = user.path().join(".git/hooks/post-checkout");
        user.write(&hook, b"#!/bin/sh\ntouch hooked\n");
        fs::set_permissions(&hook, Permissions::from_mode(0o755)).unwrap();
        let repository_state = |user: &TestRepository| {
            let git_calls = ["worktree list", "status --porcelain", "for-each-ref", "stash list"];
            let outputs = git_calls.map(|call| user.git(&call.split(' ').collect::<Vec<_>>()));
            (outputs, user.count_objects(), fs::read(user.path().join(".git/index")).unwrap())
        };
        let state_before = repository_state(&user);
        let case = Case::for_repository(user);
        case.checkout(&case.write_edited_tree(&[("b", Some(file(b"new")))]));
        fs::write(case.path("untracked"), "").unwrap();
        case.scratch.clean().unwrap();
        assert_eq!(repository_state(&case.user), state_before);
        assert!(!case.path("hooked").exists());
    }

    /// Runs git in a scratch tree as a build would: it must not find a repository above.
    fn program(scratch: &ScratchTree, name: &str) -> Program {
        let above = scratch.dir.parent().unwrap();
        Program::new(name).cwd(&scratch.dir).env("GIT_CEILING_DIRECTORIES", above)
    }

    fn output(program: Program) -> String {
        let ProgramOutput { stdout, stderr, .. } = program.output().unwrap();
        String::from_utf8(stdout).unwrap() + &stderr
    }

    #[test]
    fn build_sees_head_commit_and_tags() {
        let user = TestRepository::new();
        user.write("a", b"1").commit("one");
        user.git(&["tag", "-a", "-m", "first", "v1"]);
        user.write("a", b"2").commit("two");
        let case = Case::for_repository(user);
        let commit = case.repository().resolve("HEAD").unwrap();
        case.scratch.checkout(&commit.tree, Some(&commit.id)).unwrap();
        let script = "git describe --long; git log --format=%s; git status --porcelain";
        let finished = output(program(&case.scratch, "sh").args(["-c", script]));
        let expected = format!("v1-1-g{}\ntwo\none\n", &commit.id.0[..7]);
        assert_eq!(finished, expected);
    }

    #[test]
    fn build_in_shallow_clone_sees_the_boundary() {
        let user = TestRepository::new();
        user.write("a", b"1").commit("one");
        user.write("a", b"2").commit("two");
        let case = Case::for_repository(user.clone_with(&["--depth", "1"]));
        let commit = case.repository().resolve("HEAD").unwrap();
        case.scratch.checkout(&commit.tree, Some(&commit.id)).unwrap();
        let log = output(program(&case.scratch, "git").args(["log", "--format=%s"]));
        assert_eq!(log, "two\n");
    }

    #[test]
    fn git_in_destroyed_tree_finds_no_outer_repository() {
        let user = TestRepository::new();
        user.write("a", b"1").commit("one");
        let store =
            ObjectStore::create(&user.path().join(".git/run/store"), Some(&user.open())).unwrap();
        let scratch = ScratchTree::create(&user.path().join(".git/run/trees/1"), &store).unwrap();
        fs::remove_dir_all(&scratch.git_dir).unwrap();
        let log = output(program(&scratch, "git").arg("log"));
        assert!(log.contains("not a git repository"), "{log}");
    }

    #[test]
    fn checkout_of_a_completed_partial_clone_has_all_files() {
        let user = TestRepository::new();
        user.write("a", b"1").commit("one");
        let case = Case::for_repository(user.clone_with(&["--filter=blob:none"]));
        case.store.complete_tree(&case.head_tree()).unwrap();
        case.checkout(&case.head_tree());
        assert_eq!(case.import_scratch_files(), case.head_tree());
    }

    #[test]
    fn checkout_reports_a_missing_file_with_git_message() {
        let user = TestRepository::new();
        user.write("a", b"1").commit("one");
        let blob = user.git(&["rev-parse", "HEAD:a"]);
        let (folder, name) = blob.split_at(2);
        fs::remove_file(user.path().join(".git/objects").join(folder).join(name)).unwrap();
        let case = Case::for_repository(user);
        let problem = case.scratch.checkout(&case.head_tree(), None).unwrap_err();
        assert!(matches!(problem, Problem::UnreadableRepository { .. }), "{problem}");
        assert!(problem.to_string().contains(&blob), "{problem}");
    }

    #[test]
    fn checkout_obeys_line_end_settings_of_the_user_repository() {
        let user = TestRepository::new();
        user.write("a.txt", b"one\n").write("b.txt", b"two\n").commit("one");
        user.git(&["config", "core.autocrlf", "true"]);
        user.write(".git/info/attributes", b"b.txt -text\n");
        let case = Case::for_repository(user);
        case.checkout(&case.head_tree());
        assert_eq!(fs::read(case.path("a.txt")).unwrap(), b"one\r\n");
        assert_eq!(fs::read(case.path("b.txt")).unwrap(), b"two\n");
        assert_ne!(case.store.checkout_fingerprint(), "");
    }

    #[test]
    fn lfs_pointers_are_not_smudged() {
        let pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n";
        let case = Case::with_files(&[("big.bin", pointer)]);
        let attributes = Some(file(b"*.bin filter=lfs diff=lfs merge=lfs -text\n"));
        let tree = case.write_edited_tree(&[(".gitattributes", attributes)]);
        case.checkout(&tree);
        assert_eq!(fs::read(case.path("big.bin")).unwrap(), pointer);
    }

    #[test]
    fn checkout_obeys_eol_attributes() {
        let case = Case::with_files(&[("plain", b"one\ntwo\n"), ("raw", b"one\r\n")]);
        let attributes = Some(file(b"plain text eol=crlf\nraw -text\n"));
        case.checkout(&case.write_edited_tree(&[(".gitattributes", attributes)]));
        assert_eq!(fs::read(case.path("plain")).unwrap(), b"one\r\ntwo\r\n");
        assert_eq!(fs::read(case.path("raw")).unwrap(), b"one\r\n");
    }

    #[test]
    fn non_utf8_file_name_is_checked_out() {
        let case = Case::with_files(&[("a", b"1")]);
        let path = RepoPath::new(&b"\xe4.java"[..]);
        let changes = [(path, Some(file(b"x")))].into();
        let tree = case.store.write_tree(&TreeEdit { base: case.head_tree(), changes }).unwrap();
        case.checkout(&tree);
        assert!(case.scratch.path().join(OsStr::from_bytes(b"\xe4.java")).exists());
        assert_eq!(case.import_scratch_files(), tree);
    }

    #[test]
    fn patch_turns_one_tree_into_the_other() {
        let long: Vec<u8> = (0..200).flat_map(|n| format!("line {n}\n").into_bytes()).collect();
        let case = Case::with_files(&[
            ("binary", b"\0\x01\x02"),
            ("crlf", b"one\r\ntwo\r\n"),
            ("no-newline", b"end"),
            ("old name", &long),
            ("latin", b"caf\xe9\n"),
            ("run", b"#!/bin/sh\n"),
            ("gone", b"gone\n"),
        ]);
        let executable =
            FileState { mode: FileMode::Executable, content: (*b"#!/bin/sh\n").into() };
        let link = FileState { mode: FileMode::Symlink, content: (*b"run").into() };
        let tree = case.write_edited_tree(&[
            ("binary", Some(file(b"\0\x03"))),
            ("crlf", Some(file(b"one\r\n2\r\n"))),
            ("no-newline", Some(file(b"end\n"))),
            ("old name", None),
            ("new \"name\"", Some(file(&[&long[..], b"more\n"].concat()))),
            ("latin", Some(file(b"caf\xe9 \xe8\n"))),
            ("run", Some(executable)),
            ("link", Some(link)),
            ("gone", None),
            ("empty", Some(file(b""))),
        ]);
        let dir = tempfile::tempdir().unwrap();
        let patch = dir.path().join("a.patch");
        let text = case.store.write_patch(&case.head_tree(), &tree).unwrap();
        assert!(String::from_utf8_lossy(&text).contains("rename from old name"));
        fs::write(&patch, text).unwrap();
        case.checkout(&case.head_tree());
        assert_eq!(case.scratch.apply(&patch).unwrap(), ApplyStatus::Applied);
        assert_eq!(case.import_scratch_files(), tree);
    }

    #[test]
    fn unfitting_patch_is_rejected_atomically() {
        let case = Case::with_files(&[("a", b"1\n"), ("b", b"1\n")]);
        let changed_tree =
            case.write_edited_tree(&[("a", Some(file(b"2\n"))), ("b", Some(file(b"2\n")))]);
        let dir = tempfile::tempdir().unwrap();
        let patch = dir.path().join("a.patch");
        fs::write(&patch, case.store.write_patch(&case.head_tree(), &changed_tree).unwrap())
            .unwrap();
        let unfitting_tree = case.write_edited_tree(&[("b", Some(file(b"3\n")))]);
        case.checkout(&unfitting_tree);
        let applied = case.scratch.apply(&patch).unwrap();
        assert!(matches!(applied, ApplyStatus::Rejected { reason } if reason.contains("b:1")));
        assert_eq!(case.import_scratch_files(), unfitting_tree);
    }
}
