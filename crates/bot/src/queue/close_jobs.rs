//! Enqueues jobs that finish the check runs of cancelled and failed jobs.
//!
//! A command, a push, a deadline or a kill only changes the state of a job in the table. So unfinished jobs are found
//! in the table, before any new job is claimed.

use super::Job;
use crate::queue::enqueue;
use crate::task::{JobTask, NewJob};
use jiff::Timestamp;
use rusqlite::Connection;

/// Enqueues a close job for each cancelled or failed job with recorded progress. Deletes the progress, so that each job
/// is closed once.
pub(super) fn enqueue_close_jobs(connection: &Connection, now: Timestamp) -> rusqlite::Result<()> {
    for (job, reason) in find_unfinished(connection)? {
        connection.execute("update jobs set progress = null where id = ?1", [job.id])?;
        let Some(progress) = job.progress else { continue };
        let close_job = NewJob {
            key: format!("close/{}/{}", job.id, job.epoch),
            installation: job.installation,
            subject: job.subject,
            task: JobTask::Close { progress, why: reason },
        };
        enqueue::insert_job(connection, &close_job, now)?;
    }
    Ok(())
}

fn find_unfinished(connection: &Connection) -> rusqlite::Result<Vec<(Job, Option<String>)>> {
    let mut find = connection.prepare_cached(
        "select * from jobs where progress is not null and state in ('cancelled', 'failed')",
    )?;
    find.query_map([], |row| Ok((Job::from_row(row)?, row.get("message")?)))?.collect()
}
