//! Splits the difference of two versions of a code base into hunks, any subset of which can be applied.
//!
//! Pure: the input is file contents, the output is a variant as a [`TreeEdit`].

mod components;
mod couplings;
mod file;
mod hunk;
mod java_file;
mod java_mode;
mod lessons;
mod matching;
mod merged;
mod origins;
mod refactorings;
mod schemas;
mod sink;
mod size;
mod stretches;
mod text_file;
mod tree_delta;

pub use components::Component;
pub use hunk::{Coupling, Hunk, HunkId, HunkKind, Place, Rule};
pub use java_mode::JavaMode;
pub use lessons::{Judge, Lesson};
pub use origins::{Ancestor, Parent, Step};
pub use refactorings::RefactoringNote;
pub use size::change_tokens;
pub use tree_delta::Delta;

#[cfg(test)]
mod laws;
#[cfg(test)]
mod tests;
