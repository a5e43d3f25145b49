//! Outcome of a search, and the reasons for a missing result.

use mend_model::Exit;
use serde::{Deserialize, Serialize};

/// Outcome of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchOutcome {
    /// A culprit, a fix, or both.
    Found,
    /// The search completed and found no culprit.
    NotFound,
    /// The failure is flaky: there is no culprit.
    Flaky,
    /// The search did not complete.
    Incomplete,
    /// The search has no result for this change.
    Failed(FailureReason),
}

/// Reason why a search has no result for a change. The author of the change caused none of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureReason {
    /// The search request was invalid.
    Usage,
    /// Baseline check failed: the good version does not pass, or the bad version does not fail.
    Baseline,
    /// The environment of the search is incomplete.
    Environment,
    /// git-mend failed with an internal error.
    Internal,
}

impl FailureReason {
    /// Converts an exit code of the search. Returns `None` if the search has a result.
    pub fn from_exit(exit: Exit) -> Option<Self> {
        match exit {
            Exit::Usage => Some(Self::Usage),
            Exit::BadBaseline => Some(Self::Baseline),
            Exit::Environment => Some(Self::Environment),
            Exit::Internal => Some(Self::Internal),
            Exit::Found | Exit::NotFound | Exit::Flaky | Exit::Interrupted => None,
        }
    }

    /// Converts the exit code of a process as [`Self::from_exit`] does. An unknown code counts as an incomplete environment.
    pub fn from_code(code: i32) -> Option<Self> {
        let all_exits = [
            Exit::Found,
            Exit::NotFound,
            Exit::Usage,
            Exit::BadBaseline,
            Exit::Environment,
            Exit::Flaky,
            Exit::Internal,
            Exit::Interrupted,
        ];
        let has_code = |exit: &Exit| i32::from(*exit as u8) == code;
        all_exits.into_iter().find(has_code).map_or(Some(Self::Environment), Self::from_exit)
    }
}
