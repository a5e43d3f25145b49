//! State of the server.

use crate::metrics::Metrics;
use crate::queue::JobQueue;
use crate::webhook::WebhookSecrets;
use mend_github::AppId;
use std::sync::Arc;
use tokio::sync::Semaphore;

/// State shared by all requests.
pub(crate) struct ServerState {
    /// Our own number.
    pub(crate) app_id: AppId,
    /// The webhook secrets.
    pub(crate) secrets: WebhookSecrets,
    /// The job queue.
    pub(crate) queue: JobQueue,
    /// The metrics.
    pub(crate) metrics: Arc<Metrics>,
    /// Bytes available for request bodies with unverified signatures.
    pub(crate) body_budget: Arc<Semaphore>,
}
