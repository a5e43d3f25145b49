//! The request of the gate.

use crate::run::session::request::SubjectRequest;
use std::time::Instant;

/// A request to check a change.
#[derive(Clone, Debug)]
pub struct GateRequest {
    /// How versions are judged; its `bad` is the version to let through, and its tests are the
    /// affected ones.
    pub subject: SubjectRequest,
    /// The version before.
    pub good: String,
    /// When the time for tests is used up.
    pub end: Instant,
}
