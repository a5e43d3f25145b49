//! The smallest changes that can be switched on and off, and why some of them belong together.

use mend_model::RepoPath;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// A hunk's place in [`super::Delta::hunks`].
pub type HunkId = usize;

/// Effect of a hunk on the old version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HunkKind {
    /// Puts something in.
    Insert,
    /// Takes something out.
    Delete,
    /// Puts one thing in the place of another.
    Relabel,
    /// Takes something from one place to another.
    Move,
    /// Changes lines of a file that is not split as Java.
    Text,
    /// Adds, removes, renames or replaces a whole file, or changes its mode.
    File,
}

/// Position of a hunk, from coarse to fine; equal numbers mean the same place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct HunkPosition {
    /// The file.
    pub file: usize,
    /// The member (or the import, or the type) inside it.
    pub member: usize,
    /// The innermost statement.
    pub statement: usize,
}

/// One change that can be switched on and off by itself.
#[derive(Clone, Debug)]
pub struct Hunk {
    /// Effect of the hunk.
    pub kind: HunkKind,
    /// The file, under its new name where it has one.
    pub path: RepoPath,
    /// Kind of the changed syntax node, as named in the grammar.
    pub node_kind: String,
    /// The old file of something that changes its file.
    pub old_path: Option<RepoPath>,
    /// The bytes of the old file.
    pub old: Option<Range<usize>>,
    /// The bytes of the new file.
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
    pub(super) fn is_move_within_file(&self) -> bool {
        self.kind == HunkKind::Move && self.old_path.is_none()
    }
}

/// A dependency: one hunk must not be applied without another.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct HunkDependency {
    /// The hunk that cannot be on alone.
    pub from: HunkId,
    /// At least one of these must be on with it.
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
    /// Two definitions of one name in one place exclude each other.
    Duplicate,
    /// A public type and its file have the same name.
    FileName,
    /// A call and the parameters of what it calls.
    Signature,
    /// A value and the type that its destination requires.
    Type,
    /// An operator and the sorts of values that it takes.
    Operand,
    /// Methods that override each other, and what a class must implement.
    Override,
    /// An exception and its handler.
    Exception,
    /// A modifier and what it allows or forbids.
    Modifier,
    /// A simple name and the import that makes it known.
    Import,
    /// A constructor and the superclass's constructor that it calls.
    Constructor,
    /// A variable has a value before it is read, and a final one only once.
    Initialisation,
    /// No statement is beyond reach, and every value is returned.
    Reach,
    /// A type and the package that it is in.
    Package,
    /// They are one refactoring.
    Refactoring,
    /// The compiler rejects the one without the other, for any other reason.
    Refused,
}
