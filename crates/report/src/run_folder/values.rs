//! `values.json`: the variable values that support fixes.

use mend_model::TermValues;
use serde::{Deserialize, Serialize};

/// Values that tests observed before the statement that a fix changes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ObservedValues {
    /// Patch file of the fix in the run folder.
    pub patch: String,
    /// File of the statement.
    pub path: String,
    /// Line of the statement.
    pub line: u32,
    /// Number of failing tests that execute the statement.
    pub failing: usize,
    /// Number of passing tests that execute it.
    pub passing: usize,
    /// Observed expressions, the most decisive first.
    pub terms: Vec<TermValues>,
}
