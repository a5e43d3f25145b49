//! Worker pool: claims jobs from the queue within the limits, runs them, and stores their outcomes.

use super::metrics::Metrics;
use super::queue::{Job, JobLimits, JobOutcome, JobQueue, RunningJob};
use jiff::Timestamp;
use mend_model::format_duration;
use std::future::Future;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::task::JoinSet;
use tokio::time::{interval, sleep, timeout};
use tokio_util::sync::CancellationToken;
use tracing::{Instrument as _, error, info, info_span};

/// Interval for deleting old deliveries, jobs and files.
const CLEANUP_INTERVAL: Duration = Duration::from_secs(3600);
/// Delay after a disk error.
const DISK_ERROR_DELAY: Duration = Duration::from_secs(1);
/// Maximum interval between two polls of the queue.
const MAX_IDLE_DELAY: Duration = Duration::from_secs(60);

/// Runs jobs. The run of a job is dropped at any point when the job is cancelled or times out, or when the server
/// stops. Only the recorded progress survives.
pub(super) trait RunJob: Send + Sync + 'static {
    /// Runs a job to its outcome.
    fn run(self: Arc<Self>, job: Job) -> impl Future<Output = JobOutcome> + Send;

    /// Deletes the files that ended jobs left.
    fn delete_leftovers(&self) -> impl Future<Output = ()> + Send {
        async {}
    }
}

/// Worker pool of this process.
pub(super) struct JobWorkers<W> {
    pub(super) queue: JobQueue,
    pub(super) limits: JobLimits,
    pub(super) job_time_limit: Duration,
    /// Time limit for running jobs when the server stops. Then the jobs return to the queue.
    pub(super) shutdown_grace: Duration,
    pub(super) metrics: Arc<Metrics>,
    pub(super) job_runner: Arc<W>,
}

impl<W: RunJob> JobWorkers<W> {
    /// Runs jobs until `stop` is cancelled.
    pub(super) async fn run(self, stop: CancellationToken) {
        let this = Arc::new(self);
        let abandon = CancellationToken::new();
        let mut running = JoinSet::new();
        let mut cleanup = interval(CLEANUP_INTERVAL);
        while !stop.is_cancelled() {
            let delay = this.start_jobs(&mut running, &abandon).await;
            tokio::select! {
                () = stop.cancelled() => {}
                () = this.queue.wait_for_change() => {}
                _ = running.join_next(), if !running.is_empty() => {}
                _ = cleanup.tick() => this.delete_expired().await,
                () = sleep(delay) => {}
            }
        }
        info!(jobs = running.len(), "stopping: no new jobs");
        let finish = async { while running.join_next().await.is_some() {} };
        if timeout(this.shutdown_grace, finish).await.is_err() {
            abandon.cancel();
            while running.join_next().await.is_some() {}
        }
    }

    /// Starts all runnable jobs. Returns the delay until the queue must be polled again.
    async fn start_jobs(
        self: &Arc<Self>,
        running: &mut JoinSet<()>,
        abandon: &CancellationToken,
    ) -> Duration {
        loop {
            match self.queue.claim_job(self.limits).await {
                Ok(Some(claim)) => {
                    let job = &claim.job;
                    let span = info_span!("job", id = job.id.0, kind = job.task.kind(), repository = %job.subject.repository);
                    let run = Arc::clone(self).run_job(claim, abandon.clone());
                    running.spawn(run.instrument(span));
                }
                Ok(None) => return self.next_delay().await,
                Err(problem) => {
                    error!(%problem, "cannot take a job from the queue");
                    return DISK_ERROR_DELAY;
                }
            }
        }
    }

    async fn next_delay(&self) -> Duration {
        let next = self.queue.next_run_time().await.ok().flatten();
        let remaining =
            next.and_then(|time| Duration::try_from(Timestamp::now().until(time).ok()?).ok());
        remaining.unwrap_or(MAX_IDLE_DELAY).min(MAX_IDLE_DELAY)
    }

    async fn run_job(self: Arc<Self>, claim: RunningJob, abandon: CancellationToken) {
        let start = Instant::now();
        let job = &claim.job;
        info!(attempt = job.attempts, key = job.key, "job started");
        let ending = tokio::select! {
            ending = self.run_isolated(job.clone()) => ending,
            () = claim.cancellation.cancelled() => cancelled_outcome(),
            () = abandon.cancelled() => JobOutcome::Postponed {
                pause: Duration::ZERO,
                message: "the server stopped".to_owned(),
            },
            () = sleep(self.job_time_limit) => JobOutcome::Failed {
                message: format!("timed out after {}", format_duration(self.job_time_limit)),
                may_retry: false,
            },
        };
        info!(?ending, "job ended");
        self.store_outcome(job, ending, start, &abandon).await;
    }

    /// Runs a job on a task of its own, so that a panic fails only this job.
    async fn run_isolated(&self, job: Job) -> JobOutcome {
        let mut task = JoinSet::new();
        task.spawn(Arc::clone(&self.job_runner).run(job).in_current_span());
        match task.join_next().await {
            Some(Ok(ending)) => ending,
            _ => JobOutcome::Failed {
                message: "internal error in git-mend".to_owned(),
                may_retry: true,
            },
        }
    }

    /// Stores the outcome of a job, without a time limit: otherwise the job would keep its slot. A server that stops
    /// requeues the job at its next start.
    async fn store_outcome(
        &self,
        job: &Job,
        outcome: JobOutcome,
        start: Instant,
        abandon: &CancellationToken,
    ) {
        let mut delay = DISK_ERROR_DELAY;
        loop {
            match self.queue.end_run(job, outcome.clone()).await {
                Ok(state) => {
                    return self.metrics.record_job(job.task.kind(), state, start.elapsed());
                }
                Err(problem) => error!(%problem, "cannot store the end of a job"),
            }
            if timeout(delay, abandon.cancelled()).await.is_ok() {
                return;
            }
            delay = (delay * 2).min(MAX_IDLE_DELAY);
        }
    }

    async fn delete_expired(&self) {
        if let Err(problem) = self.queue.delete_expired().await {
            error!(%problem, "cannot delete old jobs and deliveries");
        }
        self.job_runner.delete_leftovers().await;
    }
}

fn cancelled_outcome() -> JobOutcome {
    JobOutcome::Cancelled {
        message: "superseded: the commit was replaced or is no longer needed".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::JobState;
    use crate::task::{JobSubject, JobTask, NewJob};
    use crate::webhook::Delivery;
    use crate::webhook_decision::QueueChanges;
    use mend_github::InstallationId;
    use tokio::sync::Notify;

    struct EndlessRunner;

    impl RunJob for EndlessRunner {
        async fn run(self: Arc<Self>, _: Job) -> JobOutcome {
            std::future::pending().await
        }
    }

    async fn add_job(queue: &JobQueue, key: &str) {
        let repository = "octo/shop".parse().unwrap();
        let subject =
            JobSubject { repository, head_repository: None, branch: None, sha: None, pull: None };
        let task = JobTask::Settle { has_passed: true };
        let job = NewJob { key: key.to_owned(), installation: InstallationId(1), subject, task };
        let delivery =
            Delivery { id: key.to_owned().try_into().unwrap(), event: "push".to_owned() };
        let effects = QueueChanges { job: Some(job), ..QueueChanges::default() };
        queue.accept_delivery(delivery, effects).await.unwrap();
    }

    /// Runner whose job ends when it is notified.
    struct WaitingRunner(Notify);

    impl RunJob for WaitingRunner {
        async fn run(self: Arc<Self>, _: Job) -> JobOutcome {
            self.0.notified().await;
            JobOutcome::Done { message: "did it".to_owned(), link: None }
        }
    }

    fn sample_workers<W: RunJob>(queue: &JobQueue, runner: W) -> JobWorkers<W> {
        JobWorkers {
            queue: queue.clone(),
            limits: JobLimits { max_total: 1, max_per_installation: 1 },
            job_time_limit: Duration::from_secs(3600),
            shutdown_grace: Duration::from_secs(3600),
            metrics: Arc::new(Metrics::new()),
            job_runner: Arc::new(runner),
        }
    }

    /// Starts workers, stops them while the only job is running, and calls `after_stop` then.
    async fn run_until_stopped<W: RunJob>(
        queue: &JobQueue,
        workers: JobWorkers<W>,
        after_stop: impl FnOnce(&W),
    ) {
        add_job(queue, "one").await;
        let (stop, work) = (CancellationToken::new(), Arc::clone(&workers.job_runner));
        let run = tokio::spawn(workers.run(stop.clone()));
        while queue.overview().await.unwrap().counts.count(JobState::Running) == 0 {
            tokio::task::yield_now().await;
        }
        stop.cancel();
        after_stop(&work);
        run.await.unwrap();
    }

    #[tokio::test]
    async fn stopping_server_finishes_jobs_that_end_in_time() {
        let dir = tempfile::tempdir().unwrap();
        let queue = JobQueue::open(&dir.path().join("queue.sqlite")).unwrap();
        let workers = sample_workers(&queue, WaitingRunner(Notify::new()));
        run_until_stopped(&queue, workers, |work| work.0.notify_one()).await;
        let [ended] = queue.overview().await.unwrap().ended.try_into().unwrap();
        assert_eq!((ended.state, ended.message.as_str()), (JobState::Done, "did it"));
    }

    #[tokio::test]
    async fn stopping_server_requeues_unfinished_jobs() {
        let dir = tempfile::tempdir().unwrap();
        let queue = JobQueue::open(&dir.path().join("queue.sqlite")).unwrap();
        let workers = JobWorkers {
            shutdown_grace: Duration::from_millis(1),
            ..sample_workers(&queue, EndlessRunner)
        };
        let limits = workers.limits;
        run_until_stopped(&queue, workers, |_| ()).await;
        let [queued] = queue.overview().await.unwrap().active.try_into().unwrap();
        assert_eq!((queued.state, queued.attempts), (JobState::Queued, 0));
        assert_eq!(queued.message, "the server stopped");
        let reclaimed = queue.claim_job(limits).await.unwrap().unwrap();
        assert_eq!((reclaimed.job.key.as_str(), reclaimed.job.attempts), ("one", 1));
    }

    #[tokio::test]
    async fn timed_out_job_fails_and_frees_its_slot() {
        let dir = tempfile::tempdir().unwrap();
        let queue = JobQueue::open(&dir.path().join("queue.sqlite")).unwrap();
        add_job(&queue, "one").await;
        add_job(&queue, "two").await;
        let workers = JobWorkers {
            job_time_limit: Duration::from_millis(1),
            ..sample_workers(&queue, EndlessRunner)
        };
        let limits = workers.limits;
        let claimed = queue.claim_job(limits).await.unwrap().unwrap();
        assert!(queue.claim_job(limits).await.unwrap().is_none(), "its place is taken");
        Arc::new(workers).run_job(claimed, CancellationToken::new()).await;
        let [ended] = queue.overview().await.unwrap().ended.try_into().unwrap();
        assert_eq!((ended.state, ended.attempts), (JobState::Failed, 1));
        assert_eq!(ended.message, "timed out after 1 ms");
        let two = queue.claim_job(limits).await.unwrap().unwrap();
        assert_eq!(two.job.key, "two");
    }
}
