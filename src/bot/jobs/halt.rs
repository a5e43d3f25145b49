//! Why a job does not go on.

use crate::bot::queue::{Ending, Unavailable};
use crate::github::ForgeError;
use std::time::Duration;

/// Why a job does not go on.
#[derive(Debug, thiserror::Error)]
pub(super) enum Halt {
    /// GitHub does not do what was asked.
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
    /// Somebody else has the job, or it was cancelled.
    #[error("the job was taken away")]
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
