//! Collects trials into batches, and executes them. Faults are retried; a trial that no worker finishes goes back to
//! the client.

use crate::action::{Action, ActionTemplate, action_limit, max_trials};
use crate::batch::{BatchResponse, RESPONSE_FILE, SCHEMA_ID};
use crate::batch_size::BatchSize;
use crate::client::connection::{Connection, with_jitter};
use crate::client::execution::ActionObserver;
use crate::client::fault::Fault;
use crate::client::upload::{BlobSource, Blobs, Uploader};
use crate::trial::{Failure, FinishedTrial, Trial};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::sync::{AcquireError, Notify, Semaphore, SemaphorePermit};
use tokio::task::JoinSet;

/// Number of attempts with a batch before its trials are separated, and of attempts with a single trial.
const MAX_ATTEMPTS: u32 = 3;

/// Number of trials in a row that no worker could finish, after which the workers count as unusable.
const MAX_FAILURES_IN_A_ROW: u32 = 3;

/// Multiple of the expected duration of an action after which it counts as slow.
const STRAGGLER_FACTOR: u32 = 3;

/// State of the executor, shared by all batches.
pub(crate) struct Dispatcher {
    pub(crate) connection: Connection,
    pub(crate) uploader: Uploader,
    pub(crate) template: ActionTemplate,
    /// Maximum number of actions at the same time.
    pub(crate) workers: usize,
    /// Permits for actions, one for each worker.
    action_permits: Semaphore,
    batch_size: Mutex<BatchSize>,
    /// Number of attempts of all batches, for their salts.
    attempts: AtomicU32,
    /// Number of trials in a row that no worker could finish.
    failures_in_a_row: AtomicU32,
    /// Reason why the executor is not used any more.
    unusable: Mutex<Option<String>>,
}

impl Dispatcher {
    pub(crate) fn new(connection: Connection, template: ActionTemplate, workers: usize) -> Self {
        let workers = workers.max(1);
        Self {
            connection,
            uploader: Uploader::default(),
            template,
            workers,
            action_permits: Semaphore::new(workers),
            batch_size: Mutex::default(),
            attempts: AtomicU32::new(fastrand::u32(..)),
            failures_in_a_row: AtomicU32::new(0),
            unusable: Mutex::default(),
        }
    }

    /// Returns the reason why the executor is not used any more.
    pub(crate) fn unusable_reason(&self) -> Option<String> {
        self.unusable.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Executes the trials that arrive, until the sender is dropped.
    pub(crate) async fn run(self: Arc<Self>, mut trials: UnboundedReceiver<Trial>) {
        let (mut waiting, mut running) = (VecDeque::new(), JoinSet::new());
        loop {
            tokio::select! {
                trial = trials.recv() => match trial {
                    Some(trial) => waiting.push_back(trial),
                    None => return,
                },
                Some(_) = running.join_next() => {}
            }
            // Callers that were waiting for one result ask for the next one at about the same time.
            tokio::time::sleep(self.connection.timing.gathering).await;
            while let Ok(trial) = trials.try_recv() {
                waiting.push_back(trial);
            }
            while running.try_join_next().is_some() {}
            while running.len() < self.workers && !waiting.is_empty() {
                let batch = self.take_batch(&mut waiting, self.workers - running.len());
                running.spawn(Arc::clone(&self).finish_batch(batch));
            }
        }
    }

    /// Takes the next batch: the first trial, and others that can be with it.
    fn take_batch(&self, waiting: &mut VecDeque<Trial>, free: usize) -> Vec<Trial> {
        let size = self.lock_batch_size().next_batch_size(
            waiting.len(),
            free,
            self.connection.timing.action,
        );
        let Some(first) = waiting.pop_front() else { return Vec::new() };
        let size = size.min(max_trials(&first.limits));
        let mut batch = vec![first];
        let mut others = VecDeque::new();
        for trial in waiting.drain(..) {
            if batch.len() < size && batch[0].is_compatible(&trial) {
                batch.push(trial);
            } else {
                others.push_back(trial);
            }
        }
        *waiting = others;
        batch
    }

    fn lock_batch_size(&self) -> std::sync::MutexGuard<'_, BatchSize> {
        self.batch_size.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Executes a batch until each of its trials has a result or has to run on the client. A batch that ends its worker
    /// is divided into single trials, because one of them may be at fault.
    async fn finish_batch(self: Arc<Self>, batch: Vec<Trial>) {
        let fault = match self.try_batch(&batch).await {
            Ok(response) => return self.deliver(batch, response),
            Err(fault) => fault,
        };
        match fault {
            Fault::Unavailable(reason) | Fault::Refused(reason) => self.set_unusable(reason),
            Fault::MissingBlobs { .. } | Fault::Lost(_) | Fault::WorkerFailed(_)
                if batch.len() > 1 =>
            {
                let trials = batch.into_iter().map(|trial| Arc::clone(&self).finish_trial(trial));
                trials.collect::<JoinSet<()>>().join_all().await;
                return;
            }
            fault @ (Fault::MissingBlobs { .. } | Fault::Lost(_) | Fault::WorkerFailed(_)) => {
                return self.give_up(batch, &fault.to_string());
            }
        }
        self.give_back(&batch);
    }

    async fn finish_trial(self: Arc<Self>, trial: Trial) {
        let batch = vec![trial];
        match self.try_batch(&batch).await {
            Ok(response) => self.deliver(batch, response),
            Err(Fault::Unavailable(reason) | Fault::Refused(reason)) => {
                self.set_unusable(reason);
                self.give_back(&batch);
            }
            Err(fault) => self.give_up(batch, &fault.to_string()),
        }
    }

    fn set_unusable(&self, reason: String) {
        self.unusable.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(reason);
    }

    /// Tells the callers that no worker could finish their trials.
    fn give_up(&self, batch: Vec<Trial>, reason: &str) {
        if self.failures_in_a_row.fetch_add(1, Ordering::Relaxed) + 1 >= MAX_FAILURES_IN_A_ROW {
            self.set_unusable(reason.to_owned());
        }
        for trial in batch {
            // The caller may have been interrupted.
            drop(trial.reply.send(Err(Failure::Unfinished(reason.to_owned()))));
        }
    }

    /// Tells the callers that the executor cannot be used any more.
    fn give_back(&self, batch: &[Trial]) {
        let reason = self.unusable_reason().unwrap_or_default();
        for trial in batch {
            drop(trial.reply.send(Err(Failure::Unusable(reason.clone()))));
        }
    }

    fn deliver(&self, batch: Vec<Trial>, response: BatchResponse) {
        self.failures_in_a_row.store(0, Ordering::Relaxed);
        let durations: Vec<Duration> =
            response.trials.iter().map(|trial| Duration::from_millis(trial.millis)).collect();
        self.lock_batch_size().record(&durations);
        for (trial, result) in batch.into_iter().zip(response.trials) {
            let finished = FinishedTrial { response: result, jdk: response.jdk.clone() };
            drop(trial.reply.send(Ok(finished)));
        }
    }

    /// Executes a batch, several times if needed.
    async fn try_batch(&self, batch: &[Trial]) -> Result<BatchResponse, Fault> {
        if let Some(reason) = self.unusable_reason() {
            return Err(Fault::Refused(reason));
        }
        let mut pause = self.connection.timing.first_pause;
        let mut attempt = 1;
        loop {
            let fault = match self.execute_batch(batch).await {
                Ok(response) => return Ok(response),
                Err(fault) => fault,
            };
            match &fault {
                Fault::MissingBlobs { hashes, .. } => self.uploader.forget_all(hashes),
                Fault::Lost(_) | Fault::WorkerFailed(_) => {}
                Fault::Unavailable(_) | Fault::Refused(_) => return Err(fault),
            }
            attempt += 1;
            if attempt > MAX_ATTEMPTS {
                return Err(fault);
            }
            tokio::time::sleep(with_jitter(pause)).await;
            pause *= 2;
        }
    }

    async fn execute_batch(&self, batch: &[Trial]) -> Result<BatchResponse, Fault> {
        let permit = self.action_permits.acquire().await;
        let _permit = permit.map_err(|error| Fault::Refused(error.to_string()))?;
        let trials: Vec<&Trial> = batch.iter().collect();
        let action = self
            .template
            .create_action(&trials, &|digest| self.uploader.is_known(digest))
            .map_err(|error| Fault::Lost(error.to_string()))?;
        self.uploader.upload(&self.connection, &action.blobs).await?;
        let bytes = self.execute_with_hedge(&action, batch).await?;
        let response: BatchResponse = serde_json::from_slice(&bytes)
            .map_err(|error| Fault::Lost(format!("an unreadable result: {error}")))?;
        let is_complete = response.schema == SCHEMA_ID && response.trials.len() == batch.len();
        if is_complete { Ok(response) } else { Err(Fault::Lost("an incomplete result".to_owned())) }
    }

    /// Executes an action. If it is slow, a free worker gets it too, and the first result counts, unless its trials are
    /// samples.
    async fn execute_with_hedge(&self, action: &Action, batch: &[Trial]) -> Result<Vec<u8>, Fault> {
        let progress = ActionProgress::default();
        let limit = action_limit(&batch[0].limits, batch.len());
        tokio::select! {
            result = self.race(action, &progress, batch) => result,
            () = progress.wait_until_expired(self.connection.timing.queue, limit) => {
                Err(expiry_fault(&progress))
            }
        }
    }

    async fn race(
        &self,
        action: &Action,
        progress: &ActionProgress,
        batch: &[Trial],
    ) -> Result<Vec<u8>, Fault> {
        let first = self.execute_attempt(action, progress);
        if batch.iter().any(|trial| trial.is_sample) {
            return first.await;
        }
        tokio::pin!(first);
        let _permit = tokio::select! {
            result = &mut first => return result,
            permit = self.wait_for_second_worker(progress, batch.len()) => permit,
        };
        let second_progress = ActionProgress::default();
        let second = self.execute_attempt(action, &second_progress);
        tokio::pin!(second);
        tokio::select! {
            result = &mut first => match result {
                Ok(bytes) => Ok(bytes),
                Err(_) => second.await,
            },
            result = &mut second => match result {
                Ok(bytes) => Ok(bytes),
                Err(_) => first.await,
            },
        }
    }

    async fn execute_attempt(
        &self,
        action: &Action,
        progress: &ActionProgress,
    ) -> Result<Vec<u8>, Fault> {
        let attempt = self.attempts.fetch_add(1, Ordering::Relaxed);
        let (digest, bytes) = action.for_attempt(attempt);
        let blobs = Blobs::from([(digest, BlobSource::Bytes(bytes))]);
        self.uploader.upload(&self.connection, &blobs).await?;
        self.connection.execute(&digest.to_proto(), RESPONSE_FILE, progress).await
    }

    /// Waits until an action takes much longer than expected and another worker is free. Returns the permit to use it.
    async fn wait_for_second_worker(
        &self,
        progress: &ActionProgress,
        trials: usize,
    ) -> Result<SemaphorePermit<'_>, AcquireError> {
        self.wait_until_slow(progress, trials).await;
        self.action_permits.acquire().await
    }

    /// Waits until an action takes much longer than expected. Time in the queue does not count.
    async fn wait_until_slow(&self, progress: &ActionProgress, trials: usize) {
        progress.wait_until_started().await;
        let expected = self.lock_batch_size().expected_duration(trials);
        match expected {
            Some(expected) => {
                let slow = (expected * STRAGGLER_FACTOR).max(self.connection.timing.straggler);
                tokio::time::sleep(slow).await;
            }
            None => std::future::pending().await,
        }
    }
}

fn expiry_fault(progress: &ActionProgress) -> Fault {
    if progress.has_started.load(Ordering::SeqCst) {
        Fault::Lost("an action did not end within its time limit".to_owned())
    } else {
        Fault::Unavailable("no worker took an action; its queue may have no workers".to_owned())
    }
}

/// Progress of an action.
#[derive(Debug, Default)]
struct ActionProgress {
    /// True if the server said that the action waits for a worker.
    is_queued: AtomicBool,
    has_started: AtomicBool,
    started: Notify,
}

impl ActionObserver for ActionProgress {
    fn action_queued(&self) {
        self.is_queued.store(true, Ordering::SeqCst);
    }

    fn action_started(&self) {
        if !self.has_started.swap(true, Ordering::SeqCst) {
            self.started.notify_waiters();
        }
    }
}

impl ActionProgress {
    async fn wait_until_started(&self) {
        let notified = self.started.notified();
        if !self.has_started.load(Ordering::SeqCst) {
            notified.await;
        }
    }

    /// Waits until the action has waited too long for a worker, or has run too long.
    async fn wait_until_expired(&self, queue: Duration, limit: Duration) {
        let is_started = tokio::time::timeout(queue, self.wait_until_started()).await.is_ok();
        // Some servers do not say that an action has started.
        if is_started || !self.is_queued.load(Ordering::SeqCst) {
            tokio::time::sleep(limit).await;
        }
    }
}
