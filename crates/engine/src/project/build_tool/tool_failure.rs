//! Reason why a build tool gave no model.

use mend_model::Problem;

/// Reason why a build tool gave no model.
#[derive(Debug)]
pub(crate) enum ToolFailure {
    /// There is no build tool.
    Unavailable(String),
    /// The tool failed, with this message.
    Failed(String),
    /// Something else failed, which ends the run.
    Problem(Problem),
}

impl From<Problem> for ToolFailure {
    fn from(problem: Problem) -> Self {
        Self::Problem(problem)
    }
}
