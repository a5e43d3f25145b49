//! Result of `minimise_patch`.

use super::patches::{PatchVerdictKind, superfluous_lines, verdict_kind};
use mend_report::SavedRun;
use schemars::JsonSchema;
use serde::Serialize;
use std::path::PathBuf;

/// A minimised patch
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct MinimisedResult {
    /// Verdict on the whole patch; only a plausible one is minimised
    verdict: PatchVerdictKind,
    /// Reason for the verdict, one line
    reason: String,
    /// True if no part of the submitted patch can be omitted
    was_minimal: Option<bool>,
    /// Number of tokens of the submitted patch
    tokens_before: Option<usize>,
    /// Number of tokens of the minimised patch
    tokens_after: Option<usize>,
    /// File with the minimised patch, for `git apply`
    file: Option<PathBuf>,
    /// Minimised patch; if it ends with `…` it was cut, and only the file is complete
    diff: Option<String>,
    /// Changed lines of the submitted patch that are not needed
    superfluous: Vec<String>,
    /// True if the patch edits test code. These edits were ignored
    edits_tests: bool,
}

impl MinimisedResult {
    /// Reads the result; `None` if the patch was not judged yet.
    pub(crate) fn read(run: &SavedRun) -> Option<Self> {
        let patch = run.result().patches.first()?;
        let fix = run.result().fixes.first();
        let file = patch.patch.as_deref();
        Some(Self {
            verdict: verdict_kind(patch),
            reason: patch.reason.clone(),
            was_minimal: patch.minimal,
            tokens_before: patch.tokens,
            tokens_after: fix.and_then(|fix| fix.tokens),
            file: file.map(|file| run.path().join(file)),
            diff: file.map(|file| run.patch_text(file)),
            superfluous: superfluous_lines(run, patch),
            edits_tests: patch.edits_tests,
        })
    }
}
