//! Registry of the jobs that this process runs, for their cancellation.

use super::{Job, JobId};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio_util::sync::CancellationToken;

/// Cancellation tokens of running jobs.
#[derive(Default)]
pub(super) struct RunningJobs(Mutex<HashMap<JobId, CancellationToken>>);

/// Claimed job of a worker. Dropping it removes its cancellation token.
pub struct RunningJob {
    /// Claimed job.
    pub job: Job,
    /// Token that is cancelled when the job is no longer needed.
    pub cancellation: CancellationToken,
    registry: Arc<RunningJobs>,
}

impl RunningJobs {
    pub(super) fn register(self: &Arc<Self>, job: Job) -> RunningJob {
        let token = CancellationToken::new();
        self.lock_tokens().insert(job.id, token.clone());
        RunningJob { job, cancellation: token, registry: Arc::clone(self) }
    }

    pub(super) fn cancel_jobs(&self, jobs: &[JobId]) {
        let running = self.lock_tokens();
        for token in jobs.iter().filter_map(|job| running.get(job)) {
            token.cancel();
        }
    }

    fn lock_tokens(&self) -> MutexGuard<'_, HashMap<JobId, CancellationToken>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for RunningJob {
    fn drop(&mut self) {
        self.registry.lock_tokens().remove(&self.job.id);
    }
}
