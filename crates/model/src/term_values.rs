//! Observed values of a term in failing and passing tests.

use serde::{Deserialize, Serialize};

/// Observed values of one term at a statement, without duplicates.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TermValues {
    /// Source text of the term.
    pub term: String,
    /// Values in failing tests.
    pub failing: Vec<String>,
    /// Values in passing tests.
    pub passing: Vec<String>,
}

impl TermValues {
    /// Returns true if failing and passing tests have no value in common.
    pub fn is_distinguishing(&self) -> bool {
        !self.failing.is_empty() && self.failing.iter().all(|value| !self.passing.contains(value))
    }
}
