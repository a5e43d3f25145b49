//! Jobs that ended without an answer and may have begun something on GitHub: another job brings that to its end.
//!
//! Whatever ended them, a command, a push, a deadline or a kill, only changes the table. So they are looked for there,
//! before anything new is begun.

use super::Job;
use crate::queue::enqueue;
use crate::task::{JobTask, NewJob};
use jiff::Timestamp;
use rusqlite::Connection;

/// Puts a job into the queue for each that left something open; each is left once.
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
