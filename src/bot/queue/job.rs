//! A job in the queue.

use crate::bot::task::{Subject, Task};
use crate::github::InstallationId;
use jiff::Timestamp;
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSql, ToSqlOutput, ValueRef};
use serde::Serialize;
use std::fmt;
use std::time::Duration;

/// A job's number here.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(transparent)]
pub struct JobId(pub i64);

impl fmt::Display for JobId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A job that a worker has taken.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Job {
    /// Its number.
    pub id: JobId,
    /// What tells this run of it from earlier ones: only the last one may write.
    pub epoch: i64,
    /// The same for everything that asks for the same work; also the mark that it leaves on GitHub.
    pub key: String,
    /// For whom.
    pub installation: InstallationId,
    /// What it is about.
    pub subject: Subject,
    /// What there is to do.
    pub task: Task,
    /// How far it was when it was last heard of.
    pub progress: Option<String>,
    /// How often it was begun, this time included.
    pub attempts: u32,
    /// When it was put into the queue.
    pub created: Timestamp,
}

/// What becomes of a job.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Ending {
    /// Nothing is left to do.
    Done {
        /// What came of it, in a line.
        message: String,
        /// Where it can be read.
        link: Option<String>,
    },
    /// It could not be done. It is tried again unless it was often, or there is no hope.
    Failed {
        /// Why.
        message: String,
        /// Whether another try may help.
        may_retry: bool,
    },
    /// It waits for something, and that is no failure.
    Later {
        /// How long.
        pause: Duration,
        /// What for.
        message: String,
    },
    /// It has lost its reason.
    Cancelled {
        /// Why.
        message: String,
    },
}

/// Where a job is.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum JobState {
    /// Waits for a worker, or for its time.
    Queued,
    /// A worker has it.
    Running,
    /// Ended as it should.
    Done,
    /// Given up.
    Failed,
    /// Lost its reason.
    Cancelled,
}

impl JobState {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::Queued, Self::Running, Self::Done, Self::Failed, Self::Cancelled];

    /// The word for it.
    pub fn word(self) -> &'static str {
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
        Ok(self.word().into())
    }
}

impl FromSql for JobState {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        let word = value.as_str()?;
        Self::ALL.into_iter().find(|state| state.word() == word).ok_or(FromSqlError::InvalidType)
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
