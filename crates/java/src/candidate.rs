//! Candidate of a repair: edits that may fix a failure and are not verified yet.

use crate::Edit;
use mend_model::RepoPath;
use std::collections::BTreeMap;

/// Unverified change of the source that may fix a failure. `Operator` is the kind of the edit.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate<Operator> {
    /// Edits by file. Those of a file apply to the same text.
    pub edits: BTreeMap<RepoPath, Vec<Edit>>,
    /// Fix operator of the candidate.
    pub operator: Operator,
    /// One-line description of the edit and its reason.
    pub description: String,
    /// Score; higher is better.
    pub score: f64,
}

impl<Operator> Candidate<Operator> {
    /// Iterates over the edited files.
    pub fn edited_files(&self) -> impl Iterator<Item = (&RepoPath, &[Edit])> {
        self.edits.iter().map(|(path, edits)| (path, &edits[..]))
    }
}

/// Describes candidates that are applied together.
pub fn describe_candidates<'a, Operator: 'a>(
    candidates: impl IntoIterator<Item = &'a Candidate<Operator>>,
) -> String {
    let descriptions = candidates.into_iter().map(|one| one.description.as_str());
    descriptions.collect::<Vec<_>>().join("; ")
}
