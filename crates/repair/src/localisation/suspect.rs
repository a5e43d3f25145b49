//! Suspicious statement: the result of fault localisation.

use mend_java::facts::NodeIndex;

/// A statement that may contain the fault.
#[derive(Clone, Debug, PartialEq)]
pub struct SuspiciousStatement {
    /// Index of the file.
    pub file: usize,
    /// The statement.
    pub statement: NodeIndex,
    /// Likelihood, from 0 to 1.
    pub score: f64,
}
