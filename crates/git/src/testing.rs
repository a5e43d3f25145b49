//! Repositories for tests.

use super::{Git, Repository};
use std::fs;
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

/// A repository in a temporary folder, on branch `main`.
pub(crate) struct TestRepository(TempDir);

impl TestRepository {
    pub(crate) fn new() -> Self {
        let test = Self(tempfile::tempdir().unwrap());
        test.git(&["init", "-b", "main"]);
        test
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn open(&self) -> Repository {
        Repository::open_in_folder(self.path()).unwrap()
    }

    /// Runs git here with a fixed author and fixed dates, and returns its output.
    pub(crate) fn git(&self, args: &[&str]) -> String {
        let mut command = Command::new("git");
        command.current_dir(self.path()).args(["-c", "protocol.file.allow=always"]).args(args);
        for role in ["AUTHOR", "COMMITTER"] {
            command
                .env(format!("GIT_{role}_NAME"), "Ann Author")
                .env(format!("GIT_{role}_EMAIL"), "ann@example.org")
                .env(format!("GIT_{role}_DATE"), "2024-02-03T04:05:06+0100");
        }
        let output = command.env("GIT_CONFIG_GLOBAL", "/dev/null").output().unwrap();
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }

    /// Writes a file of the work tree.
    pub(crate) fn write(&self, path: impl AsRef<Path>, content: &[u8]) -> &Self {
        let path = self.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
        self
    }

    /// Commits all files of the work tree.
    pub(crate) fn commit(&self, message: &str) {
        self.git(&["add", "-A", "-f"]);
        self.git(&["commit", "-m", message]);
    }

    /// Clones it with these options and without checkout.
    pub(crate) fn clone_with(&self, options: &[&str]) -> Self {
        let clone = Self(tempfile::tempdir().unwrap());
        self.git(&["config", "uploadpack.allowFilter", "true"]);
        let source_url = format!("file://{}", self.path().display());
        let target = clone.path().to_str().unwrap();
        self.git(&[&["clone", "--no-checkout"], options, &[&source_url, target]].concat());
        clone
    }

    /// Returns the number of objects in its database.
    pub(crate) fn count_objects(&self) -> String {
        Git::for_git_dir(&self.path().join(".git"))
            .args(["count-objects", "-v"])
            .stdout_text()
            .unwrap()
    }
}
