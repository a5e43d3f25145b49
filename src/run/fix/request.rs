//! The request of a search for fixes.

use super::budget::Budget;
use crate::run::session::request::{GoodRevision, SubjectRequest};
use std::sync::Arc;

/// A request to search for fixes.
#[derive(Clone, Debug)]
pub struct FixRequest {
    /// What is judged, and how.
    pub subject: SubjectRequest,
    /// A version that passes, if one is known.
    pub good: Option<GoodRevision>,
    /// The techniques that are tried.
    pub techniques: Vec<Technique>,
    /// Whether the user selected the techniques.
    pub is_chosen: bool,
    /// What the test is to print in each schedule.
    pub expected: Option<Arc<str>>,
    /// Maximum number of fixes in the result.
    pub top: usize,
    /// How much is tried.
    pub budget: Budget,
}

/// A repair technique.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Technique {
    /// Undo the part of the change since good that breaks it.
    Regression,
    /// Change what contracts, stacks and values say is at fault.
    Contract,
    /// Change what schedules of threads show to be at fault.
    Concurrency,
}
