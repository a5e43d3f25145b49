//! Contracts of Java routines. Preconditions come from leading guards, check methods, annotations, comments and Javadoc;
//! postconditions come from annotations, comments and Javadoc, invariants from annotations and comments.

mod annotations;
pub(crate) mod checks;
mod javadoc;
mod jml;
mod parameters;
mod routines;
mod statement_call;
mod written;

pub(super) use crate::contracts::call_translation::unqualified_names;
pub(super) use crate::contracts::postconditions::{
    Postcondition, RESULT_PLACEHOLDER, SAVED_VALUE_PREFIX,
};
pub(crate) use javadoc::DocumentedThrow;
pub use routines::Contracts;

pub(crate) mod available_facts;
mod call_translation;
mod check_methods;
mod library_checks;
mod postconditions;
#[cfg(test)]
mod tests;
