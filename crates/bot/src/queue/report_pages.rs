//! The pages of runs, kept as long as their jobs, and not too many of them.

use super::JobId;
use mend_github::InstallationId;
use rusqlite::{Connection, OptionalExtension as _, params};

/// Maximum number of stored pages, the newest ones: they share the disk with the queue.
const MAX_PAGES: i64 = 100;

/// Keeps the page of a job's run, in place of an earlier one, if this run of the job is still the one that counts.
pub(super) fn store_page(
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
    connection
        .prepare_cached(
            "delete from reports where job not in (select job from reports order by job desc limit ?1)",
        )?
        .execute([MAX_PAGES])?;
    Ok(())
}

/// Deletes the pages of a removed installation: they contain sources of private repositories.
pub(super) fn delete_installation_pages(
    connection: &Connection,
    installation: InstallationId,
) -> rusqlite::Result<()> {
    connection
        .prepare_cached(
            "delete from reports where job in (select id from jobs where installation = ?1)",
        )?
        .execute([installation.0.cast_signed()])?;
    Ok(())
}

/// Returns the report page of a job.
pub(super) fn find_page(connection: &Connection, job: JobId) -> rusqlite::Result<Option<String>> {
    connection
        .query_row("select page from reports where job = ?1", [job], |row| row.get(0))
        .optional()
}
