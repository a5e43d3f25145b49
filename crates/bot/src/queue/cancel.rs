//! Selects unfinished jobs, and cancels those that are no longer needed.

use super::{JobId, JobState};
use crate::ids::Branch;
use crate::task::{CLOSE_KIND, JobSelection, SETTLE_KIND};
use jiff::Timestamp;
use mend_model::CommitId;
use rusqlite::{Connection, params};
use std::collections::BTreeSet;

/// Cancelled jobs.
#[derive(Debug, Default, Eq, PartialEq)]
pub(super) struct CancelledJobs {
    /// Number of cancelled jobs.
    pub(super) count: usize,
    /// Cancelled jobs that a worker is running.
    pub(super) running_ids: Vec<JobId>,
}

/// Cancels the selected jobs that have not ended, except the excluded one. Jobs that settle earlier failures are only
/// cancelled with their installation: a newer commit or a merge does not make them wrong.
pub(super) fn cancel(
    connection: &Connection,
    selection: &JobSelection,
    excluded: Option<JobId>,
    reason: &str,
    now: Timestamp,
) -> rusqlite::Result<CancelledJobs> {
    let jobs = select_jobs(connection, selection, excluded)?;
    let mut update = connection.prepare_cached(
        "update jobs set state = 'cancelled', message = ?2, changed = ?3 where id = ?1",
    )?;
    for (job, _) in &jobs {
        update.execute(params![job, reason, now.as_millisecond()])?;
    }
    let is_running =
        |(job, state): &(JobId, JobState)| (*state == JobState::Running).then_some(*job);
    Ok(CancelledJobs {
        count: jobs.len(),
        running_ids: jobs.iter().filter_map(is_running).collect(),
    })
}

/// Returns the commits of the selected jobs that have not ended.
pub(super) fn list_commits(
    connection: &Connection,
    selection: &JobSelection,
) -> rusqlite::Result<BTreeSet<CommitId>> {
    let mut find = connection.prepare_cached("select sha from jobs where id = ?1")?;
    let mut commits = BTreeSet::new();
    for (id, _) in select_jobs(connection, selection, None)? {
        let sha: Option<String> = find.query_row([id], |row| row.get(0))?;
        commits.extend(sha.map(CommitId));
    }
    Ok(commits)
}

fn select_jobs(
    connection: &Connection,
    selection: &JobSelection,
    excluded: Option<JobId>,
) -> rusqlite::Result<Vec<(JobId, JobState)>> {
    let mut find = connection.prepare_cached(
        "select id, state from jobs
         where (state = 'queued' or (state = 'running' and not ?1))
           and (?2 is null or installation = ?2)
           and (?3 is null or repository = ?3)
           and (?4 is null or head_repository = ?4)
           and (?5 is null or branch = ?5)
           and (?6 is null or sha = ?6)
           and (?7 is null or pull = ?7)
           and (?8 is null or id <> ?8)
           and (?9 is null or kind = ?9)
           and kind <> ?10
           and (kind <> ?11 or ?2 is not null)",
    )?;
    let rows = find.query_map(
        params![
            selection.only_waiting,
            selection.installation.map(|id| id.0.cast_signed()),
            selection.repository.as_ref().map(ToString::to_string),
            selection.head_repository.as_ref().map(ToString::to_string),
            selection.branch.as_ref().map(Branch::as_str),
            selection.sha.as_ref().map(|sha| &sha.0),
            selection.pull.map(|pull| pull.0.cast_signed()),
            excluded,
            selection.kind,
            CLOSE_KIND,
            SETTLE_KIND,
        ],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )?;
    rows.collect()
}
