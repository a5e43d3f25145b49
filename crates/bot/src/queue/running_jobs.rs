//! Running jobs of this process, for cancellation.

use super::{Job, JobId};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio_util::sync::CancellationToken;

/// Cancellation tokens of running jobs.
#[derive(Default)]
pub(super) struct RunningJobs(Mutex<HashMap<JobId, CancellationToken>>);

/// Job of a worker. Dropping it removes its cancellation token.
pub struct RunningJob {
    /// The job.
    pub job: Job,
    /// Cancelled when the job is no longer needed.
    pub cancelled: CancellationToken,
    running: Arc<RunningJobs>,
}

impl RunningJobs {
    pub(super) fn start(self: &Arc<Self>, job: Job) -> RunningJob {
        let cancelled = CancellationToken::new();
        self.lock().insert(job.id, cancelled.clone());
        RunningJob { job, cancelled, running: Arc::clone(self) }
    }

    pub(super) fn stop(&self, jobs: &[JobId]) {
        let running = self.lock();
        for token in jobs.iter().filter_map(|job| running.get(job)) {
            token.cancel();
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<JobId, CancellationToken>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for RunningJob {
    fn drop(&mut self) {
        self.running.lock().remove(&self.job.id);
    }
}
