//! The request of the gate.

use crate::run::session::request::SubjectRequest;
use std::time::Instant;

/// A request to check a change.
#[derive(Clone, Debug)]
pub struct HookCheckRequest {
    /// Version to check, and how to run its tests; `bad` is the new version, and the affected tests are selected.
    pub subject: SubjectRequest,
    /// The version before.
    pub good: String,
    /// Deadline for the tests.
    pub deadline: Instant,
}
