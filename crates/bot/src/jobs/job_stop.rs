//! Reasons for ending a job early.

use crate::queue::{JobOutcome, QueueUnavailable};
use mend_github::ApiError;
use std::time::Duration;

/// Reason for ending a job early.
#[derive(Debug, thiserror::Error)]
pub(super) enum JobStop {
    /// GitHub rejected a request.
    #[error(transparent)]
    GitHub(#[from] ApiError),
    /// The queue cannot keep how far it is.
    #[error(transparent)]
    QueueUnavailable(#[from] QueueUnavailable),
    /// Local failure on this machine.
    #[error("{0}")]
    LocalFailure(String),
    /// The repository's settings make no sense.
    #[error("{0}")]
    InvalidSettings(String),
    /// Another worker has the job, or it was cancelled.
    #[error("another worker has this job, or it was cancelled")]
    Superseded,
    /// Obsolete job, with the reason.
    #[error("{0}")]
    Obsolete(&'static str),
}

impl From<JobStop> for JobOutcome {
    fn from(halt: JobStop) -> Self {
        let message = halt.to_string();
        match halt {
            JobStop::GitHub(ApiError::RateLimited { seconds }) => {
                Self::Postponed { pause: Duration::from_secs(seconds), message }
            }
            // The App's key may have been wrong for a while, and a token lives an hour.
            JobStop::GitHub(ApiError::Unauthorized)
            | JobStop::QueueUnavailable(_)
            | JobStop::LocalFailure(_) => Self::Failed { message, may_retry: true },
            JobStop::InvalidSettings(_) => Self::Failed { message, may_retry: false },
            JobStop::GitHub(error) => Self::Failed { message, may_retry: error.is_passing() },
            JobStop::Superseded | JobStop::Obsolete(_) => Self::Cancelled { message },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failed(halt: JobStop) -> (String, bool) {
        match JobOutcome::from(halt) {
            JobOutcome::Failed { message, may_retry } => (message, may_retry),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_job_that_is_to_wait_waits_as_long_as_github_says_and_that_is_no_failure() {
        let ending = JobOutcome::from(JobStop::from(ApiError::RateLimited { seconds: 3600 }));
        let message = "GitHub rate limit exceeded: wait 60 minutes".to_owned();
        assert_eq!(ending, JobOutcome::Postponed { pause: Duration::from_secs(3600), message });
    }

    #[test]
    fn what_may_go_well_later_is_tried_again() {
        for halt in [
            ApiError::UnknownOutcome("502".to_owned()).into(),
            ApiError::Unreachable("no route".to_owned()).into(),
            ApiError::Unauthorized.into(),
            JobStop::LocalFailure("the disk is full".to_owned()),
        ] {
            let said = halt.to_string();
            assert_eq!(failed(halt), (said, true));
        }
    }

    #[test]
    fn what_would_go_wrong_again_is_given_up() {
        let said = || "no".to_owned();
        for halt in [
            ApiError::Forbidden(said()).into(),
            ApiError::NotFound(said()).into(),
            ApiError::Invalid(said()).into(),
            ApiError::Conflict(said()).into(),
            ApiError::MalformedResponse(said()).into(),
            JobStop::InvalidSettings(said()),
        ] {
            let said = halt.to_string();
            assert_eq!(failed(halt), (said, false));
        }
    }

    #[test]
    fn a_job_without_a_reason_is_cancelled() {
        for halt in [JobStop::Obsolete("the branch was deleted"), JobStop::Superseded] {
            let message = halt.to_string();
            assert_eq!(JobOutcome::from(halt), JobOutcome::Cancelled { message });
        }
    }
}
