//! Contracts as Java has them: what routines demand of their callers, in leading guards, checks of libraries and of
//! the project, annotations and comments; and what they promise, in annotations and comments.

mod annotations;
mod assurances;
mod calls;
mod checkers;
mod checks;
mod guards;
mod jml;
mod parameters;
mod routines;
mod terms;
mod written;

pub(super) use assurances::{Assurance, KEPT, RESULT};
pub use routines::Contracts;
pub(super) use terms::names;

#[cfg(test)]
mod tests;
