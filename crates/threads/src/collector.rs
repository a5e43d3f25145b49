//! Collector of candidates, which merges equal ones.

use crate::evidence::bug_context::BugContext;
use crate::operator::{ConcurrencyCandidate, ConcurrencyOperator};
use mend_java::{Edit, apply_edits};
use mend_model::RepoPath;
use std::collections::BTreeMap;

/// Collected candidates without duplicates.
pub(super) struct CandidateCollector<'a> {
    pub(super) context: &'a BugContext<'a>,
    pub(super) candidates: Vec<ConcurrencyCandidate>,
}

/// Edits by file index.
pub(super) type EditsByFile = BTreeMap<usize, Vec<Edit>>;

impl CandidateCollector<'_> {
    /// Adds a candidate. Test files may only be edited to wait for threads or tasks.
    pub(super) fn add(
        &mut self,
        operator: ConcurrencyOperator,
        score: f64,
        edits: EditsByFile,
        description: String,
    ) {
        let by_path = |(file, mut edits): (usize, Vec<Edit>)| {
            edits.sort();
            edits.dedup();
            (self.context.files[file].path.clone(), edits)
        };
        let edits: BTreeMap<RepoPath, Vec<Edit>> =
            edits.into_iter().filter(|(_, edits)| !edits.is_empty()).map(by_path).collect();
        let is_applicable = self.context.files.iter().all(|file| {
            edits.get(&file.path).is_none_or(|edits| apply_edits(file.code.text, edits).is_some())
        });
        let is_allowed = operator == ConcurrencyOperator::Join
            || !self
                .context
                .files
                .iter()
                .any(|file| file.is_test && edits.contains_key(&file.path));
        match self.candidates.iter_mut().find(|known| known.edits == edits) {
            _ if edits.is_empty() || !is_applicable || !is_allowed => {}
            Some(known) => known.score = known.score.max(score),
            None => {
                self.candidates.push(ConcurrencyCandidate { edits, operator, description, score });
            }
        }
    }

    /// Adds a candidate for one file.
    pub(super) fn add_in(
        &mut self,
        file: usize,
        operator: ConcurrencyOperator,
        score: f64,
        edits: Vec<Edit>,
        description: String,
    ) {
        self.add(operator, score, [(file, edits)].into(), description);
    }
}
