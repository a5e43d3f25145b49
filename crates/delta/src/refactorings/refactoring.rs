//! Refactoring as detected, and its note for people.

use crate::hunk::HunkId;
use crate::refactorings::sources::versioned_sources::{DirectedChange, TokenRef};

/// Note on a component that is a refactoring, so that it does not change behaviour.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefactoringNote {
    /// Name in Fowler's catalogue, in lower case.
    pub name: &'static str,
    /// Description of the changed code.
    pub description: String,
}

/// Tokens that a refactoring removes and inserts.
#[derive(Clone, Debug, Default)]
pub(super) struct TokenChange {
    pub(super) old: Vec<TokenRef>,
    pub(super) new: Vec<TokenRef>,
}

impl TokenChange {
    /// Adds tokens of the first and the second version of a directed change.
    pub(super) fn add(
        &mut self,
        change: &DirectedChange<'_, '_>,
        from: impl IntoIterator<Item = TokenRef>,
        to: impl IntoIterator<Item = TokenRef>,
    ) {
        let (removed_tokens, added_tokens) = if change.is_forward {
            (&mut self.old, &mut self.new)
        } else {
            (&mut self.new, &mut self.old)
        };
        removed_tokens.extend(from);
        added_tokens.extend(to);
    }
}

/// Result of a detector.
#[derive(Clone, Debug)]
pub(crate) struct Refactoring {
    pub(super) note: RefactoringNote,
    /// Tokens that must be completely explained for the refactoring to be accepted.
    pub(super) core: TokenChange,
    /// Tokens of dependent changes; hunks with other changes are left out.
    pub(super) rest: TokenChange,
    /// Hunks of the core without tokens, which rename a file.
    pub(super) file_hunks: Vec<HunkId>,
}

impl Refactoring {
    pub(super) fn new(
        name: &'static str,
        description: String,
        core: TokenChange,
        rest: TokenChange,
    ) -> Self {
        Self { note: RefactoringNote { name, description }, core, rest, file_hunks: Vec::new() }
    }
}
