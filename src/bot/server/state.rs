//! State of the server.

use crate::bot::ids::AppId;
use crate::bot::metrics::Metrics;
use crate::bot::queue::Queue;
use crate::bot::webhook::Secrets;
use std::sync::Arc;
use tokio::sync::Semaphore;

/// State shared by all requests.
pub(in crate::bot) struct Shared {
    /// Our own number.
    pub(in crate::bot) app: AppId,
    /// The webhook secrets.
    pub(in crate::bot) secrets: Secrets,
    /// The job queue.
    pub(in crate::bot) queue: Queue,
    /// The metrics.
    pub(in crate::bot) metrics: Arc<Metrics>,
    /// Bytes available for request bodies with unverified signatures.
    pub(in crate::bot) room: Arc<Semaphore>,
}
