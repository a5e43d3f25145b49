//! State that all requests share.

use crate::metrics::Metrics;
use crate::queue::JobQueue;
use crate::webhook::WebhookSecrets;
use mend_github::AppId;
use std::sync::Arc;
use tokio::sync::Semaphore;

/// State shared by all requests.
pub(crate) struct ServerState {
    /// Number of the App.
    pub(crate) app_id: AppId,
    /// Webhook secrets.
    pub(crate) secrets: WebhookSecrets,
    /// Job queue.
    pub(crate) queue: JobQueue,
    /// Metrics of the server.
    pub(crate) metrics: Arc<Metrics>,
    /// Budget for request bodies with unverified signatures, in bytes.
    pub(crate) body_budget: Arc<Semaphore>,
}
