//! Patches and fixes, with their evidence.

use crate::run_folder::result::RunResult;
use crate::view::{FixView, RunArtifacts, fix_views};

/// Patch and its size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SizedPatch {
    /// Path of the patch in the run folder.
    pub file: String,
    /// Unified diff.
    pub text: String,
    /// Number of deleted and inserted tokens, if known.
    pub tokens: Option<usize>,
}

/// Fix, with its evidence.
#[derive(Clone, Debug)]
pub struct FixSummary {
    /// Patch of the fix.
    pub patch: SizedPatch,
    /// Rationale and evidence of a fix found by `git mend fix`. A fix that reverts a part of the change has none.
    pub(crate) found_fix: Option<FixView>,
    /// True if it reverts a part of the culprit commit and nothing else.
    pub(crate) reverts_culprit: bool,
}

impl FixSummary {
    /// Returns the rationale of the fix, if `git mend fix` found it.
    pub fn rationale(&self) -> Option<&str> {
        self.found_fix.as_ref().map(|repair| repair.rationale.as_str())
    }
}

/// Returns the recommended fixes that have a patch, best first.
pub(crate) fn found_fixes(
    artifacts: &RunArtifacts<'_>,
    patch: &dyn Fn(&str, Option<usize>) -> SizedPatch,
) -> Vec<FixSummary> {
    let fix_summary = |repair: FixView| {
        let patch = patch(repair.patch.as_deref()?, repair.tokens);
        Some(FixSummary { patch, found_fix: Some(repair), reverts_culprit: false })
    };
    let recommended = fix_views(artifacts).into_iter().filter(|view| view.is_recommended);
    recommended.filter_map(fix_summary).collect()
}

/// Returns the fix that reverts a part of the searched change.
pub(crate) fn reverting_fix(
    result: &RunResult,
    load_patch: &dyn Fn(&str, Option<usize>) -> SizedPatch,
) -> Option<FixSummary> {
    let fix = result.fix.as_ref()?;
    let reverts_culprit =
        result.culprit_commit.as_ref().is_some_and(|culprit| fix.commits == [culprit.as_str()]);
    let patch = load_patch(&fix.patch, Some(fix.tokens));
    Some(FixSummary { patch, found_fix: None, reverts_culprit })
}
