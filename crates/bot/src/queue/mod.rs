//! Durable job queue: accepted work is done once, even if the process is killed.
//!
//! One thread owns the database. It takes what has gathered since its last transaction into the next one, so that
//! many deliveries share one wait for the disk.

mod cancel;
mod claim;
mod close_jobs;
mod database;
mod enqueue;
mod job;
mod overview;
mod report_pages;
mod running_jobs;
mod schema;
#[cfg(test)]
mod tests;

pub use crate::queue::database::QueueUnavailable;
pub use crate::queue::enqueue::EnqueueResult;
pub use crate::queue::overview::{JobCounts, JobRow, QueueOverview};
pub use crate::queue::running_jobs::RunningJob;
pub use claim::JobLimits;
pub use job::{Job, JobId, JobOutcome, JobState};

use crate::policy::QueueChanges;
use crate::queue::database::QueueDatabase;
use crate::queue::running_jobs::RunningJobs;
use crate::task::JobSelection;
use crate::webhook::Delivery;
use jiff::Timestamp;
use mend_model::Result;
use std::path::Path;
use std::sync::Arc;
use tokio::sync::Notify;

/// A handle on the queue; clones share it.
#[derive(Clone)]
pub struct JobQueue {
    store: QueueDatabase,
    running: Arc<RunningJobs>,
    changed: Arc<Notify>,
}

impl JobQueue {
    /// Opens or creates the queue in this file. Requeues the jobs of a killed process.
    ///
    /// # Errors
    /// [`mend_model::Problem::Usage`] if another process uses the file or it is not a queue of this version. An I/O
    /// error otherwise.
    pub fn open(path: &Path) -> Result<Self> {
        let store = QueueDatabase::open(path)?;
        Ok(Self { store, running: Arc::default(), changed: Arc::default() })
    }

    /// Stores a delivery together with its effects, in one transaction.
    ///
    /// # Errors
    /// The disk cannot keep it.
    pub async fn accept(
        &self,
        delivery: Delivery,
        effects: QueueChanges,
    ) -> Result<EnqueueResult, QueueUnavailable> {
        let now = Timestamp::now();
        let work = move |connection: &_| {
            crate::queue::enqueue::accept(connection, &delivery, &effects, now)
        };
        let (intake, stopped) = self.store.call(work).await?;
        self.running.stop(&stopped);
        self.changed.notify_one();
        Ok(intake)
    }

    /// Takes the next runnable job from the queue.
    ///
    /// # Errors
    /// The disk cannot keep it.
    pub async fn claim(&self, limits: JobLimits) -> Result<Option<RunningJob>, QueueUnavailable> {
        let running = Arc::clone(&self.running);
        self.store
            .call(move |connection| {
                let job = claim::claim(connection, limits, Timestamp::now())?;
                // Registered before another thread can cancel it.
                Ok(job.map(|job| running.start(job)))
            })
            .await
    }

    /// Records the progress of a job. Returns false if another run has the job now: then the caller must stop.
    ///
    /// # Errors
    /// The disk cannot keep it.
    pub async fn record(&self, job: &Job, progress: String) -> Result<bool, QueueUnavailable> {
        let (id, epoch) = (job.id, job.epoch);
        self.store.call(move |connection| claim::record(connection, id, epoch, &progress)).await
    }

    /// Keeps the page of the run that a job made, unless the job is no longer the caller's.
    ///
    /// # Errors
    /// The disk cannot keep it.
    pub async fn keep_report(&self, job: &Job, page: String) -> Result<(), QueueUnavailable> {
        let (id, epoch) = (job.id, job.epoch);
        self.store
            .call(move |connection| crate::queue::report_pages::keep(connection, id, epoch, &page))
            .await
    }

    /// Returns the report page of a job.
    ///
    /// # Errors
    /// The disk cannot be read.
    pub async fn report(&self, job: JobId) -> Result<Option<String>, QueueUnavailable> {
        self.store.call(move |connection| crate::queue::report_pages::find(connection, job)).await
    }

    /// Ends a run of a job.
    ///
    /// # Errors
    /// The disk cannot keep it.
    pub async fn end(&self, job: &Job, ending: JobOutcome) -> Result<JobState, QueueUnavailable> {
        let (id, epoch) = (job.id, job.epoch);
        let work =
            move |connection: &_| claim::end(connection, id, epoch, &ending, Timestamp::now());
        let state = self.store.call(work).await?;
        self.changed.notify_one();
        Ok(state)
    }

    /// Cancels the selected jobs, except for the job that requested it.
    ///
    /// # Errors
    /// The disk cannot keep it.
    pub async fn cancel(
        &self,
        selection: JobSelection,
        but: JobId,
        why: &'static str,
    ) -> Result<usize, QueueUnavailable> {
        let work = move |connection: &_| {
            cancel::cancel(connection, &selection, Some(but), why, Timestamp::now())
        };
        let cancelled = self.store.call(work).await?;
        self.running.stop(&cancelled.running);
        self.changed.notify_one();
        Ok(cancelled.count)
    }

    /// Deletes deliveries and jobs after their retention.
    ///
    /// # Errors
    /// The disk cannot keep it.
    pub async fn sweep(&self) -> Result<(), QueueUnavailable> {
        self.store
            .call(|connection| crate::queue::enqueue::sweep(connection, Timestamp::now()))
            .await
    }

    /// Returns the content of the queue for the status page.
    ///
    /// # Errors
    /// The disk cannot be read.
    pub async fn overview(&self) -> Result<QueueOverview, QueueUnavailable> {
        self.store.call(crate::queue::overview::overview).await
    }

    /// Returns the time at which the next delayed job may run.
    ///
    /// # Errors
    /// The disk cannot be read.
    pub async fn next_time(&self) -> Result<Option<Timestamp>, QueueUnavailable> {
        self.store.call(|connection| claim::next_time(connection, Timestamp::now())).await
    }

    /// Waits until something came, ended or was cancelled.
    pub async fn changed(&self) {
        self.changed.notified().await;
    }
}
