//! Runs tests on a copy of a version that records what the tests execute.

use mend_engine::Execution;
use mend_git::Store;
use mend_model::{FileState, RepoPath, Result, TreeEdit, TreeId};
use std::collections::BTreeMap;
use std::path::Path;

/// Files that go over those of a version, and where what they say is written.
pub(super) struct Watched<'a> {
    pub(super) files: BTreeMap<RepoPath, String>,
    pub(super) output: &'a Path,
}

impl Watched<'_> {
    /// Has the tests run, and gives what was written; that is nothing if the copy does not build.
    pub(super) fn run(
        self,
        store: &Store,
        base: &TreeId,
        test: impl FnOnce(&TreeId) -> Result<Execution>,
    ) -> Result<(Execution, String)> {
        drop(std::fs::remove_file(self.output));
        let state = |text: String| Some(FileState::regular(text.into_bytes()));
        let changes = self.files.into_iter().map(|(path, text)| (path, state(text))).collect();
        let tree = store.write(&TreeEdit { base: base.clone(), changes })?;
        let execution = test(&tree)?;
        let text = std::fs::read(self.output).unwrap_or_default();
        Ok((execution, String::from_utf8_lossy(&text).into_owned()))
    }
}
