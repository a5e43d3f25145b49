//! Reasons for ending a job early.

use crate::queue::{Ending, Unavailable};
use mend_github::ForgeError;
use std::time::Duration;

/// Reason for ending a job early.
#[derive(Debug, thiserror::Error)]
pub(super) enum Halt {
    /// GitHub rejected a request.
    #[error(transparent)]
    Forge(#[from] ForgeError),
    /// The queue cannot keep how far it is.
    #[error(transparent)]
    Queue(#[from] Unavailable),
    /// Something on this machine does not go.
    #[error("{0}")]
    Here(String),
    /// The repository's settings make no sense.
    #[error("{0}")]
    Settings(String),
    /// Another worker has the job, or it was cancelled.
    #[error("another worker has this job, or it was cancelled")]
    Lost,
    /// It has lost its reason.
    #[error("{0}")]
    Moot(&'static str),
}

impl From<Halt> for Ending {
    fn from(halt: Halt) -> Self {
        let message = halt.to_string();
        match halt {
            Halt::Forge(ForgeError::RateLimited { seconds }) => {
                Self::Later { pause: Duration::from_secs(seconds), message }
            }
            // The App's key may have been wrong for a while, and a token lives an hour.
            Halt::Forge(ForgeError::Unauthorized) | Halt::Queue(_) | Halt::Here(_) => {
                Self::Failed { message, may_retry: true }
            }
            Halt::Settings(_) => Self::Failed { message, may_retry: false },
            Halt::Forge(error) => Self::Failed { message, may_retry: error.is_passing() },
            Halt::Lost | Halt::Moot(_) => Self::Cancelled { message },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failed(halt: Halt) -> (String, bool) {
        match Ending::from(halt) {
            Ending::Failed { message, may_retry } => (message, may_retry),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_job_that_is_to_wait_waits_as_long_as_github_says_and_that_is_no_failure() {
        let ending = Ending::from(Halt::from(ForgeError::RateLimited { seconds: 3600 }));
        let message = "GitHub rate limit exceeded: wait 60 minutes".to_owned();
        assert_eq!(ending, Ending::Later { pause: Duration::from_secs(3600), message });
    }

    #[test]
    fn what_may_go_well_later_is_tried_again() {
        for halt in [
            ForgeError::Uncertain("502".to_owned()).into(),
            ForgeError::Unreachable("no route".to_owned()).into(),
            ForgeError::Unauthorized.into(),
            Halt::Here("the disk is full".to_owned()),
        ] {
            let said = halt.to_string();
            assert_eq!(failed(halt), (said, true));
        }
    }

    #[test]
    fn what_would_go_wrong_again_is_given_up() {
        let said = || "no".to_owned();
        for halt in [
            ForgeError::Forbidden(said()).into(),
            ForgeError::NotFound(said()).into(),
            ForgeError::Invalid(said()).into(),
            ForgeError::Conflict(said()).into(),
            ForgeError::Garbled(said()).into(),
            Halt::Settings(said()),
        ] {
            let said = halt.to_string();
            assert_eq!(failed(halt), (said, false));
        }
    }

    #[test]
    fn a_job_without_a_reason_is_cancelled() {
        for halt in [Halt::Moot("the branch was deleted"), Halt::Lost] {
            let message = halt.to_string();
            assert_eq!(Ending::from(halt), Ending::Cancelled { message });
        }
    }
}
