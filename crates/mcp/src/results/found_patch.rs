//! A patch in a run folder.

use mend_report::{PatchResult, SavedRun};
use schemars::JsonSchema;
use serde::Serialize;
use std::path::PathBuf;

/// A patch that a run wrote
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct FoundPatch {
    /// File with the patch, for `git apply`
    pub(crate) file: PathBuf,
    /// Unified diff; if it ends with `…` it was cut, and only the file is complete
    pub(crate) diff: String,
    /// Number of tokens deleted plus inserted
    pub(crate) tokens: usize,
    /// Changed files
    pub(crate) files: Vec<String>,
    /// True if no single component of it can be omitted
    pub(crate) minimal: bool,
}

impl FoundPatch {
    /// Reads a patch of a bisection.
    pub(crate) fn read(run: &SavedRun, patch: &PatchResult) -> Self {
        Self {
            file: run.path().join(&patch.patch),
            diff: run.patch_text(&patch.patch),
            tokens: patch.tokens,
            files: patch.files.clone(),
            minimal: patch.minimal,
        }
    }
}
