//! Application of third-party patches to trees and to the work tree.

use crate::{Git, ObjectStore, Repository, write_problem};
use anyhow::Context as _;
use mend_model::{Problem, Result, TreeId};
use std::path::Path;

/// Options for the number of leading path components to strip, the usual one first.
const STRIP_OPTIONS: [&str; 2] = ["-p1", "-p0"];

/// Result of applying a patch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ApplyResult {
    /// The resulting tree.
    Tree(TreeId),
    /// Nothing was applied, for this reason from git.
    Rejected(String),
}

impl ObjectStore {
    /// Applies a unified diff to a tree, with or without git's prefixes `a/` and `b/`. Git rejects paths outside of the
    /// tree.
    ///
    /// # Errors
    /// [`Problem::ProgramMissing`], [`Problem::DiskFull`]; a patch that does not apply is no error.
    pub fn apply(&self, base: &TreeId, patch: &Path) -> Result<ApplyResult> {
        let patch = std::path::absolute(patch).map_err(|error| Problem::io(error, patch))?;
        self.complete_tree(base)?;
        let temp_dir = tempfile::Builder::new().prefix("apply-").tempdir_in(self.dir());
        let temp_dir = temp_dir.map_err(|error| Problem::io(error, self.dir()))?;
        let git = || self.git().with_index_file(&temp_dir.path().join("index"));
        git().args(["read-tree", &base.0]).stdout()?;
        let mut refusal = None;
        for strip_option in STRIP_OPTIONS {
            let output = apply_to_index(git(), strip_option, &patch).output()?;
            if output.is_success() {
                return Ok(ApplyResult::Tree(TreeId(
                    git().arg("write-tree").stdout_text()?.trim().to_owned(),
                )));
            }
            refusal.get_or_insert(output.stderr);
        }
        let reason = refusal.unwrap_or_default();
        match write_problem(anyhow::anyhow!("{reason}"), "git apply", self.dir().to_owned()) {
            full @ Problem::DiskFull { .. } => Err(full),
            _ => Ok(ApplyResult::Rejected(reason)),
        }
    }
}

impl Repository {
    /// Applies a unified diff completely or not at all to the user's work tree, on the user's request. The index is
    /// unchanged. Returns git's message if the patch does not apply.
    ///
    /// # Errors
    /// [`Problem::ProgramMissing`]; [`Problem::Internal`] if there is no work tree.
    pub fn apply_to_work_tree(&self, patch: &Path) -> Result<Option<String>> {
        let root = self.work_tree().context("a bare repository has no work tree")?;
        let git = Git::in_work_tree(self.work_tree_git_dir(), root);
        let answer = git.args(["apply", "--whitespace=nowarn"]).arg(patch).output()?;
        Ok((!answer.is_success()).then_some(answer.stderr))
    }
}

fn apply_to_index(git: Git, strip_option: &str, patch: &Path) -> Git {
    git.args(["apply", "--cached", "--whitespace=nowarn", strip_option]).arg(patch)
}

#[cfg(test)]
mod tests {
    use super::*;
    use mend_model::{FileState, TreeEdit};
    use tempfile::TempDir;

    struct Case {
        dir: TempDir,
        store: ObjectStore,
        base: TreeId,
    }

    impl Case {
        fn new() -> Self {
            let dir = tempfile::tempdir().unwrap();
            let store = ObjectStore::create(&dir.path().join("store"), None).unwrap();
            let folder = dir.path().join("files/src");
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(folder.join("A.java"), "one\ntwo\nthree\n").unwrap();
            let base = store.import_folder(&dir.path().join("files")).unwrap();
            Self { dir, store, base }
        }

        fn apply(&self, patch: &str) -> ApplyResult {
            let path = self.dir.path().join("x.patch");
            std::fs::write(&path, patch).unwrap();
            self.store.apply(&self.base, &path).unwrap()
        }

        fn expected_tree(&self, path: &str, text: &str) -> ApplyResult {
            let changes = [(path.into(), Some(FileState::regular(text.as_bytes())))].into();
            let edit = TreeEdit { base: self.base.clone(), changes };
            ApplyResult::Tree(self.store.write_tree(&edit).unwrap())
        }
    }

    const HUNK: &str = "@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n";

    #[test]
    fn patch_applies_with_and_without_path_prefixes() {
        let case = Case::new();
        let expected = case.expected_tree("src/A.java", "one\n2\nthree\n");
        for names in ["--- a/src/A.java\n+++ b/src/A.java\n", "--- src/A.java\n+++ src/A.java\n"] {
            assert_eq!(case.apply(&format!("{names}{HUNK}")), expected);
        }
    }

    #[test]
    fn bad_patches_are_rejected_with_git_message() {
        let case = Case::new();
        let names = "--- a/src/A.java\n+++ b/src/A.java\n";
        let new = "@@ -0,0 +1 @@\n+x\n";
        for (patch, words) in [
            (format!("{names}{}", HUNK.replace("two", "too")), "does not apply"),
            (format!("--- a/src/B.java\n+++ b/src/B.java\n{HUNK}"), "src/B.java"),
            (format!("--- /dev/null\n+++ b/../../out.txt\n{new}"), "invalid path"),
            (format!("--- /dev/null\n+++ b/.git/config\n{new}"), "invalid path"),
            ("no patch at all\n".to_owned(), "No valid patches"),
            (String::new(), ""),
        ] {
            let ApplyResult::Rejected(reason) = case.apply(&patch) else { panic!("{patch}") };
            assert!(reason.contains(words), "{reason}");
        }
    }
}
