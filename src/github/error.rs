//! What GitHub may answer instead of what was asked for.

use crate::model::{Problem, lasting};
use std::time::Duration;

/// The answer of a call.
pub type ForgeResult<T> = Result<T, ForgeError>;

/// Why a call has no answer; each leads to another action.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ForgeError {
    /// The token is none, or no longer one.
    #[error("GitHub does not take the token")]
    Unauthorized,
    /// The token may not do this.
    #[error("GitHub does not allow it: {0}")]
    Forbidden(String),
    /// It is not there, or the token may not see it.
    #[error("GitHub does not have it, or does not show it to this token: {0}")]
    NotFound(String),
    /// It is not what it was.
    #[error("somebody else changed it meanwhile: {0}")]
    Conflict(String),
    /// GitHub understood, and refuses.
    #[error("GitHub refuses it: {0}")]
    Invalid(String),
    /// Too many calls; it was waited for as long as may be.
    #[error("GitHub asks to wait for {}", lasting(Duration::from_secs(*seconds)))]
    RateLimited {
        /// How long.
        seconds: u64,
    },
    /// A call that changes something, and nobody knows whether it did: look before it is made again.
    #[error("nobody knows whether it was done: {0}")]
    Uncertain(String),
    /// No answer, or none that can be used, of a call that changes nothing.
    #[error("GitHub cannot be reached: {0}")]
    Unreachable(String),
    /// An answer that is not what GitHub says that it is.
    #[error("GitHub's answer is not understood: {0}")]
    Garbled(String),
}

impl ForgeError {
    /// Whether the same may go well later.
    pub fn is_passing(&self) -> bool {
        matches!(self, Self::RateLimited { .. } | Self::Uncertain(_) | Self::Unreachable(_))
    }

    /// The problem of the user, who wanted something done.
    pub fn while_doing(self, what: &str) -> Problem {
        let remedy = match &self {
            Self::Unauthorized => "give a token that is valid, in GITHUB_TOKEN or GH_TOKEN",
            Self::Forbidden(_) | Self::NotFound(_) => {
                "see that the token may do this in this repository; docs/github.md lists what is needed"
            }
            Self::Invalid(_) | Self::Garbled(_) => "run it again with -v, and report what it says",
            Self::Conflict(_)
            | Self::RateLimited { .. }
            | Self::Uncertain(_)
            | Self::Unreachable(_) => "run the same command again: it goes on where it stopped",
        };
        let message = format!("{what}: {self}");
        Problem::Forge { message, remedy: remedy.to_owned() }
    }
}
