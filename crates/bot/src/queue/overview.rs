//! Reads the content of the queue for the status page and the metrics.

use super::{JobId, JobState};
use jiff::Timestamp;
use rusqlite::{Connection, Row, params};

/// Maximum number of jobs in each table.
const MAX_ROWS: u32 = 50;

/// Content of the queue.
#[derive(Clone, Debug, Default)]
pub struct QueueOverview {
    /// Number of jobs in each state.
    pub counts: JobCounts,
    /// Running and waiting jobs.
    pub active: Vec<JobRow>,
    /// Ended jobs, the latest first.
    pub ended: Vec<JobRow>,
}

/// Number of jobs in each state.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct JobCounts(Vec<(JobState, u64)>);

impl JobCounts {
    /// Returns the number of jobs in a state.
    pub fn count(&self, state: JobState) -> u64 {
        self.0.iter().find(|(counted, _)| *counted == state).map_or(0, |(_, count)| *count)
    }
}

/// Row of a job table on the status page.
#[derive(Clone, Debug)]
pub struct JobRow {
    /// Number of the job.
    pub id: JobId,
    /// Kind of work.
    pub kind: String,
    /// Repository of the job.
    pub repository: String,
    /// Pull request, branch and commit of the job.
    pub subject: String,
    /// State of the job.
    pub state: JobState,
    /// Number of attempts.
    pub attempts: u32,
    /// Message of the last run.
    pub message: String,
    /// Address of the result on GitHub.
    pub link: Option<String>,
    /// True if a report page is stored.
    pub has_report: bool,
    /// Time of the last change.
    pub changed: Timestamp,
}

pub(super) fn read_overview(connection: &Connection) -> rusqlite::Result<QueueOverview> {
    let mut count = connection.prepare_cached("select state, count(*) from jobs group by state")?;
    let counts =
        count.query_map([], |row| Ok((row.get(0)?, row.get::<_, i64>(1)?.cast_unsigned())))?;
    Ok(QueueOverview {
        counts: JobCounts(counts.collect::<rusqlite::Result<_>>()?),
        active: query_job_rows(
            connection,
            "select *, exists (select 1 from reports where job = id) as has_report from jobs
             where state in ('running', 'queued') order by state desc, not_before, id limit ?1",
        )?,
        ended: query_job_rows(
            connection,
            "select *, exists (select 1 from reports where job = id) as has_report from jobs
             where state not in ('running', 'queued') order by changed desc, id desc limit ?1",
        )?,
    })
}

fn query_job_rows(connection: &Connection, query: &str) -> rusqlite::Result<Vec<JobRow>> {
    let mut find = connection.prepare_cached(query)?;
    find.query_map(params![MAX_ROWS], read_job_row)?.collect()
}

fn read_job_row(row: &Row<'_>) -> rusqlite::Result<JobRow> {
    let text = |column: &str| row.get::<_, Option<String>>(column);
    Ok(JobRow {
        id: row.get("id")?,
        kind: row.get("kind")?,
        repository: row.get("repository")?,
        subject: describe_subject(row.get("pull")?, text("branch")?, text("sha")?),
        state: row.get("state")?,
        attempts: row.get("attempts")?,
        message: text("message")?.unwrap_or_default(),
        link: text("link")?,
        has_report: row.get("has_report")?,
        changed: Timestamp::from_millisecond(row.get("changed")?).unwrap_or_default(),
    })
}

fn describe_subject(pull: Option<i64>, branch: Option<String>, sha: Option<String>) -> String {
    let pull = pull.map(|number| format!("#{number}"));
    let sha = sha.and_then(|sha| sha.get(..7).map(str::to_owned));
    let parts: Vec<_> = [pull, branch, sha].into_iter().flatten().collect();
    parts.join(" ")
}

/// Returns true if a job waits or is running.
pub(super) fn is_unfinished(connection: &Connection, job: JobId) -> rusqlite::Result<bool> {
    connection.query_row(
        "select exists (select 1 from jobs where id = ?1 and state in ('queued', 'running'))",
        [job],
        |row| row.get(0),
    )
}
