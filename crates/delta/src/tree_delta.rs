//! Delta: the difference between two trees, with hunks, dependencies, components and refactorings.

use super::hunk::{Hunk, HunkDependency, HunkId};
use super::refactorings::{RefactoringNote, Refactorings};
use crate::dependencies::components::{Component, Components, lift_to_components};
use crate::dependencies::moved_edits;
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
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The difference between two trees.
#[derive(Debug)]
pub struct Delta {
    pub(super) base: TreeId,
    pub(super) files: Vec<FileDelta>,
    pub(super) hunks: Vec<Hunk>,
    pub(super) dependencies: Vec<HunkDependency>,
    pub(super) components: Components,
    pub(super) refactorings: BTreeMap<usize, RefactoringNote>,
    pub(super) unparsed_files: Vec<RepoPath>,
    /// Declarations and uses of the Java files, for learning dependencies later.
    pub(super) indexed_files: Vec<IndexedFile>,
    pub(super) edited_moves: Vec<EditedMove>,
}

impl Delta {
    /// Splits the changes from the tree `base` to another one into hunks.
    pub fn between(base: TreeId, changes: &[FileChange], mode: JavaGranularity) -> Self {
        Self::with_facts(base, changes, mode, None)
    }

    /// Builds [`Delta::between`] with compiler facts about the old and the new version. The facts should cover
    /// [`Delta::affected_files`]. Changed files without facts get dependencies by name.
    pub fn with_facts(
        base: TreeId,
        changes: &[FileChange],
        mode: JavaGranularity,
        facts: Option<(&SemanticModel, &SemanticModel)>,
    ) -> Self {
        Self::build(base, changes, mode, facts, |_, _| {})
    }

    /// Builds the delta. `learn` may add dependencies before refactorings become components.
    pub(super) fn build(
        base: TreeId,
        changes: &[FileChange],
        mode: JavaGranularity,
        facts: Option<(&SemanticModel, &SemanticModel)>,
        learn: impl FnOnce(&mut Self, &RuleContext<'_>),
    ) -> Self {
        let sources = file_delta::parse_sources(changes, mode);
        let mut splitter = FileSplitter::new(mode, changes, &sources);
        let mut files: Vec<FileDelta> =
            changes.iter().map(|change| splitter.split_file(change)).collect();
        let edited_moves = splitter.cross_file_moves.edited_moves();
        let FileSplitter {
            builder: mut sink, indexed_files, unparsed_paths: unparsed_files, ..
        } = splitter;
        let has_source = |one: &FileSources| one.old.is_some() || one.new.is_some();
        let sources: Vec<FileSources> = sources.into_iter().filter(has_source).collect();
        let mut dependencies = std::mem::take(&mut sink.dependencies);
        dependencies.extend(name_dependencies::find_name_dependencies(&indexed_files, &|file| {
            facts.is_some_and(|(old, new)| dependency_rules::has_compiler_facts(file, old, new))
        }));
        dependencies.extend(moved_edits::find_moved_edit_dependencies(&indexed_files, &sink.hunks));
        let refactorings = Refactorings::find(&indexed_files, &sources, &sink.hunks);
        let context = facts.map(|(old, new)| {
            RuleContext::new(changes, &indexed_files, &sink.hunks, &edited_moves, old, new)
        });
        let semantic = context.iter().flat_map(dependency_rules::find_semantic_dependencies);
        let move_by_edit = edited_moves
            .iter()
            .flat_map(|moved| moved.inner_hunks.clone().map(|edit| (edit, moved.hunk)))
            .collect();
        dependencies.extend(semantic.filter(|one| !is_between_move_and_edit(one, &move_by_edit)));
        let (independent, needed) = separate_edited_names(&mut files, &sources, &refactorings);
        dependencies.retain(|one| {
            let is_independent =
                |to: &[HunkId]| to.len() == 1 && independent.contains(&(one.from, to[0]));
            !(one.rule.concerns_names() && is_independent(&one.to))
        });
        dependencies.extend(needed);
        dependencies.extend(
            refactorings.dependencies(&Components::from_dependencies(&sink.hunks, &dependencies)),
        );
        let mut delta = Self {
            base,
            files,
            hunks: sink.hunks.clone(),
            dependencies: Vec::new(),
            components: Components::from_dependencies(&[], &[]),
            refactorings: BTreeMap::new(),
            unparsed_files,
            indexed_files: Vec::new(),
            edited_moves: Vec::new(),
        };
        delta.add_dependencies(dependencies);
        if let Some(context) = context {
            learn(&mut delta, &context);
        }
        delta.refactorings = refactorings.notes(delta.components.components());
        delta.indexed_files = indexed_files;
        delta.edited_moves = edited_moves;
        delta
    }

    pub(super) fn add_dependencies(&mut self, added: impl IntoIterator<Item = HunkDependency>) {
        self.dependencies.extend(added);
        self.components = Components::from_dependencies(&self.hunks, &self.dependencies);
    }

    /// Returns every hunk.
    pub fn hunks(&self) -> &[Hunk] {
        &self.hunks
    }

    /// Returns every dependency between hunks.
    pub fn dependencies(&self) -> &[HunkDependency] {
        &self.dependencies
    }

    /// Returns the components: sets of hunks that only apply together. Hunks that cannot affect any test are excluded.
    pub fn components(&self) -> &[Component] {
        self.components.components()
    }

    /// Returns the index in [`Delta::components`] of the component of a hunk; `None` for layout.
    pub fn component_of(&self, hunk: HunkId) -> Option<usize> {
        self.components.component_of_hunk(hunk)
    }

    /// Returns the refactoring that explains a component completely.
    pub fn refactoring_of(&self, component: usize) -> Option<&RefactoringNote> {
        self.refactorings.get(&component)
    }

    /// Returns the dependencies between components, as indexes in [`Delta::components`]: each `from` needs one of `to`.
    pub fn component_dependencies(&self) -> Vec<(usize, Vec<usize>)> {
        lift_to_components(&self.components, &self.dependencies)
    }

    /// Returns the Java files that do not parse; they are split by lines.
    pub fn unparsed_files(&self) -> &[RepoPath] {
        &self.unparsed_files
    }

    /// Returns the number of changed files, and of changed Java files.
    pub fn file_counts(&self) -> (usize, usize) {
        (self.files.len(), self.files.iter().filter(|file| file.is_java()).count())
    }

    /// Counts the tokens deleted and inserted by all hunks.
    pub fn tokens(&self) -> u64 {
        self.hunks.iter().map(|hunk| hunk.tokens).sum()
    }

    /// Renders the variant with exactly the hunks that `is_enabled` selects.
    pub fn render(&self, is_enabled: &dyn Fn(HunkId) -> bool) -> TreeEdit {
        let mut changes = BTreeMap::new();
        for file in &self.files {
            file.render(is_enabled, &mut changes);
        }
        TreeEdit { base: self.base.clone(), changes }
    }

    /// Renders the variant with exactly these components; `has_layout` also applies the hunks that cannot affect any test.
    pub fn render_components(
        &self,
        is_enabled: &dyn Fn(usize) -> bool,
        has_layout: bool,
    ) -> TreeEdit {
        self.render(&|hunk| self.components.component_of_hunk(hunk).map_or(has_layout, is_enabled))
    }
}

/// Returns true if a variable couples a move to another file with an edit inside. Names that only one position has are
/// coupled by name; all others are in the moved code, or mean the same at both positions.
fn is_between_move_and_edit(
    dependency: &HunkDependency,
    move_by_edit: &HashMap<HunkId, HunkId>,
) -> bool {
    let HunkDependency { from, to, rule } = dependency;
    let is_move_of = |moved: HunkId, edit: HunkId| move_by_edit.get(&edit) == Some(&moved);
    let is_pair = |to: &HunkId| is_move_of(*from, *to) || is_move_of(*to, *from);
    rule.concerns_names() && to.iter().all(is_pair)
}

/// Separates edits of names from renamings. Returns the pairs of hunks that are independent now, and the dependencies
/// that take the place of theirs.
fn separate_edited_names(
    files: &mut [FileDelta],
    sources: &[FileSources],
    refactorings: &Refactorings,
) -> (BTreeSet<(HunkId, HunkId)>, Vec<HunkDependency>) {
    let (mut independent, mut needed) = (BTreeSet::new(), Vec::new());
    for edited in &refactorings.edited_names {
        let file = &mut files[sources[edited.file].file];
        if file.add_name_alternatives(&edited.alternatives) {
            for other in &edited.independent {
                independent.extend([(edited.edit, *other), (*other, edited.edit)]);
            }
            needed.extend(edited.declaration_needs.clone());
        }
    }
    (independent, needed)
}
