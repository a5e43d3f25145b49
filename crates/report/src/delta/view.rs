//! View of a delta: the model of all formats, and the JSON of `git-mend/delta/1`.

use crate::TerminalStyle;
use crate::delta::description;
use crate::delta::description::FileTexts;
use crate::terminal::style::LineMarks;
use mend_delta::{Component, Delta, DependencyRule, Hunk, HunkKind};
use mend_model::{FileChange, RepoPath};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeSet, HashMap};

/// Name of the schema of [`DeltaView`].
pub(crate) const SCHEMA: &str = "git-mend/delta/1";

/// A delta, in the schema `git-mend/delta/1`. Components are numbered from 1.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct DeltaView {
    /// Name of the schema.
    pub schema: String,
    /// Number of files that differ.
    pub files: usize,
    /// Number of tokens deleted plus inserted.
    pub tokens: u64,
    /// Components in the order of the files.
    pub components: Vec<ComponentView>,
    /// Dependencies without repetition.
    pub couplings: Vec<DependencyView>,
    /// Number of hunks that change only white space and comments; they belong to no component.
    pub whitespace_hunks: usize,
    /// Java files that do not parse; they are split into line hunks.
    pub unparsed: Vec<RepoPath>,
}

/// Component: hunks that can only be applied together.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ComponentView {
    /// Number of the component.
    pub id: usize,
    /// Number of tokens deleted plus inserted.
    pub tokens: u64,
    /// Changed files.
    pub files: Vec<RepoPath>,
    /// Short description.
    pub what: String,
    /// Name of the refactoring, if it is one.
    pub refactoring: Option<String>,
    /// Hunks, at least one.
    pub hunks: Vec<HunkView>,
}

/// Hunk: the smallest change that can be applied alone.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct HunkView {
    /// Kind of edit.
    pub kind: HunkKind,
    /// Path of the file, which is the new one if the file was renamed.
    pub path: RepoPath,
    /// Path of the source file, if the hunk moves something between files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub old_path: Option<RepoPath>,
    /// Kind of the changed syntax node.
    pub node: String,
    /// Byte range in the old file, end exclusive.
    pub old: Option<[usize; 2]>,
    /// Byte range in the new file, end exclusive.
    pub new: Option<[usize; 2]>,
    /// Line in the new file, or in the old file for a deletion.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
}

/// Dependency between components, or between the hunks of one component.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct DependencyView {
    /// Dependent component.
    pub from: usize,
    /// Needed component, the alternatives, or the component itself.
    pub to: Vec<usize>,
    /// Kind of dependency.
    pub kind: DependencyKind,
    /// Rule that created the dependency.
    pub rule: DependencyRule,
}

/// Kind of a dependency.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DependencyKind {
    /// The first component needs the second.
    Needs,
    /// Both are hunks of one component.
    Together,
    /// The first component needs one of the others.
    AnyOf,
}

impl DeltaView {
    /// Creates the view of a delta. `changes` are the files from which the delta was computed.
    pub fn new(delta: &Delta, changes: &[FileChange]) -> Self {
        Self::with_marks(delta, changes, LineMarks::Signs)
    }

    /// Creates the view with the marks of a style: signs, or words for a screen reader.
    pub fn with_style(delta: &Delta, changes: &[FileChange], style: &TerminalStyle) -> Self {
        Self::with_marks(delta, changes, style.marks)
    }

    fn with_marks(delta: &Delta, changes: &[FileChange], marks: LineMarks) -> Self {
        let texts = FileTexts::new(changes, marks);
        let numbered_components = delta.components().iter().enumerate();
        let whitespace_hunks = delta.hunks().iter().filter(|hunk| hunk.is_layout).count();
        Self {
            schema: SCHEMA.to_owned(),
            files: delta.file_counts().0,
            tokens: delta.tokens(),
            components: numbered_components
                .map(|(at, one)| component_view(at + 1, one, delta, &texts))
                .collect(),
            couplings: dependency_views(delta),
            whitespace_hunks,
            unparsed: delta.unparsed_files().to_vec(),
        }
    }
}

fn component_view(
    id: usize,
    component: &Component,
    delta: &Delta,
    texts: &FileTexts<'_>,
) -> ComponentView {
    let hunks: Vec<&Hunk> = component.hunks.iter().map(|hunk| &delta.hunks()[*hunk]).collect();
    let refactoring = delta.refactoring_of(id - 1);
    let refactoring_text = refactoring.map(|refactoring| {
        description::describe_refactoring(&refactoring.description, texts.line_marks)
    });
    let files: BTreeSet<&RepoPath> = hunks.iter().map(|hunk| &hunk.path).collect();
    ComponentView {
        id,
        tokens: component.tokens,
        files: files.into_iter().cloned().collect(),
        what: refactoring_text.unwrap_or_else(|| description::describe_component(&hunks, texts)),
        refactoring: refactoring.map(|refactoring| refactoring.name.to_owned()),
        hunks: hunks.into_iter().map(|hunk| hunk_view(hunk, texts)).collect(),
    }
}

fn hunk_view(hunk: &Hunk, texts: &FileTexts<'_>) -> HunkView {
    let range = |range: &Option<std::ops::Range<usize>>| {
        range.as_ref().map(|range| [range.start, range.end])
    };
    HunkView {
        kind: hunk.kind,
        path: hunk.path.clone(),
        old_path: hunk.old_path.clone(),
        node: hunk.node_kind.clone(),
        old: range(&hunk.old),
        new: range(&hunk.new),
        line: texts.find_line(hunk),
    }
}

/// Returns the dependencies between and within components.
fn dependency_views(delta: &Delta) -> Vec<DependencyView> {
    let component_numbers: HashMap<usize, usize> = (0..delta.hunks().len())
        .filter_map(|hunk| Some((hunk, delta.component_of(hunk)? + 1)))
        .collect();
    let views = delta.dependencies().iter().filter_map(|coupling| {
        let from = *component_numbers.get(&coupling.from)?;
        let to: BTreeSet<usize> =
            coupling.to.iter().filter_map(|hunk| component_numbers.get(hunk).copied()).collect();
        let kind = match to.len() {
            0 => return None,
            _ if to.contains(&from) && to.len() > 1 => return None,
            1 if to.contains(&from) => DependencyKind::Together,
            1 => DependencyKind::Needs,
            _ => DependencyKind::AnyOf,
        };
        Some(DependencyView { from, to: to.into_iter().collect(), kind, rule: coupling.rule })
    });
    views.collect::<BTreeSet<_>>().into_iter().collect()
}
