//! The delta of two trees.

use super::hunk::{Hunk, HunkDependency, HunkId};
use super::refactorings::{RefactoringNote, Refactorings};
use crate::dependencies::components::{Component, Components, lift};
use crate::dependencies::name_dependencies;
use crate::dependencies::name_dependencies::IndexedFile;
use crate::dependency_rules;
use crate::dependency_rules::RuleContext;
use crate::file_delta;
use crate::file_delta::{FileDelta, FileSplitter};
use crate::java_file::cross_file_moves::EditedMove;
use crate::java_granularity::JavaGranularity;
use crate::matching::version_pair::FileSources;
use mend_java::facts::SemanticModel;
use mend_model::{FileChange, RepoPath, TreeEdit, TreeId};
use std::collections::BTreeMap;

/// The difference between two trees.
#[derive(Debug)]
pub struct Delta {
    pub(super) base: TreeId,
    pub(super) files: Vec<FileDelta>,
    pub(super) hunks: Vec<Hunk>,
    pub(super) couplings: Vec<HunkDependency>,
    pub(super) components: Components,
    pub(super) refactorings: BTreeMap<usize, RefactoringNote>,
    pub(super) unparsed: Vec<RepoPath>,
    /// Declarations and uses of the Java files, for later learning.
    pub(super) named: Vec<IndexedFile>,
    pub(super) passages: Vec<EditedMove>,
}

impl Delta {
    /// Takes the changes from the tree `base` to another one apart.
    pub fn between(base: TreeId, changes: &[FileChange], mode: JavaGranularity) -> Self {
        Self::with_facts(base, changes, mode, None)
    }

    /// Builds [`Delta::between`] with compiler facts about the old and the new version. The facts should cover all
    /// sources, not only changed ones. Files without facts get dependencies by name.
    pub fn with_facts(
        base: TreeId,
        changes: &[FileChange],
        mode: JavaGranularity,
        facts: Option<(&SemanticModel, &SemanticModel)>,
    ) -> Self {
        Self::build(base, changes, mode, facts, |_, _| {})
    }

    /// Builds the delta. `learn` may add couplings before components get their refactorings.
    pub(super) fn build(
        base: TreeId,
        changes: &[FileChange],
        mode: JavaGranularity,
        facts: Option<(&SemanticModel, &SemanticModel)>,
        learn: impl FnOnce(&mut Self, &RuleContext<'_>),
    ) -> Self {
        let sources = file_delta::parse(changes, mode);
        let mut intake = FileSplitter::new(mode, changes, &sources);
        let files = changes.iter().map(|change| intake.file(change)).collect();
        let passages = intake.travels.passages();
        let FileSplitter { mut sink, named, unparsed, .. } = intake;
        let is_java = |one: &FileSources| one.old.is_some() || one.new.is_some();
        let sources: Vec<FileSources> = sources.into_iter().filter(is_java).collect();
        let mut all = std::mem::take(&mut sink.couplings);
        all.extend(name_dependencies::by_name(&named, &|file| {
            facts.is_some_and(|(old, new)| dependency_rules::are_known(file, old, new))
        }));
        let found = Refactorings::find(&named, &sources, &sink.hunks);
        let world = facts
            .map(|(old, new)| RuleContext::new(changes, &named, &sink.hunks, &passages, old, new));
        all.extend(world.iter().flat_map(dependency_rules::by_facts));
        all.extend(found.couplings(&Components::from_dependencies(&sink.hunks, &all)));
        let mut delta = Self {
            base,
            files,
            hunks: sink.hunks.clone(),
            couplings: Vec::new(),
            components: Components::from_dependencies(&[], &[]),
            refactorings: BTreeMap::new(),
            unparsed,
            named: Vec::new(),
            passages: Vec::new(),
        };
        delta.add_couplings(all);
        if let Some(world) = world {
            learn(&mut delta, &world);
        }
        delta.refactorings = found.notes(delta.components.components());
        delta.named = named;
        delta.passages = passages;
        delta
    }

    pub(super) fn add_couplings(&mut self, more: impl IntoIterator<Item = HunkDependency>) {
        self.couplings.extend(more);
        self.components = Components::from_dependencies(&self.hunks, &self.couplings);
    }

    /// Returns every hunk.
    pub fn hunks(&self) -> &[Hunk] {
        &self.hunks
    }

    /// Returns every dependency between hunks.
    pub fn couplings(&self) -> &[HunkDependency] {
        &self.couplings
    }

    /// Returns the components: sets of hunks that only apply together. Hunks that cannot affect any test are excluded.
    pub fn components(&self) -> &[Component] {
        self.components.components()
    }

    /// Returns the index in [`Delta::components`] of the one that contains a hunk; `None` for layout.
    pub fn component_of(&self, hunk: HunkId) -> Option<usize> {
        self.components.of_hunk(hunk)
    }

    /// Returns the refactoring that explains a component completely.
    pub fn refactoring_of(&self, component: usize) -> Option<&RefactoringNote> {
        self.refactorings.get(&component)
    }

    /// Returns the dependencies between components, as indexes in [`Delta::components`]: each `from` needs one of `to`.
    pub fn component_couplings(&self) -> Vec<(usize, Vec<usize>)> {
        lift(&self.components, &self.couplings)
    }

    /// Returns the Java files that do not parse; they are split by lines.
    pub fn unparsed(&self) -> &[RepoPath] {
        &self.unparsed
    }

    /// Returns the number of changed files, and of changed Java files.
    pub fn file_counts(&self) -> (usize, usize) {
        (self.files.len(), self.files.iter().filter(|file| file.is_java()).count())
    }

    /// Counts the tokens deleted and inserted by all hunks.
    pub fn tokens(&self) -> u64 {
        self.hunks.iter().map(|hunk| hunk.tokens).sum()
    }

    /// Renders the variant with exactly the hunks that `is_on` selects.
    pub fn render(&self, is_on: &dyn Fn(HunkId) -> bool) -> TreeEdit {
        let mut changes = BTreeMap::new();
        for file in &self.files {
            file.render(is_on, &mut changes);
        }
        TreeEdit { base: self.base.clone(), changes }
    }

    /// Renders the variant with exactly these components; `layout` also applies the hunks that cannot affect any test.
    pub fn render_components(&self, is_on: &dyn Fn(usize) -> bool, layout: bool) -> TreeEdit {
        self.render(&|hunk| self.components.of_hunk(hunk).map_or(layout, is_on))
    }
}
