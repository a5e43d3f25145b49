//! Refactorings: behaviour-preserving changes, each detected by a strict pattern.
//!
//! A detector compares both versions and returns the tokens that one refactoring removes and inserts. The hunks that
//! change nothing else become one component with the refactoring's name.

mod accepted_refactoring;
mod detect;
mod refactoring;

pub(super) use detect::Refactorings;
pub use refactoring::RefactoringNote;

pub(crate) mod detectors;
pub(crate) mod edited_names;
mod explained_hunks;
pub(crate) mod sources;
#[cfg(test)]
mod tests;
