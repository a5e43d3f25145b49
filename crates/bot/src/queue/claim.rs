//! Assigns jobs to workers, and records how their runs end.

use super::{Job, JobId, JobOutcome, JobState};
use crate::queue::close_jobs;
use crate::task::SETTLE_KIND;
use jiff::{SignedDuration, Timestamp};
use rusqlite::{Connection, OptionalExtension as _, params};
use std::time::Duration;

/// Maximum number of attempts.
const MAX_ATTEMPTS: u32 = 5;
/// Delay before the second attempt. Each further delay is four times as long.
const FIRST_RETRY_DELAY: Duration = Duration::from_secs(30);
/// Age at which a queued job expires.
const MAX_QUEUED_AGE: SignedDuration = SignedDuration::from_hours(24);

/// Limits for running jobs.
#[derive(Clone, Copy, Debug)]
pub struct JobLimits {
    /// Maximum number of running jobs.
    pub max_total: u32,
    /// Maximum number of running jobs of one installation.
    pub max_per_installation: u32,
}

/// Requeues the jobs of a killed process. A job with too many attempts fails, because the job itself may kill the
/// process.
pub(super) fn requeue_interrupted(
    connection: &Connection,
    now: Timestamp,
) -> rusqlite::Result<usize> {
    connection.execute(
        "update jobs set
             state = case when attempts < ?1 then 'queued' else 'failed' end,
             message = case when attempts < ?1 then message else 'the server stopped during each attempt' end,
             not_before = ?2, changed = ?2
         where state = 'running'",
        params![MAX_ATTEMPTS, now.as_millisecond()],
    )
}

/// Claims the next runnable job: an urgent one first, then the oldest of the installation served least recently. Jobs of
/// the same subject wait for each other, but a settling job does not wait for a search, because it may end it.
pub(super) fn claim_next(
    connection: &Connection,
    limits: JobLimits,
    now: Timestamp,
) -> rusqlite::Result<Option<Job>> {
    cancel_expired(connection, now)?;
    close_jobs::enqueue_close_jobs(connection, now)?;
    let chosen: Option<(JobId, i64)> = connection
        .prepare_cached(
            "select jobs.id, jobs.installation from jobs
             left join installations on installations.id = jobs.installation
             where jobs.state = 'queued' and jobs.not_before <= ?1
               and coalesce(installations.status, 'active') = 'active'
               and (select count(*) from jobs where state = 'running') < ?2
               and (select count(*) from jobs as other
                    where other.state = 'running' and other.installation = jobs.installation) < ?3
               and (jobs.urgent or not exists (
                    select 1 from jobs as other
                    where other.state = 'running' and not other.urgent and other.repository = jobs.repository
                      and (jobs.kind <> ?4 or other.kind = ?4)
                      and ((other.branch = jobs.branch and other.head_repository is jobs.head_repository)
                           or other.pull = jobs.pull or other.sha = jobs.sha)))
             order by jobs.urgent desc, coalesce(installations.served, 0), jobs.not_before, jobs.id
             limit 1",
        )?
        .query_row(
            params![now.as_millisecond(), limits.max_total, limits.max_per_installation, SETTLE_KIND],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )
        .optional()?;
    let Some((id, installation)) = chosen else { return Ok(None) };
    mark_served(connection, installation)?;
    connection.execute(
        "update jobs set state = 'running', attempts = attempts + 1, epoch = epoch + 1, changed = ?2 where id = ?1",
        params![id, now.as_millisecond()],
    )?;
    connection.query_row("select * from jobs where id = ?1", [id], Job::from_row).map(Some)
}

/// Moves an installation to the end of the round-robin order.
fn mark_served(connection: &Connection, installation: i64) -> rusqlite::Result<()> {
    connection.execute(
        "insert into installations (id, served) values (?1, (select coalesce(max(served), 0) + 1 from installations))
         on conflict (id) do update set served = excluded.served",
        [installation],
    )?;
    Ok(())
}

fn cancel_expired(connection: &Connection, now: Timestamp) -> rusqlite::Result<()> {
    connection.execute(
        "update jobs set state = 'cancelled', message = 'expired: waited longer than 24 hours', changed = ?2
         where state = 'queued' and created < ?1",
        params![(now - MAX_QUEUED_AGE).as_millisecond(), now.as_millisecond()],
    )?;
    Ok(())
}

/// Records the progress of a job, if this run is the latest run of the job.
pub(super) fn record_progress(
    connection: &Connection,
    job: JobId,
    epoch: i64,
    progress: &str,
) -> rusqlite::Result<bool> {
    let changed = connection
        .prepare_cached(
            "update jobs set progress = ?3 where id = ?1 and epoch = ?2 and state = 'running'",
        )?
        .execute(params![job, epoch, progress])?;
    Ok(changed == 1)
}

/// Ends a run of a job, if it is the latest run. Returns the state of the job.
pub(super) fn end_run(
    connection: &Connection,
    job: JobId,
    epoch: i64,
    outcome: &JobOutcome,
    now: Timestamp,
) -> rusqlite::Result<JobState> {
    let current_attempts: Option<u32> = connection
        .query_row(
            "select attempts from jobs where id = ?1 and epoch = ?2 and state = 'running'",
            params![job, epoch],
            |row| row.get(0),
        )
        .optional()?;
    if let Some(attempts) = current_attempts {
        store_state(connection, job, &StateAfterRun::from_outcome(outcome, attempts), now)?;
    }
    connection.query_row("select state from jobs where id = ?1", [job], |row| row.get(0))
}

/// State of a job after a run.
struct StateAfterRun<'a> {
    state: JobState,
    message: &'a str,
    link: Option<&'a str>,
    delay: Duration,
    /// Number of attempts. Postponing does not count as an attempt.
    attempts: u32,
}

impl<'a> StateAfterRun<'a> {
    fn from_outcome(outcome: &'a JobOutcome, attempts: u32) -> Self {
        let new_state = |state, message| StateAfterRun {
            state,
            message,
            link: None,
            delay: Duration::ZERO,
            attempts,
        };
        match outcome {
            JobOutcome::Done { message, link } => {
                StateAfterRun { link: link.as_deref(), ..new_state(JobState::Done, message) }
            }
            JobOutcome::Cancelled { message } => new_state(JobState::Cancelled, message),
            JobOutcome::Postponed { pause, message } => StateAfterRun {
                delay: *pause,
                attempts: attempts.saturating_sub(1),
                ..new_state(JobState::Queued, message)
            },
            JobOutcome::Failed { message, may_retry: true } if attempts < MAX_ATTEMPTS => {
                StateAfterRun {
                    delay: FIRST_RETRY_DELAY * 4_u32.pow(attempts - 1),
                    ..new_state(JobState::Queued, message)
                }
            }
            JobOutcome::Failed { message, .. } => new_state(JobState::Failed, message),
        }
    }
}

fn store_state(
    connection: &Connection,
    job: JobId,
    new_state: &StateAfterRun<'_>,
    now: Timestamp,
) -> rusqlite::Result<()> {
    let not_before = now.checked_add(new_state.delay).unwrap_or(now);
    connection.execute(
        "update jobs set state = ?2, message = ?3, link = coalesce(?4, link), not_before = ?5, attempts = ?6,
                         changed = ?7
         where id = ?1",
        params![
            job,
            new_state.state,
            new_state.message,
            new_state.link,
            not_before.as_millisecond(),
            new_state.attempts,
            now.as_millisecond()
        ],
    )?;
    Ok(())
}

/// Returns the time at which the next delayed job may run.
pub(super) fn next_run_time(
    connection: &Connection,
    now: Timestamp,
) -> rusqlite::Result<Option<Timestamp>> {
    let next: Option<i64> = connection.query_row(
        "select min(not_before) from jobs where state = 'queued' and not_before > ?1",
        [now.as_millisecond()],
        |row| row.get(0),
    )?;
    Ok(next.and_then(|millis| Timestamp::from_millisecond(millis).ok()))
}
