//! Refactoring whose hunks are completely explained.

use super::refactoring::RefactoringNote;
use crate::hunk::HunkId;

/// A refactoring that its hunks confirm.
#[derive(Debug)]
pub(super) struct AcceptedRefactoring {
    pub(super) note: RefactoringNote,
    pub(super) core_hunks: Vec<HunkId>,
    /// All hunks, including the core.
    pub(super) hunks: Vec<HunkId>,
}
