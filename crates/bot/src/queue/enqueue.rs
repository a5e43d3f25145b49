//! Stores webhook deliveries and enqueues their jobs. Detects redeliveries and duplicate jobs.

use super::cancel::cancel;
use super::{JobId, JobState};
use crate::ids::Branch;
use crate::queue::report_pages;
use crate::task::NewJob;
use crate::webhook::Delivery;
use crate::webhook_decision::{InstallationStatus, InstallationStatusChange, QueueChanges};
use jiff::{SignedDuration, Timestamp};
use rusqlite::{Connection, OptionalExtension as _, params};

/// Retention of deliveries. GitHub redelivers for at most three days.
const DELIVERY_RETENTION: SignedDuration = SignedDuration::from_hours(7 * 24);
/// Retention of ended jobs.
const JOB_RETENTION: SignedDuration = SignedDuration::from_hours(30 * 24);

/// Outcome of a delivery.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum EnqueueResult {
    /// New job in the queue.
    Queued(JobId),
    /// Applied changes without a job.
    Applied,
    /// Requested work that is done or in progress.
    Duplicate,
    /// Requested work that had failed and is queued again.
    Requeued(JobId),
    /// Inactive installation.
    Refused,
}

impl EnqueueResult {
    /// Returns the label in responses and metrics.
    pub fn label(self) -> &'static str {
        match self {
            Self::Queued(_) => "queued",
            Self::Applied => "done",
            Self::Duplicate => "duplicate",
            Self::Requeued(_) => "requeued",
            Self::Refused => "refused",
        }
    }
}

/// Stores a delivery, unless it is refused, and applies its effects. Returns the running jobs to stop too.
pub(super) fn accept_delivery(
    connection: &Connection,
    delivery: &Delivery,
    changes: &QueueChanges,
    now: Timestamp,
) -> rusqlite::Result<(EnqueueResult, Vec<JobId>)> {
    if let EarlierDelivery::Job(job) = find_earlier_delivery(connection, delivery)? {
        return Ok((handle_redelivery(connection, job, now)?, Vec::new()));
    }
    let mut stopped_jobs = Vec::new();
    for selection in &changes.cancel {
        let cancelled = cancel(
            connection,
            selection,
            None,
            "superseded: the commit was replaced or is no longer needed",
            now,
        )?;
        stopped_jobs.extend(cancelled.running_ids);
    }
    if let Some(change) = &changes.installation_change {
        store_installation_status(connection, change)?;
    }
    let (job, result) = match &changes.job {
        Some(job) if !is_installation_active(connection, job)? => (None, EnqueueResult::Refused),
        Some(job) => {
            let (id, result) = enqueue_job(connection, job, now)?;
            (Some(id), result)
        }
        None => (None, EnqueueResult::Applied),
    };
    if result == EnqueueResult::Refused {
        // A refused delivery is not stored: a redelivery may arrive when the installation is active again.
        return Ok((result, stopped_jobs));
    }
    connection.execute(
        "insert into deliveries (id, event, received, job) values (?1, ?2, ?3, ?4)",
        params![delivery.id.as_str(), delivery.event, now.as_millisecond(), job],
    )?;
    Ok((result, stopped_jobs))
}

/// Earlier delivery with the same id.
enum EarlierDelivery {
    /// No earlier delivery.
    None,
    /// Earlier delivery with the job that it created.
    Job(Option<JobId>),
}

fn find_earlier_delivery(
    connection: &Connection,
    delivery: &Delivery,
) -> rusqlite::Result<EarlierDelivery> {
    let earlier = connection
        .prepare_cached("select job from deliveries where id = ?1")?
        .query_row([delivery.id.as_str()], |row| row.get(0).map(EarlierDelivery::Job))
        .optional()?;
    Ok(earlier.unwrap_or(EarlierDelivery::None))
}

/// Handles a redelivery: requeues a failed job, and ignores a job that is done, in progress or cancelled.
fn handle_redelivery(
    connection: &Connection,
    job: Option<JobId>,
    now: Timestamp,
) -> rusqlite::Result<EnqueueResult> {
    let Some(job) = job else { return Ok(EnqueueResult::Duplicate) };
    let state = job_state(connection, job)?;
    if state != JobState::Failed {
        return Ok(EnqueueResult::Duplicate);
    }
    requeue_job(connection, job, now)?;
    Ok(EnqueueResult::Requeued(job))
}

fn enqueue_job(
    connection: &Connection,
    job: &NewJob,
    now: Timestamp,
) -> rusqlite::Result<(JobId, EnqueueResult)> {
    let existing: Option<JobId> = connection
        .prepare_cached("select id from jobs where key = ?1")?
        .query_row([&job.key], |row| row.get(0))
        .optional()?;
    let Some(id) = existing else {
        return insert_job(connection, job, now).map(|id| (id, EnqueueResult::Queued(id)));
    };
    // The work of a cancelled job is needed again if a branch returns to an earlier commit.
    if matches!(job_state(connection, id)?, JobState::Failed | JobState::Cancelled) {
        requeue_job(connection, id, now)?;
        return Ok((id, EnqueueResult::Requeued(id)));
    }
    Ok((id, EnqueueResult::Duplicate))
}

pub(super) fn insert_job(
    connection: &Connection,
    job: &NewJob,
    now: Timestamp,
) -> rusqlite::Result<JobId> {
    let subject = &job.subject;
    let to_sql_result = |value: serde_json::Result<String>| {
        value.map_err(|error| rusqlite::Error::ToSqlConversionFailure(error.into()))
    };
    connection
        .prepare_cached(
            "insert into jobs (key, installation, repository, head_repository, branch, sha, pull, kind, urgent,
                               subject, task, state, not_before, created, changed)
             values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, 'queued', ?12, ?12, ?12)",
        )?
        .execute(params![
            job.key,
            job.installation.0.cast_signed(),
            subject.repository.to_string(),
            subject.head_repository.as_ref().map(ToString::to_string),
            subject.branch.as_ref().map(Branch::as_str),
            subject.sha.as_ref().map(|sha| &sha.0),
            subject.pull.map(|pull| pull.0.cast_signed()),
            job.task.kind(),
            job.task.is_urgent(),
            to_sql_result(serde_json::to_string(subject))?,
            to_sql_result(serde_json::to_string(&job.task))?,
            now.as_millisecond(),
        ])?;
    Ok(JobId(connection.last_insert_rowid()))
}

fn job_state(connection: &Connection, job: JobId) -> rusqlite::Result<JobState> {
    connection
        .prepare_cached("select state from jobs where id = ?1")?
        .query_row([job], |row| row.get(0))
}

fn requeue_job(connection: &Connection, job: JobId, now: Timestamp) -> rusqlite::Result<()> {
    // Resets the waiting time of a requeued job.
    connection.execute(
        "update jobs set state = 'queued', attempts = 0, not_before = ?2, created = ?2, changed = ?2, message = null
         where id = ?1",
        params![job, now.as_millisecond()],
    )?;
    Ok(())
}

fn is_installation_active(connection: &Connection, job: &NewJob) -> rusqlite::Result<bool> {
    let status: Option<String> = connection
        .prepare_cached("select status from installations where id = ?1")?
        .query_row([job.installation.0.cast_signed()], |row| row.get(0))
        .optional()?;
    Ok(status.is_none_or(|status| status == "active"))
}

/// Changes the state of an installation. Older events are ignored, and a deleted installation stays deleted.
fn store_installation_status(
    connection: &Connection,
    change: &InstallationStatusChange,
) -> rusqlite::Result<()> {
    let status_name = match change.status {
        InstallationStatus::Active => "active",
        InstallationStatus::Suspended => "suspended",
        InstallationStatus::Deleted => "deleted",
    };
    connection.execute(
        "insert into installations (id, status, since) values (?1, ?2, ?3)
         on conflict (id) do update set status = excluded.status, since = excluded.since
         where status <> 'deleted' and (since <= excluded.since or excluded.status = 'deleted')",
        params![change.installation.0.cast_signed(), status_name, change.since.as_millisecond()],
    )?;
    match change.status {
        InstallationStatus::Deleted => {
            report_pages::delete_installation_pages(connection, change.installation)
        }
        InstallationStatus::Active | InstallationStatus::Suspended => Ok(()),
    }
}

/// Deletes deliveries and jobs after their retention.
pub(super) fn delete_expired(connection: &Connection, now: Timestamp) -> rusqlite::Result<()> {
    let retention_start = |kept: SignedDuration| (now - kept).as_millisecond();
    connection.execute(
        "delete from deliveries where received < ?1",
        [retention_start(DELIVERY_RETENTION)],
    )?;
    connection.execute(
        "delete from jobs where state in ('done', 'failed', 'cancelled') and changed < ?1",
        [retention_start(JOB_RETENTION)],
    )?;
    Ok(())
}
