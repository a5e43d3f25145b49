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
    /// The queue could not record the progress.
    #[error(transparent)]
    QueueUnavailable(#[from] QueueUnavailable),
    /// Local failure on this machine.
    #[error("{0}")]
    LocalFailure(String),
    /// Invalid settings of the repository.
    #[error("{0}")]
    InvalidSettings(String),
    /// Another worker runs the job, or the job was cancelled.
    #[error("another worker has this job, or it was cancelled")]
    Superseded,
    /// Obsolete job, with the reason.
    #[error("{0}")]
    Obsolete(&'static str),
}

impl JobStop {
    /// Returns true if another attempt of the job may succeed.
    pub(super) fn may_retry(&self) -> bool {
        match self {
            // A wrong key of the App may be corrected later, and a token is valid for one hour.
            Self::GitHub(ApiError::Unauthorized | ApiError::RateLimited { .. })
            | Self::QueueUnavailable(_)
            | Self::LocalFailure(_) => true,
            Self::GitHub(error) => error.is_transient(),
            Self::InvalidSettings(_) | Self::Superseded | Self::Obsolete(_) => false,
        }
    }
}

impl From<JobStop> for JobOutcome {
    fn from(stop: JobStop) -> Self {
        let message = stop.to_string();
        match stop {
            JobStop::GitHub(ApiError::RateLimited { seconds }) => {
                Self::Postponed { pause: Duration::from_secs(seconds), message }
            }
            JobStop::Superseded | JobStop::Obsolete(_) => Self::Cancelled { message },
            stop => Self::Failed { message, may_retry: stop.may_retry() },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failure_of(stop: JobStop) -> (String, bool) {
        match JobOutcome::from(stop) {
            JobOutcome::Failed { message, may_retry } => (message, may_retry),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn rate_limited_job_is_postponed_as_requested() {
        let ending = JobOutcome::from(JobStop::from(ApiError::RateLimited { seconds: 3600 }));
        let message = "GitHub rate limit exceeded: wait 60 minutes".to_owned();
        assert_eq!(ending, JobOutcome::Postponed { pause: Duration::from_secs(3600), message });
    }

    #[test]
    fn transient_failure_is_retried() {
        for stop in [
            ApiError::UnknownOutcome("502".to_owned()).into(),
            ApiError::Unreachable("no route".to_owned()).into(),
            ApiError::Unauthorized.into(),
            JobStop::LocalFailure("the disk is full".to_owned()),
        ] {
            let message = stop.to_string();
            assert_eq!(failure_of(stop), (message, true));
        }
    }

    #[test]
    fn permanent_failure_is_not_retried() {
        let text = || "no".to_owned();
        for stop in [
            ApiError::Forbidden(text()).into(),
            ApiError::NotFound(text()).into(),
            ApiError::Invalid(text()).into(),
            ApiError::Conflict(text()).into(),
            ApiError::MalformedResponse(text()).into(),
            JobStop::InvalidSettings(text()),
        ] {
            let text = stop.to_string();
            assert_eq!(failure_of(stop), (text, false));
        }
    }

    #[test]
    fn obsolete_or_superseded_job_is_cancelled() {
        for stop in [JobStop::Obsolete("the branch was deleted"), JobStop::Superseded] {
            let message = stop.to_string();
            assert_eq!(JobOutcome::from(stop), JobOutcome::Cancelled { message });
        }
    }
}
