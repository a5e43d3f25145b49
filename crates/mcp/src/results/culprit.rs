//! Result of `find_culprit`.

use super::found_patch::FoundPatch;
use mend_report::{RunStatus, SavedRun};
use schemars::JsonSchema;
use serde::Serialize;

/// Result of the search for a culprit
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct CulpritResult {
    /// True if what `goal` asks for was found
    found: bool,
    /// Failure to reproduce
    symptom: Option<String>,
    /// First bad commit
    culprit_commit: Option<CulpritCommit>,
    /// Commits of which one is the culprit, if those between them could not be tested
    suspects: Vec<String>,
    /// Result of reverting the culprit commit on top of `bad`
    revert: Option<Revert>,
    /// Minimal culprit: the smallest part of the change that breaks the test
    culprit: Option<FoundPatch>,
    /// Further culprits, each of which breaks the test alone
    other_culprits: Vec<FoundPatch>,
    /// Minimal fix of `bad`
    fix: Option<FoundPatch>,
    /// True if the patches were verified on a clean checkout with a full build
    verified: bool,
    /// Findings in words
    messages: Vec<String>,
}

/// A commit
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct CulpritCommit {
    /// Full id
    id: String,
    /// Name and email address
    author: Option<String>,
    /// Date
    date: Option<String>,
    /// First line of the message
    summary: Option<String>,
}

/// Result of a revert
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct Revert {
    /// True if it has no conflicts
    applies: bool,
    /// True if the tests pass with it
    passes: bool,
}

impl CulpritResult {
    pub(crate) fn read(run: &SavedRun) -> Self {
        let result = run.result();
        let info = result.culprit_info.as_ref();
        let culprit_commit = result.culprit_commit.as_ref().map(|id| CulpritCommit {
            id: id.clone(),
            author: info.map(|info| info.author.clone()),
            date: info.map(|info| info.date.clone()),
            summary: info.map(|info| info.summary.clone()),
        });
        let read_patch = |patch| FoundPatch::read(run, patch);
        Self {
            found: result.status == RunStatus::Found,
            symptom: result.symptom.clone(),
            culprit_commit,
            suspects: result.suspects.clone(),
            revert: result
                .revert
                .map(|revert| Revert { applies: revert.applies, passes: revert.passes }),
            culprit: result.culprit.as_ref().map(read_patch),
            other_culprits: result.others.iter().map(read_patch).collect(),
            fix: result.fix.as_ref().map(read_patch),
            verified: result.confirmed.as_ref().is_some_and(|confirmed| confirmed.fresh_build),
            messages: result.messages.clone(),
        }
    }
}
