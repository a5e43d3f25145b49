//! Hunks, the smallest changes that can be applied separately, and dependencies between them.

use mend_model::RepoPath;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Index of a hunk in [`super::Delta::hunks`].
pub type HunkId = usize;

/// Effect of a hunk on the old version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HunkKind {
    /// Inserts code.
    Insert,
    /// Deletes code.
    Delete,
    /// Replaces code.
    Relabel,
    /// Moves code to another position.
    Move,
    /// Changes lines of a file that is not split as Java.
    Text,
    /// Adds, removes, renames or replaces a whole file, or changes its mode.
    File,
}

/// Position of a hunk, from coarse to fine; equal numbers mean the same position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct HunkPosition {
    /// The file.
    pub file: usize,
    /// The member (or the import, or the type) inside it.
    pub member: usize,
    /// The innermost statement.
    pub statement: usize,
}

/// One change that can be applied separately.
#[derive(Clone, Debug)]
pub struct Hunk {
    /// Effect of the hunk.
    pub kind: HunkKind,
    /// Path of the file, under its new name if it has one.
    pub path: RepoPath,
    /// Kind of the changed syntax node, as named in the grammar.
    pub node_kind: String,
    /// Old file of code that moves to another file.
    pub old_path: Option<RepoPath>,
    /// The bytes of the old file. If the hunk changes several places of a text file, from the first to the last one.
    pub old: Option<Range<usize>>,
    /// The bytes of the new file, likewise.
    pub new: Option<Range<usize>>,
    /// Tokens deleted plus inserted.
    pub tokens: u64,
    /// True if the hunk changes only white space and comments, so that it cannot affect any test.
    pub is_layout: bool,
    /// Position of the hunk.
    pub position: HunkPosition,
}

impl Hunk {
    /// Returns true if the hunk moves code whose tokens exist in both versions, so that no hunk owns them.
    pub(crate) fn is_move_within_file(&self) -> bool {
        self.kind == HunkKind::Move && self.old_path.is_none()
    }
}

/// A dependency: one hunk must not be applied without one of others.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct HunkDependency {
    /// The hunk that must not be applied alone.
    pub from: HunkId,
    /// At least one of these must be applied with it.
    pub to: Vec<HunkId>,
    /// Reason of the dependency.
    pub rule: DependencyRule,
}

/// Reason of a dependency.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DependencyRule {
    /// Code inside inserted or deleted code.
    Inside,
    /// A use needs its definition.
    Definition,
    /// A removed definition and its uses.
    Use,
    /// Two definitions of one name in one scope exclude each other.
    Duplicate,
    /// A public type and its file have the same name.
    FileName,
    /// A call and the parameters of its callee.
    Signature,
    /// A value and the type that its destination requires.
    Type,
    /// An operator and the types of its operands.
    Operand,
    /// Overriding methods, and abstract methods and their implementations.
    Override,
    /// An exception and its handler.
    Exception,
    /// A modifier and the uses that it allows or forbids.
    Modifier,
    /// A simple name and its import.
    Import,
    /// A constructor and the superclass's constructor that it calls.
    Constructor,
    /// A variable is assigned before it is read, and a final one only once.
    Initialisation,
    /// Every statement is reachable, and a method with a result returns one.
    Reach,
    /// A type and its package.
    Package,
    /// Both belong to one refactoring.
    Refactoring,
    /// The compiler rejects one without the other, for any other reason.
    Refused,
}

impl DependencyRule {
    /// Returns true if the dependency is about what a name refers to, or about the type of that.
    pub(crate) fn concerns_names(self) -> bool {
        matches!(self, Self::Definition | Self::Use | Self::Type)
    }
}
