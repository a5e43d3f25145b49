//! One refactoring, as a detector finds it.

use crate::hunk::HunkId;
use crate::refactorings::sources::versioned_sources::{DirectedChange, TokenRef};

/// Describes a component that is a refactoring, so that it does not change behaviour.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefactoringNote {
    /// The name in Fowler's catalogue, in lower case.
    pub name: &'static str,
    /// Description of the changed code.
    pub description: String,
}

/// Tokens that one step of a refactoring takes away and brings.
#[derive(Clone, Debug, Default)]
pub(super) struct TokenChange {
    pub(super) old: Vec<TokenRef>,
    pub(super) new: Vec<TokenRef>,
}

impl TokenChange {
    /// Adds tokens of the first and the second version of a view.
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
    /// Without the hunks of this part it is no refactoring.
    pub(super) core: TokenChange,
    /// Places that follow: those whose hunks do more stay out of it.
    pub(super) rest: TokenChange,
    /// Hunks of the core that own no token: those that rename a file.
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
