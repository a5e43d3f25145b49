//! Types of `values.json`, which contains the observed values that support fixes.

use mend_model::TermValues;
use serde::{Deserialize, Serialize};

/// Values that tests observed before the statement that a fix changes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ObservedValues {
    /// Path of the patch in the run folder.
    pub patch: String,
    /// File of the statement.
    pub path: String,
    /// Line of the statement.
    pub line: u32,
    /// Number of failing tests that execute the statement.
    pub failing: usize,
    /// Number of passing tests that execute the statement.
    pub passing: usize,
    /// Observed expressions, the most discriminating first.
    pub terms: Vec<TermValues>,
}
