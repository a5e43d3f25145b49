//! The pages of runs, kept as long as their jobs.

use super::JobId;
use rusqlite::{Connection, OptionalExtension as _, params};

/// Keeps the page of a job's run, in place of an earlier one, if this run of the job is still the one that counts.
pub(super) fn keep(
    connection: &Connection,
    job: JobId,
    epoch: i64,
    page: &str,
) -> rusqlite::Result<()> {
    connection
        .prepare_cached(
            "insert or replace into reports (job, page)
             select id, ?3 from jobs where id = ?1 and epoch = ?2 and state = 'running'",
        )?
        .execute(params![job, epoch, page])?;
    Ok(())
}

/// The page of a job's run.
pub(super) fn find(connection: &Connection, job: JobId) -> rusqlite::Result<Option<String>> {
    connection
        .query_row("select page from reports where job = ?1", [job], |row| row.get(0))
        .optional()
}
