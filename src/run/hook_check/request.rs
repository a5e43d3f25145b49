//! Request of the hook check.

use crate::run::session::request::SubjectRequest;
use std::time::Instant;

/// Request to check a change.
#[derive(Clone, Debug)]
pub struct HookCheckRequest {
    /// Version to check, and how to run its tests. `bad` is the new version. The affected tests are selected
    /// automatically.
    pub subject: SubjectRequest,
    /// Previous version.
    pub good: String,
    /// Deadline for the tests.
    pub deadline: Instant,
}
