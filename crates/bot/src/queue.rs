//! Durable job queue: performs accepted work once, even if the process is killed.
//!
//! One thread owns the database. It combines all waiting operations into one transaction, so that many deliveries share
//! one write to the disk.

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

use crate::queue::database::QueueDatabase;
use crate::queue::running_jobs::RunningJobs;
use crate::task::JobSelection;
use crate::webhook::Delivery;
use crate::webhook_decision::QueueChanges;
use jiff::Timestamp;
use mend_model::{CommitId, Result};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use tokio::sync::Notify;

/// Handle of the queue. Clones share the queue.
#[derive(Clone)]
pub struct JobQueue {
    database: QueueDatabase,
    running_jobs: Arc<RunningJobs>,
    change_signal: Arc<Notify>,
}

impl JobQueue {
    /// Opens or creates the queue in this file. Requeues the jobs of a killed process.
    ///
    /// # Errors
    /// [`mend_model::Problem::Usage`] if another process uses the file or it is not a queue of this version. An I/O
    /// error otherwise.
    pub fn open(path: &Path) -> Result<Self> {
        let store = QueueDatabase::open(path)?;
        Ok(Self { database: store, running_jobs: Arc::default(), change_signal: Arc::default() })
    }

    /// Stores a delivery together with its effects in one transaction.
    ///
    /// # Errors
    /// [`QueueUnavailable`] if the disk cannot store it.
    pub async fn accept_delivery(
        &self,
        delivery: Delivery,
        changes: QueueChanges,
    ) -> Result<EnqueueResult, QueueUnavailable> {
        let now = Timestamp::now();
        let operation = move |connection: &_| {
            crate::queue::enqueue::accept_delivery(connection, &delivery, &changes, now)
        };
        let (result, stopped_jobs) = self.database.run(operation).await?;
        self.running_jobs.cancel_jobs(&stopped_jobs);
        self.change_signal.notify_one();
        Ok(result)
    }

    /// Claims the next runnable job.
    ///
    /// # Errors
    /// [`QueueUnavailable`] if the disk cannot store it.
    pub async fn claim_job(
        &self,
        limits: JobLimits,
    ) -> Result<Option<RunningJob>, QueueUnavailable> {
        let running = Arc::clone(&self.running_jobs);
        self.database
            .run(move |connection| {
                let job = claim::claim_next(connection, limits, Timestamp::now())?;
                // Registers the job before another thread can cancel it.
                Ok(job.map(|job| running.register(job)))
            })
            .await
    }

    /// Records the progress of a job. Returns false if another run has claimed the job: then the caller must stop.
    ///
    /// # Errors
    /// [`QueueUnavailable`] if the disk cannot store it.
    pub async fn record_progress(
        &self,
        job: &Job,
        progress: String,
    ) -> Result<bool, QueueUnavailable> {
        let (id, epoch) = (job.id, job.epoch);
        self.database
            .run(move |connection| claim::record_progress(connection, id, epoch, &progress))
            .await
    }

    /// Stores the report page of a job's run, if this run is the latest run of the job.
    ///
    /// # Errors
    /// [`QueueUnavailable`] if the disk cannot store it.
    pub async fn store_report(&self, job: &Job, page: String) -> Result<(), QueueUnavailable> {
        let (id, epoch) = (job.id, job.epoch);
        self.database
            .run(move |connection| {
                crate::queue::report_pages::store_page(connection, id, epoch, &page)
            })
            .await
    }

    /// Returns the report page of a job.
    ///
    /// # Errors
    /// [`QueueUnavailable`] if the disk cannot be read.
    pub async fn report_page(&self, job: JobId) -> Result<Option<String>, QueueUnavailable> {
        self.database
            .run(move |connection| crate::queue::report_pages::find_page(connection, job))
            .await
    }

    /// Ends a run of a job.
    ///
    /// # Errors
    /// [`QueueUnavailable`] if the disk cannot store it.
    pub async fn end_run(
        &self,
        job: &Job,
        outcome: JobOutcome,
    ) -> Result<JobState, QueueUnavailable> {
        let (id, epoch) = (job.id, job.epoch);
        let operation =
            move |connection: &_| claim::end_run(connection, id, epoch, &outcome, Timestamp::now());
        let state = self.database.run(operation).await?;
        self.change_signal.notify_one();
        Ok(state)
    }

    /// Cancels the selected jobs, except for the job that requested it.
    ///
    /// # Errors
    /// [`QueueUnavailable`] if the disk cannot store it.
    pub async fn cancel(
        &self,
        selection: JobSelection,
        excluded: JobId,
        reason: &'static str,
    ) -> Result<usize, QueueUnavailable> {
        let operation = move |connection: &_| {
            cancel::cancel(connection, &selection, Some(excluded), reason, Timestamp::now())
        };
        let cancelled = self.database.run(operation).await?;
        self.running_jobs.cancel_jobs(&cancelled.running_ids);
        self.change_signal.notify_one();
        Ok(cancelled.count)
    }

    /// Returns the commits of the selected jobs that have not ended.
    ///
    /// # Errors
    /// [`QueueUnavailable`] if the disk cannot be read.
    pub async fn list_commits(
        &self,
        selection: JobSelection,
    ) -> Result<BTreeSet<CommitId>, QueueUnavailable> {
        self.database.run(move |connection| cancel::list_commits(connection, &selection)).await
    }

    /// Deletes deliveries and jobs after their retention.
    ///
    /// # Errors
    /// [`QueueUnavailable`] if the disk cannot store it.
    pub async fn delete_expired(&self) -> Result<(), QueueUnavailable> {
        self.database
            .run(|connection| crate::queue::enqueue::delete_expired(connection, Timestamp::now()))
            .await
    }

    /// Returns true if a job waits or is running.
    ///
    /// # Errors
    /// [`QueueUnavailable`] if the disk cannot be read.
    pub async fn is_unfinished(&self, job: JobId) -> Result<bool, QueueUnavailable> {
        self.database.run(move |connection| overview::is_unfinished(connection, job)).await
    }

    /// Returns the content of the queue for the status page.
    ///
    /// # Errors
    /// [`QueueUnavailable`] if the disk cannot be read.
    pub async fn overview(&self) -> Result<QueueOverview, QueueUnavailable> {
        self.database.run(crate::queue::overview::read_overview).await
    }

    /// Returns the time at which the next delayed job may run.
    ///
    /// # Errors
    /// [`QueueUnavailable`] if the disk cannot be read.
    pub async fn next_run_time(&self) -> Result<Option<Timestamp>, QueueUnavailable> {
        self.database.run(|connection| claim::next_run_time(connection, Timestamp::now())).await
    }

    /// Waits until a job is enqueued, ended or cancelled.
    pub async fn wait_for_change(&self) {
        self.change_signal.notified().await;
    }
}
