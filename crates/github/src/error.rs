//! Errors of GitHub API calls.

use mend_model::{Problem, format_duration};
use std::time::Duration;

/// Result of a GitHub API call.
pub type ApiResult<T> = Result<T, ApiError>;

/// Error of a GitHub API call. Each kind needs a different reaction.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ApiError {
    /// The token is invalid or has expired.
    #[error("GitHub rejected the token")]
    Unauthorized,
    /// The token lacks a permission.
    #[error("GitHub denied the request: {0}")]
    Forbidden(String),
    /// The resource does not exist, or the token cannot see it.
    #[error("not found on GitHub, or not visible to this token: {0}")]
    NotFound(String),
    /// The resource changed concurrently.
    #[error("changed by someone else in the meantime: {0}")]
    Conflict(String),
    /// GitHub rejected the content of the request.
    #[error("GitHub rejected the request: {0}")]
    Invalid(String),
    /// The rate limit is exceeded, and the maximum waiting time is used up.
    #[error("GitHub rate limit exceeded: wait {}", format_duration(Duration::from_secs(*seconds)))]
    RateLimited {
        /// Delay that GitHub requests.
        seconds: u64,
    },
    /// A write request with an unknown outcome. Check the state before you repeat it.
    #[error("unknown whether GitHub executed the request: {0}")]
    UnknownOutcome(String),
    /// A read request without a usable response.
    #[error("cannot reach GitHub: {0}")]
    Unreachable(String),
    /// A response that does not match GitHub's API description.
    #[error("cannot parse GitHub's response: {0}")]
    MalformedResponse(String),
}

impl ApiError {
    /// Returns true if the same request may succeed later.
    pub fn is_transient(&self) -> bool {
        matches!(self, Self::RateLimited { .. } | Self::UnknownOutcome(_) | Self::Unreachable(_))
    }

    /// Converts the error to a problem for the user. `action` names the failed action.
    pub fn into_problem(self, action: &str) -> Problem {
        let remedy = match &self {
            Self::Unauthorized => "set GITHUB_TOKEN or GH_TOKEN to a valid token",
            Self::Forbidden(_) | Self::NotFound(_) => {
                "give the token the permissions that docs/github.md lists for this repository"
            }
            Self::Invalid(_) | Self::MalformedResponse(_) => {
                "run the command again with -v, and report the output"
            }
            Self::Conflict(_)
            | Self::RateLimited { .. }
            | Self::UnknownOutcome(_)
            | Self::Unreachable(_) => "run the same command again; it continues where it stopped",
        };
        let message = format!("{action}: {self}");
        Problem::GitHubError { message, remedy: remedy.to_owned() }
    }
}
