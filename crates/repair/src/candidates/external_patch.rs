//! Patches of an external generator as candidates.

use super::candidate::{FixOperator, LocatedCandidate};
use crate::localisation::suspect::SuspiciousStatement;
use mend_java::facts::{FileNode, NodeIndex};
use mend_java::{Candidate, Code, Edit};
use mend_model::RepoPath;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// Patch of an external generator.
#[derive(Clone, Debug)]
pub struct ExternalPatch {
    /// First changed file.
    pub path: RepoPath,
    /// First changed line.
    pub line: u32,
    /// Edits of existing files.
    pub edits: BTreeMap<RepoPath, Vec<Edit>>,
    /// One-line description.
    pub description: String,
    /// Score among the candidates.
    pub score: f64,
}

/// Locator of patches: finds the method and the suspicious statement that a patch changes.
#[derive(Clone, Debug, Default)]
pub struct PatchLocator {
    methods: BTreeMap<RepoPath, Vec<(Range<usize>, NodeIndex)>>,
    statements: BTreeMap<RepoPath, Vec<(Range<usize>, FileNode)>>,
}

impl PatchLocator {
    /// Records the places of all methods and of the suspicious statements.
    pub fn new(main: &[(RepoPath, Code<'_>)], suspects: &[SuspiciousStatement]) -> Self {
        let mut locator = Self::default();
        for (path, code) in main {
            let methods: BTreeSet<NodeIndex> =
                code.statements().filter_map(|id| code.enclosing_method(id)).collect();
            let places = methods.into_iter().map(|method| (code.bytes(method), method));
            locator.methods.insert(path.clone(), places.collect());
        }
        for suspect in suspects {
            let Some((path, code)) = main.get(suspect.file) else { continue };
            let place = (code.bytes(suspect.statement), (suspect.file, suspect.statement));
            locator.statements.entry(path.clone()).or_default().push(place);
        }
        locator
    }

    /// Converts a patch to a candidate.
    pub fn locate(&self, patch: ExternalPatch) -> LocatedCandidate {
        let ExternalPatch { path, line, edits, description, score } = patch;
        let first = edits.get(&path).and_then(|edits| edits.first()).map(|edit| edit.bytes.0);
        let method = first.and_then(|at| innermost(&self.methods, &path, at));
        let statement = first.and_then(|at| innermost(&self.statements, &path, at));
        let change = Candidate { edits, operator: FixOperator::External, description, score };
        LocatedCandidate { change, path, line, statement, method, overfitting: None }
    }
}

/// Returns the smallest place in a file that contains an offset.
fn innermost<T: Copy>(
    places: &BTreeMap<RepoPath, Vec<(Range<usize>, T)>>,
    path: &RepoPath,
    offset: usize,
) -> Option<T> {
    let inside = places.get(path)?.iter().filter(|(bytes, _)| bytes.contains(&offset));
    inside.min_by_key(|(bytes, _)| bytes.len()).map(|(_, place)| *place)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patch_belongs_to_the_smallest_place_around_its_first_edit() {
        let path = RepoPath::from("A.java");
        let locator = PatchLocator {
            methods: [(path.clone(), vec![(0..100, 1), (20..60, 2)])].into(),
            statements: [(path.clone(), vec![(30..40, (0, 7))])].into(),
        };
        let locate = |offset: usize| {
            let edits = [(path.clone(), vec![Edit::insert(offset, "x")])].into();
            let description = String::new();
            let candidate = locator.locate(ExternalPatch {
                path: path.clone(),
                line: 1,
                edits,
                description,
                score: 1.0,
            });
            (candidate.method, candidate.statement)
        };
        assert_eq!(locate(35), (Some(2), Some((0, 7))));
        assert_eq!(locate(10), (Some(1), None));
        assert_eq!(locate(200), (None, None));
    }
}
