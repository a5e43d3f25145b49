//! Refactorings: changes that keep what the program does, each found by a strict pattern.
//!
//! A detector looks at both versions and says which tokens one refactoring takes away and brings. The
//! hunks that change nothing else become one component with the refactoring's name.

mod carried;
mod conditionals;
mod cover;
mod expand;
mod hierarchy;
mod kinship;
mod methods;
mod moves;
mod outline;
mod pairing;
mod parameter_object;
mod parameters;
mod rename;
mod resolve;
mod scene;
mod temps;
mod values;
mod visibility;
mod window;

use super::components::{Component, Components};
use super::couplings::NamedFile;
use super::hunk::{Coupling, Hunk, HunkId, Rule};
use super::matching::sides::Sources;
use cover::Cover;
use scene::{Scene, Spot, View};
use std::collections::{BTreeMap, BTreeSet};

/// What a component is, if it changes nothing that the program does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefactoringNote {
    /// The name in Fowler's catalogue, in lower case.
    pub name: &'static str,
    /// What was done to what.
    pub what: String,
}

/// Tokens that one step of a refactoring takes away and brings.
#[derive(Clone, Debug, Default)]
struct Part {
    old: Vec<Spot>,
    new: Vec<Spot>,
}

impl Part {
    /// Adds tokens of the first and the second version of a view.
    fn add(
        &mut self,
        view: &View<'_, '_>,
        from: impl IntoIterator<Item = Spot>,
        to: impl IntoIterator<Item = Spot>,
    ) {
        let (one, other) = if view.is_forward {
            (&mut self.old, &mut self.new)
        } else {
            (&mut self.new, &mut self.old)
        };
        one.extend(from);
        other.extend(to);
    }
}

/// What a detector found.
#[derive(Clone, Debug)]
struct Refactoring {
    note: RefactoringNote,
    /// Without the hunks of this part it is no refactoring.
    core: Part,
    /// Places that follow: those whose hunks do more stay out of it.
    rest: Part,
    /// Hunks of the core that own no token: those that rename a file.
    files: Vec<HunkId>,
}

impl Refactoring {
    fn new(name: &'static str, what: String, core: Part, rest: Part) -> Self {
        Self { note: RefactoringNote { name, what }, core, rest, files: Vec::new() }
    }
}

/// The refactorings of a delta, with the hunks of each.
#[derive(Debug, Default)]
pub(super) struct Refactorings {
    all: Vec<Accepted>,
}

/// A refactoring that the hunks bear out.
#[derive(Debug)]
struct Accepted {
    note: RefactoringNote,
    core: Vec<HunkId>,
    /// All of them, those of the core too.
    hunks: Vec<HunkId>,
}

impl Refactorings {
    /// Finds them. `sources` are the old and the new version of each of `files`.
    pub(super) fn find(files: &[NamedFile], sources: &[Sources], hunks: &[Hunk]) -> Self {
        let mut scene = Scene::of(files, sources, hunks);
        pairing::pair_unpaired(&mut scene);
        let mut found = rename::find(&scene, files);
        found.extend(moves::find(&scene, files));
        let detectors = [
            visibility::find,
            methods::find,
            values::find,
            temps::find,
            conditionals::find,
            parameters::find,
            parameter_object::find,
            hierarchy::find,
        ];
        found.extend(detectors.iter().flat_map(|detector| detector(&scene)));
        Self { all: Cover::of(&scene, hunks).accepted(found) }
    }

    /// The hunks of each refactoring only come together. Those that also only come with something else,
    /// by the components so far, stay out: it would become one with that.
    pub(super) fn couplings(&self, components: &Components) -> Vec<Coupling> {
        let explained: BTreeSet<HunkId> =
            self.all.iter().flat_map(|one| &one.hunks).copied().collect();
        let is_free =
            |component: &Component| component.hunks.iter().all(|hunk| explained.contains(hunk));
        let free: Vec<bool> = components.all().iter().map(is_free).collect();
        let is_free = |hunk: &&HunkId| components.of_hunk(**hunk).is_none_or(|at| free[at]);
        let whole = self.all.iter().filter(|one| one.core.iter().all(|hunk| is_free(&hunk)));
        whole.flat_map(|one| ring(one.hunks.iter().filter(is_free).copied().collect())).collect()
    }

    /// For each component that consists of refactorings and nothing else, which these are.
    pub(super) fn notes(&self, components: &[Component]) -> BTreeMap<usize, RefactoringNote> {
        let mut by_hunk: BTreeMap<HunkId, Vec<usize>> = BTreeMap::new();
        for (at, one) in self.all.iter().enumerate() {
            for hunk in &one.hunks {
                by_hunk.entry(*hunk).or_default().push(at);
            }
        }
        let of_component = |component: &Component| {
            let parts: Option<Vec<&Vec<usize>>> =
                component.hunks.iter().map(|hunk| by_hunk.get(hunk)).collect();
            let mut parts: BTreeSet<usize> = parts?.into_iter().flatten().copied().collect();
            let largest =
                *parts.iter().max_by_key(|at| (self.all[**at].hunks.len(), usize::MAX - **at))?;
            parts.remove(&largest);
            let note = &self.all[largest].note;
            let others = parts.iter().map(|at| &self.all[*at].note);
            let what = others.fold(note.what.clone(), |what, other| {
                format!("{what}; {}: {}", other.name, other.what)
            });
            Some(RefactoringNote { name: note.name, what })
        };
        let notes = components.iter().enumerate();
        notes.filter_map(|(at, component)| Some((at, of_component(component)?))).collect()
    }
}

fn ring(hunks: Vec<HunkId>) -> impl Iterator<Item = Coupling> {
    let next: Vec<HunkId> = hunks.iter().skip(1).chain(hunks.first()).copied().collect();
    let pairs = hunks.into_iter().zip(next).filter(|(from, to)| from != to);
    pairs.map(|(from, to)| Coupling { from, to: vec![to], rule: Rule::Refactoring })
}

#[cfg(test)]
mod tests;
