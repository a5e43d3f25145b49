//! Patches and fixes, with their evidence.

use crate::run_folder::result::RunResult;
use crate::view::{FixView, RunArtifacts, repairs};

/// Patch and its size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SizedPatch {
    /// The file in the run folder.
    pub file: String,
    /// The unified diff.
    pub text: String,
    /// Number of deleted and inserted tokens, if known.
    pub tokens: Option<usize>,
}

/// Fix, with its evidence.
#[derive(Clone, Debug)]
pub struct FixSummary {
    /// The patch.
    pub part: SizedPatch,
    /// Rationale and evidence of a fix found by `git mend fix`. A fix that reverts the culprit has none.
    pub(crate) repair: Option<FixView>,
}

impl FixSummary {
    /// Returns the rationale of the fix, if `git mend fix` found it.
    pub fn rationale(&self) -> Option<&str> {
        self.repair.as_ref().map(|repair| repair.why.as_str())
    }
}

/// Returns the fixes that have a patch, best first.
pub(crate) fn mendings(
    material: &RunArtifacts<'_>,
    part: &dyn Fn(&str, Option<usize>) -> SizedPatch,
) -> Vec<FixSummary> {
    let mending = |repair: FixView| {
        let part = part(repair.patch.as_deref()?, repair.tokens);
        Some(FixSummary { part, repair: Some(repair) })
    };
    repairs(material).into_iter().filter_map(mending).collect()
}

/// Returns the fix that reverts the culprit.
pub(crate) fn undoing(
    result: &RunResult,
    part: &dyn Fn(&str, Option<usize>) -> SizedPatch,
) -> Option<FixSummary> {
    let fix = result.fix.as_ref()?;
    Some(FixSummary { part: part(&fix.patch, Some(fix.tokens)), repair: None })
}
