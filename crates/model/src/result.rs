//! Result type whose error is shown to the user.

use super::problem::Problem;

/// Result whose error is a message for the user.
pub type Result<T, E = Problem> = std::result::Result<T, E>;
