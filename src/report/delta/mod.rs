//! A delta as people and programs read it: one model, and a rendering for each reader.

mod dot;
mod human;
mod words;

pub use dot::dot;
pub use human::human;

use crate::delta::{Component, Delta, Hunk, HunkKind, Rule};
use crate::model::{FileChange, RepoPath};
use crate::report::Style;
use crate::report::style::Marks;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeSet, HashMap};
use words::Texts;

/// The name of the schema that [`DeltaView`] follows.
pub(super) const SCHEMA: &str = "git-mend/delta/1";

/// A delta, in the schema `git-mend/delta/1`. Components are numbered from 1.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct DeltaView {
    /// The name of the schema.
    pub schema: String,
    /// How many files differ.
    pub files: usize,
    /// Tokens deleted plus inserted.
    pub tokens: u64,
    /// In the order of the files.
    pub components: Vec<ComponentView>,
    /// Without repetition.
    pub couplings: Vec<CouplingView>,
    /// How many hunks change white space and comments only; they belong to no component.
    pub layout_hunks: usize,
    /// Java files that the grammar refuses; they are taken apart line by line.
    pub unparsed: Vec<RepoPath>,
}

/// Hunks that only come together.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ComponentView {
    /// Its number.
    pub id: usize,
    /// Tokens deleted plus inserted.
    pub tokens: u64,
    /// The files that it changes.
    pub files: Vec<RepoPath>,
    /// What it does, in a few words.
    pub what: String,
    /// The refactoring that it is, if it is one.
    pub refactoring: Option<String>,
    /// At least one.
    pub hunks: Vec<HunkView>,
}

/// The smallest change that can be switched on and off.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct HunkView {
    /// What it does.
    pub kind: HunkKind,
    /// The file, under its new name where it has one.
    pub path: RepoPath,
    /// The file that it comes from, where something changes its file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub old_path: Option<RepoPath>,
    /// What kind of thing it changes.
    pub node: String,
    /// The bytes of the old file, from the first to one past the last.
    pub old: Option<[usize; 2]>,
    /// The bytes of the new file, from the first to one past the last.
    pub new: Option<[usize; 2]>,
    /// The line where it stands: in the new file, or in the old one for what is deleted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
}

/// Why one component needs another, or why hunks are one component.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct CouplingView {
    /// The component that cannot be there alone.
    pub from: usize,
    /// What it needs: one component, one of several, or the component itself.
    pub to: Vec<usize>,
    /// How.
    pub kind: CouplingKind,
    /// Why.
    pub rule: Rule,
}

/// How a coupling binds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CouplingKind {
    /// The first needs the second.
    Needs,
    /// Both are hunks of one component.
    Together,
    /// The first needs one of the others.
    AnyOf,
}

impl DeltaView {
    /// Describes a delta, with the files that it was made from.
    pub fn of(delta: &Delta, changes: &[FileChange]) -> Self {
        Self::with(delta, changes, Marks::Signs)
    }

    /// The same with the marks of a style: where it is heard, words.
    pub fn told(delta: &Delta, changes: &[FileChange], style: &Style) -> Self {
        Self::with(delta, changes, style.marks)
    }

    fn with(delta: &Delta, changes: &[FileChange], marks: Marks) -> Self {
        let texts = Texts::of(changes, marks);
        let all = delta.components().iter().enumerate();
        let layout = delta.hunks().iter().filter(|hunk| hunk.is_layout).count();
        Self {
            schema: SCHEMA.to_owned(),
            files: delta.file_counts().0,
            tokens: delta.tokens(),
            components: all.map(|(at, one)| component(at + 1, one, delta, &texts)).collect(),
            couplings: couplings(delta),
            layout_hunks: layout,
            unparsed: delta.unparsed().to_vec(),
        }
    }
}

fn component(id: usize, component: &Component, delta: &Delta, texts: &Texts<'_>) -> ComponentView {
    let hunks: Vec<&Hunk> = component.hunks.iter().map(|hunk| &delta.hunks()[*hunk]).collect();
    let note = delta.refactoring_of(id - 1);
    let told = note.map(|note| words::of_refactoring(&note.what, texts.marks));
    let files: BTreeSet<&RepoPath> = hunks.iter().map(|hunk| &hunk.path).collect();
    ComponentView {
        id,
        tokens: component.tokens,
        files: files.into_iter().cloned().collect(),
        what: told.unwrap_or_else(|| words::what(&hunks, texts)),
        refactoring: note.map(|note| note.name.to_owned()),
        hunks: hunks.into_iter().map(|hunk| view(hunk, texts)).collect(),
    }
}

fn view(hunk: &Hunk, texts: &Texts<'_>) -> HunkView {
    let range = |range: &Option<std::ops::Range<usize>>| {
        range.as_ref().map(|range| [range.start, range.end])
    };
    HunkView {
        kind: hunk.kind,
        path: hunk.path.clone(),
        old_path: hunk.old_path.clone(),
        node: hunk.node.clone(),
        old: range(&hunk.old),
        new: range(&hunk.new),
        line: texts.line(hunk),
    }
}

/// The couplings between and within components.
fn couplings(delta: &Delta) -> Vec<CouplingView> {
    let numbers: HashMap<usize, usize> = (0..delta.hunks().len())
        .filter_map(|hunk| Some((hunk, delta.component_of(hunk)? + 1)))
        .collect();
    let views = delta.couplings().iter().filter_map(|coupling| {
        let from = *numbers.get(&coupling.from)?;
        let to: BTreeSet<usize> =
            coupling.to.iter().filter_map(|hunk| numbers.get(hunk).copied()).collect();
        let kind = match to.len() {
            0 => return None,
            _ if to.contains(&from) && to.len() > 1 => return None,
            1 if to.contains(&from) => CouplingKind::Together,
            1 => CouplingKind::Needs,
            _ => CouplingKind::AnyOf,
        };
        Some(CouplingView { from, to: to.into_iter().collect(), kind, rule: coupling.rule })
    });
    views.collect::<BTreeSet<_>>().into_iter().collect()
}

#[cfg(test)]
mod tests;
