//! Faults of servers, workers and connections, by what helps against them.

use tonic::{Code, Status};

/// Fault of a request or an action.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Fault {
    /// The server does not answer, or is overloaded: the request is repeated later.
    #[error("{0}")]
    Unavailable(String),
    /// Blobs that were uploaded are gone: they are uploaded again.
    #[error("uploaded files are missing on the server: {0}")]
    MissingBlobs(String),
    /// The action ended without a result, for a reason that may lie in its worker: another one gets it.
    #[error("{0}")]
    Lost(String),
    /// The worker cannot test anything, or the batch ended it.
    #[error("{0}")]
    WorkerFailed(String),
    /// The server refuses the request, also if it is repeated.
    #[error("{0}")]
    Refused(String),
}

impl Fault {
    /// Classifies the answer to a request.
    pub(crate) fn from_status(status: &Status) -> Self {
        let text = format!("{}: {}", status.code(), status.message());
        match status.code() {
            Code::NotFound | Code::FailedPrecondition => Self::MissingBlobs(text),
            Code::Unauthenticated
            | Code::PermissionDenied
            | Code::InvalidArgument
            | Code::Unimplemented => Self::Refused(text),
            Code::DataLoss => Self::Lost(text),
            _ => Self::Unavailable(text),
        }
    }

    /// Classifies the status in the answer of an operation: the server is there, and the action failed.
    pub(crate) fn from_action_status(code: i32, message: &str) -> Self {
        let code = Code::from_i32(code);
        let text = format!("{code}: {message}");
        match code {
            Code::NotFound | Code::FailedPrecondition => Self::MissingBlobs(text),
            Code::Unauthenticated | Code::PermissionDenied | Code::Unimplemented => {
                Self::Refused(text)
            }
            _ => Self::Lost(text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_are_classified_by_code() {
        let fault = |code| Fault::from_status(&Status::new(code, "x"));
        assert!(matches!(fault(Code::Unavailable), Fault::Unavailable(_)));
        assert!(matches!(fault(Code::FailedPrecondition), Fault::MissingBlobs(_)));
        assert!(matches!(fault(Code::Unauthenticated), Fault::Refused(_)));
        let lost = Fault::from_action_status(Code::DeadlineExceeded as i32, "x");
        assert!(matches!(lost, Fault::Lost(_)));
    }
}
