//! Refactorings: behaviour-preserving changes, each detected by a strict pattern.
//!
//! A detector compares both versions and returns the tokens that one refactoring removes and adds. The hunks that
//! change nothing else become one component with the refactoring's name.

mod accepted;
mod carried;
mod conditionals;
mod cover;
mod detect;
mod expand;
mod hierarchy;
mod kinship;
mod methods;
mod moves;
mod outline;
mod pairing;
mod parameter_object;
mod parameters;
mod refactoring;
mod rename;
mod resolve;
mod scene;
mod temps;
mod values;
mod visibility;
mod window;

pub(super) use detect::Refactorings;
pub use refactoring::RefactoringNote;

#[cfg(test)]
mod tests;
