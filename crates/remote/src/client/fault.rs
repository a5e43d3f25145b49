//! Faults of servers, workers and connections, by what helps against them.

use bazel_remote_apis::google::protobuf::Any;
use bazel_remote_apis::google::rpc;
use prost::Message as _;
use std::collections::BTreeSet;
use tonic::{Code, Status};

/// Type of the details that say why an action cannot begin.
const PRECONDITION_FAILURE: &str = "google.rpc.PreconditionFailure";

/// Details that say why an action cannot begin, `google.rpc.PreconditionFailure`.
#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct PreconditionFailure {
    #[prost(message, repeated, tag = "1")]
    pub(crate) violations: Vec<Violation>,
}

/// A reason why an action cannot begin.
#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct Violation {
    /// `MISSING` for a missing blob.
    #[prost(string, tag = "1")]
    pub(crate) r#type: String,
    /// For a missing blob, `blobs/HASH/SIZE`.
    #[prost(string, tag = "2")]
    pub(crate) subject: String,
}

/// Fault of a request or an action.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Fault {
    /// The server does not answer, or is overloaded: the request is repeated later.
    #[error("{0}")]
    Unavailable(String),
    /// Blobs that were uploaded are gone: they are uploaded again.
    #[error("uploaded files are missing on the server: {reason}")]
    MissingBlobs {
        reason: String,
        /// Hashes of the blobs, as far as the server names them.
        hashes: BTreeSet<String>,
    },
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
            Code::NotFound | Code::FailedPrecondition => {
                let details = rpc::Status::decode(status.details()).unwrap_or_default().details;
                Self::from_precondition(text, &details)
            }
            Code::Unauthenticated
            | Code::PermissionDenied
            | Code::InvalidArgument
            | Code::Unimplemented => Self::Refused(text),
            Code::DataLoss => Self::Lost(text),
            _ => Self::Unavailable(text),
        }
    }

    /// Classifies the status in the answer of an operation: the server is there, and the action failed.
    pub(crate) fn from_action_status(status: &rpc::Status) -> Self {
        let code = Code::from_i32(status.code);
        let text = format!("{code}: {}", status.message);
        match code {
            Code::NotFound | Code::FailedPrecondition => {
                Self::from_precondition(text, &status.details)
            }
            Code::Unauthenticated | Code::PermissionDenied | Code::Unimplemented => {
                Self::Refused(text)
            }
            _ => Self::Lost(text),
        }
    }

    /// Classifies an unmet precondition. Without details, blobs are missing.
    fn from_precondition(reason: String, details: &[Any]) -> Self {
        let failures = details.iter().filter(|any| any.type_url.ends_with(PRECONDITION_FAILURE));
        let failures = failures.filter_map(|any| PreconditionFailure::decode(&*any.value).ok());
        let violations: Vec<Violation> = failures.flat_map(|failure| failure.violations).collect();
        let missing = violations.iter().filter(|violation| violation.r#type == "MISSING");
        let hash = |violation: &Violation| {
            let (_, digest) = violation.subject.rsplit_once("blobs/")?;
            digest.split('/').next().map(str::to_owned)
        };
        let is_missing = violations.is_empty() || missing.clone().next().is_some();
        if is_missing {
            Self::MissingBlobs { reason, hashes: missing.filter_map(hash).collect() }
        } else {
            Self::Lost(reason)
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
        assert!(matches!(fault(Code::FailedPrecondition), Fault::MissingBlobs { .. }));
        assert!(matches!(fault(Code::Unauthenticated), Fault::Refused(_)));
        let status = rpc::Status { code: Code::DeadlineExceeded as i32, ..Default::default() };
        assert!(matches!(Fault::from_action_status(&status), Fault::Lost(_)));
    }

    #[test]
    fn missing_blobs_are_those_that_the_server_names() {
        let fault = |violations: &[(&str, &str)]| {
            let violation = |(name, subject): &(&str, &str)| Violation {
                r#type: (*name).to_owned(),
                subject: (*subject).to_owned(),
            };
            let failure =
                PreconditionFailure { violations: violations.iter().map(violation).collect() };
            let type_url = format!("type.googleapis.com/{PRECONDITION_FAILURE}");
            let details = vec![Any { type_url, value: failure.encode_to_vec() }];
            let code = Code::FailedPrecondition as i32;
            let status = rpc::Status { code, message: "m".to_owned(), details };
            let bytes = status.encode_to_vec().into();
            let answer = Status::with_details(Code::FailedPrecondition, "m", bytes);
            assert_eq!(Fault::from_status(&answer), Fault::from_action_status(&status));
            Fault::from_status(&answer)
        };
        let named = fault(&[("MISSING", "blobs/ab12/7"), ("MISSING", "main/blobs/cd/1")]);
        let hashes = BTreeSet::from(["ab12", "cd"].map(str::to_owned));
        let reason = format!("{}: m", Code::FailedPrecondition);
        assert_eq!(named, Fault::MissingBlobs { reason, hashes });
        assert!(matches!(fault(&[("LEASE", "x")]), Fault::Lost(_)));
    }
}
