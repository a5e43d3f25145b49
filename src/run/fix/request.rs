//! The request of a search for fixes.

use super::budget::Budget;
use crate::run::session::request::{GoodRevision, SubjectRequest};
use std::sync::Arc;

/// A request to search for fixes.
#[derive(Clone, Debug)]
pub struct FixRequest {
    /// Version and tests, and how to run them.
    pub subject: SubjectRequest,
    /// A version that passes, if one is known.
    pub good: Option<GoodRevision>,
    /// The techniques that are tried.
    pub techniques: Vec<Technique>,
    /// The user selected the techniques.
    pub has_chosen_techniques: bool,
    /// Output that the test should print in each schedule.
    pub expected_output: Option<Arc<str>>,
    /// Maximum number of fixes in the result.
    pub max_fixes: usize,
    /// Budget of the search.
    pub budget: Budget,
}

/// A repair technique.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Technique {
    /// Revert the part of the change since good that breaks the test.
    Regression,
    /// Change code that contracts, stack traces and recorded values identify as faulty.
    Contract,
    /// Change code that thread schedules identify as faulty.
    Concurrency,
}
