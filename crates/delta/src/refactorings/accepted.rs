//! A refactoring with its hunks.

use super::refactoring::RefactoringNote;
use crate::hunk::HunkId;

/// A refactoring that the hunks bear out.
#[derive(Debug)]
pub(super) struct AcceptedRefactoring {
    pub(super) note: RefactoringNote,
    pub(super) core_hunks: Vec<HunkId>,
    /// All of them, those of the core too.
    pub(super) hunks: Vec<HunkId>,
}
