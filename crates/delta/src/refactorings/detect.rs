//! Detects the refactorings of a delta, and makes components of them.

use super::accepted_refactoring::AcceptedRefactoring;
use super::refactoring::RefactoringNote;
use crate::dependencies::components::{Component, Components};
use crate::dependencies::name_dependencies::IndexedFile;
use crate::hunk::{DependencyRule, Hunk, HunkDependency, HunkId};
use crate::matching::version_pair::FileSources;
use crate::refactorings::detectors::{
    conditionals, extracted_values, hierarchy, methods, moves, parameter_object, parameters,
    renames, split_variable, visibility,
};
use crate::refactorings::edited_names;
use crate::refactorings::edited_names::EditedName;
use crate::refactorings::explained_hunks::ExplainedHunks;
use crate::refactorings::sources::token_pairing;
use crate::refactorings::sources::versioned_sources::VersionedSources;
use std::collections::{BTreeMap, BTreeSet};

/// The refactorings of a delta, with the hunks of each.
#[derive(Debug, Default)]
pub(crate) struct Refactorings {
    accepted: Vec<AcceptedRefactoring>,
    pub(crate) edited_names: Vec<EditedName>,
}

impl Refactorings {
    /// Detects the refactorings. `sources` are the old and the new version of each of `files`.
    pub(crate) fn find(files: &[IndexedFile], sources: &[FileSources], hunks: &[Hunk]) -> Self {
        let mut versioned_sources = VersionedSources::new(files, sources, hunks);
        token_pairing::pair_moved_declarations(&mut versioned_sources);
        let mut candidates = renames::find(&versioned_sources, files);
        candidates.extend(moves::find(&versioned_sources, files));
        let detectors = [
            visibility::find,
            methods::find,
            extracted_values::find,
            split_variable::find,
            conditionals::find,
            parameters::find,
            parameter_object::find,
            hierarchy::find,
        ];
        candidates.extend(detectors.iter().flat_map(|detector| detector(&versioned_sources)));
        Self {
            accepted: ExplainedHunks::new(&versioned_sources, hunks).accept(candidates),
            edited_names: edited_names::find(&versioned_sources, hunks),
        }
    }

    /// Returns dependencies that couple the hunks of each refactoring. Hunks that current components couple with others
    /// are left out, as the component would include those too.
    pub(crate) fn dependencies(&self, components: &Components) -> Vec<HunkDependency> {
        let explained: BTreeSet<HunkId> =
            self.accepted.iter().flat_map(|one| &one.hunks).copied().collect();
        let is_explained =
            |component: &Component| component.hunks.iter().all(|hunk| explained.contains(hunk));
        let is_component_explained: Vec<bool> =
            components.components().iter().map(is_explained).collect();
        let is_explained = |hunk: &&HunkId| {
            components.component_of_hunk(**hunk).is_none_or(|at| is_component_explained[at])
        };
        let complete = self
            .accepted
            .iter()
            .filter(|one| one.core_hunks.iter().all(|hunk| is_explained(&hunk)));
        complete
            .flat_map(|one| {
                couple_in_ring(one.hunks.iter().filter(is_explained).copied().collect())
            })
            .collect()
    }

    /// Returns the refactorings of each component that consists only of refactorings. A component with only a part of
    /// one, such as some uses of a renamed field, gets no name.
    pub(crate) fn notes(&self, components: &[Component]) -> BTreeMap<usize, RefactoringNote> {
        let mut by_hunk: BTreeMap<HunkId, Vec<usize>> = BTreeMap::new();
        for (at, one) in self.accepted.iter().enumerate() {
            for hunk in &one.hunks {
                by_hunk.entry(*hunk).or_default().push(at);
            }
        }
        let note_for = |component: &Component| {
            let own_hunks: BTreeSet<HunkId> = component.hunks.iter().copied().collect();
            let parts: Option<Vec<&Vec<usize>>> =
                component.hunks.iter().map(|hunk| by_hunk.get(hunk)).collect();
            let parts: BTreeSet<usize> = parts?.into_iter().flatten().copied().collect();
            let has_core = |at: &usize| {
                self.accepted[*at].core_hunks.iter().all(|hunk| own_hunks.contains(hunk))
            };
            parts.iter().all(has_core).then(|| self.join_notes(parts))?
        };
        let notes = components.iter().enumerate();
        notes.filter_map(|(at, component)| Some((at, note_for(component)?))).collect()
    }

    /// Returns the note of the largest of some refactorings, with descriptions of the others.
    fn join_notes(&self, mut parts: BTreeSet<usize>) -> Option<RefactoringNote> {
        let size = |at: &&usize| (self.accepted[**at].hunks.len(), usize::MAX - **at);
        let largest = *parts.iter().max_by_key(size)?;
        parts.remove(&largest);
        let note = &self.accepted[largest].note;
        let others = parts.iter().map(|at| &self.accepted[*at].note);
        let description = others.fold(note.description.clone(), |description, other| {
            format!("{description}; {}: {}", other.name, other.description)
        });
        Some(RefactoringNote { name: note.name, description })
    }
}

fn couple_in_ring(hunks: Vec<HunkId>) -> impl Iterator<Item = HunkDependency> {
    let next: Vec<HunkId> = hunks.iter().skip(1).chain(hunks.first()).copied().collect();
    let pairs = hunks.into_iter().zip(next).filter(|(from, to)| from != to);
    pairs.map(|(from, to)| HunkDependency { from, to: vec![to], rule: DependencyRule::Refactoring })
}
