//! Stores report pages of runs. A page is deleted with its job, and only the newest pages are kept.

use super::JobId;
use mend_github::InstallationId;
use rusqlite::{Connection, OptionalExtension as _, params};

/// Maximum number of stored pages. They share the disk with the queue.
const MAX_PAGES: i64 = 100;

/// Stores the report page of a job's run, if this run is the latest run of the job. Replaces an earlier page.
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
