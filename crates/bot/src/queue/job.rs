//! Jobs of the queue, their outcomes and their states.

use crate::task::{JobSubject, JobTask};
use jiff::Timestamp;
use mend_github::InstallationId;
use rusqlite::Row;
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSql, ToSqlOutput, ValueRef};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fmt;
use std::time::Duration;

/// Number of a job in this queue.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(transparent)]
pub struct JobId(pub i64);

impl fmt::Display for JobId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Job that a worker has claimed.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Job {
    /// Number of the job.
    pub id: JobId,
    /// Number of this run of the job: only the latest run may write.
    pub epoch: i64,
    /// Key of the work: equal requests have equal keys. It also marks the check run on GitHub.
    pub key: String,
    /// Installation of the App.
    pub installation: InstallationId,
    /// Subject of the job.
    pub subject: JobSubject,
    /// Work to do.
    pub task: JobTask,
    /// Last recorded progress.
    pub progress: Option<String>,
    /// Number of attempts, including this one.
    pub attempts: u32,
    /// Time of queueing.
    pub queued_at: Timestamp,
}

impl Job {
    /// Reads a job from a row of the table `jobs`.
    pub(super) fn from_row(row: &Row<'_>) -> rusqlite::Result<Self> {
        let installation: i64 = row.get("installation")?;
        Ok(Self {
            id: row.get("id")?,
            epoch: row.get("epoch")?,
            key: row.get("key")?,
            installation: InstallationId(installation.cast_unsigned()),
            subject: parse_json_column(row, "subject")?,
            task: parse_json_column(row, "task")?,
            progress: row.get("progress")?,
            attempts: row.get("attempts")?,
            queued_at: Timestamp::from_millisecond(row.get("created")?).unwrap_or_default(),
        })
    }
}

/// Parses a column that contains JSON.
fn parse_json_column<T: DeserializeOwned>(row: &Row<'_>, column: &str) -> rusqlite::Result<T> {
    let index = row.as_ref().column_index(column)?;
    let text: String = row.get(index)?;
    serde_json::from_str(&text).map_err(|error| {
        rusqlite::Error::FromSqlConversionFailure(index, rusqlite::types::Type::Text, error.into())
    })
}

/// End of a job run.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum JobOutcome {
    /// Completed job.
    Done {
        /// Result in one line.
        message: String,
        /// Address of the result.
        link: Option<String>,
    },
    /// Failed job. The queue retries it if another attempt may help and attempts are left.
    Failed {
        /// Reason for the failure.
        message: String,
        /// True if another attempt may help.
        may_retry: bool,
    },
    /// Postponed job. This is not a failure.
    Postponed {
        /// Delay until the next run.
        pause: Duration,
        /// Reason for waiting.
        message: String,
    },
    /// Cancelled job.
    Cancelled {
        /// Reason for the cancellation.
        message: String,
    },
}

/// State of a job.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum JobState {
    /// Waits for a worker, or for its next run time.
    Queued,
    /// A worker runs it.
    Running,
    /// Completed.
    Done,
    /// Failed permanently.
    Failed,
    /// Cancelled, because it is no longer needed.
    Cancelled,
}

impl JobState {
    /// All states.
    pub const ALL: [Self; 5] =
        [Self::Queued, Self::Running, Self::Done, Self::Failed, Self::Cancelled];

    /// Returns the label in the database, pages and metrics.
    pub fn label(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Running => "running",
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }
}

impl ToSql for JobState {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(self.label().into())
    }
}

impl FromSql for JobState {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        let label = value.as_str()?;
        Self::ALL.into_iter().find(|state| state.label() == label).ok_or(FromSqlError::InvalidType)
    }
}

impl ToSql for JobId {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        self.0.to_sql()
    }
}

impl FromSql for JobId {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        i64::column_result(value).map(Self)
    }
}
