//! One refactoring, as a detector finds it.

use crate::hunk::HunkId;
use crate::refactorings::sources::versioned_sources::{Spot, View};

/// Describes a component that is a refactoring, so that it does not change behaviour.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefactoringNote {
    /// The name in Fowler's catalogue, in lower case.
    pub name: &'static str,
    /// Description of the changed code.
    pub what: String,
}

/// Tokens that one step of a refactoring takes away and brings.
#[derive(Clone, Debug, Default)]
pub(super) struct Part {
    pub(super) old: Vec<Spot>,
    pub(super) new: Vec<Spot>,
}

impl Part {
    /// Adds tokens of the first and the second version of a view.
    pub(super) fn add(
        &mut self,
        view: &View<'_, '_>,
        from: impl IntoIterator<Item = Spot>,
        to: impl IntoIterator<Item = Spot>,
    ) {
        let (one, other) = if view.is_forward {
            (&mut self.old, &mut self.new)
        } else {
            (&mut self.new, &mut self.old)
        };
        one.extend(from);
        other.extend(to);
    }
}

/// Result of a detector.
#[derive(Clone, Debug)]
pub(crate) struct Refactoring {
    pub(super) note: RefactoringNote,
    /// Without the hunks of this part it is no refactoring.
    pub(super) core: Part,
    /// Places that follow: those whose hunks do more stay out of it.
    pub(super) rest: Part,
    /// Hunks of the core that own no token: those that rename a file.
    pub(super) files: Vec<HunkId>,
}

impl Refactoring {
    pub(super) fn new(name: &'static str, what: String, core: Part, rest: Part) -> Self {
        Self { note: RefactoringNote { name, what }, core, rest, files: Vec::new() }
    }
}
