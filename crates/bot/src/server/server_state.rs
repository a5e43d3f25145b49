//! State of the server.

use crate::ids::AppId;
use crate::metrics::Metrics;
use crate::queue::Queue;
use crate::webhook::Secrets;
use std::sync::Arc;
use tokio::sync::Semaphore;

/// State shared by all requests.
pub(crate) struct Shared {
    /// Our own number.
    pub(crate) app: AppId,
    /// The webhook secrets.
    pub(crate) secrets: Secrets,
    /// The job queue.
    pub(crate) queue: Queue,
    /// The metrics.
    pub(crate) metrics: Arc<Metrics>,
    /// Bytes available for request bodies with unverified signatures.
    pub(crate) room: Arc<Semaphore>,
}
