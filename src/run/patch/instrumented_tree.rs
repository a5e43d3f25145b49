//! Runs tests on an instrumented copy of a version.

use mend_engine::Execution;
use mend_git::ObjectStore;
use mend_model::{FileState, RepoPath, Result, TreeEdit, TreeId};
use std::collections::BTreeMap;
use std::path::Path;

/// Instrumented files that replace those of a version, and the file to which the tests write records.
pub(crate) struct InstrumentedTree<'a> {
    pub(crate) files: BTreeMap<RepoPath, String>,
    pub(crate) output: &'a Path,
}

impl InstrumentedTree<'_> {
    /// Runs the tests on the copy. Returns the recorded text, which is empty if the copy does not compile.
    pub(crate) fn run(
        self,
        store: &ObjectStore,
        base: &TreeId,
        run_tests: impl FnOnce(&TreeId) -> Result<Execution>,
    ) -> Result<(Execution, String)> {
        drop(std::fs::remove_file(self.output));
        let state = |text: String| Some(FileState::regular(text.into_bytes()));
        let changes = self.files.into_iter().map(|(path, text)| (path, state(text))).collect();
        let tree = store.write_tree(&TreeEdit { base: base.clone(), changes })?;
        let execution = run_tests(&tree)?;
        let text = std::fs::read(self.output).unwrap_or_default();
        Ok((execution, String::from_utf8_lossy(&text).into_owned()))
    }
}
