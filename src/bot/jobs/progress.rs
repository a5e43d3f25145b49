//! How far a job is, where a look at GitHub alone does not tell.

use super::Mender;
use super::halt::Halt;
use crate::bot::queue::Job;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// How far a job is.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(tag = "step", rename_all = "snake_case")]
pub(super) enum Progress {
    /// The repository's own workflow is about to be asked, or was asked, from this time on.
    Asking {
        /// By GitHub's clock or ours; a minute is left for the difference.
        since: Timestamp,
    },
    /// It was asked.
    Asked {
        /// As before.
        since: Timestamp,
    },
}

impl Progress {
    /// What an earlier run of the job wrote. What cannot be read is from another version: then it begins anew.
    pub(super) fn of(job: &Job) -> Option<Self> {
        job.progress.as_deref().and_then(|text| serde_json::from_str(text).ok())
    }
}

impl Mender {
    /// Writes down how far a job is, before it goes on.
    pub(super) async fn record(&self, job: &Job, progress: &Progress) -> Result<(), Halt> {
        let text = serde_json::to_string(progress).unwrap_or_default();
        if self.queue.record(job, text).await? { Ok(()) } else { Err(Halt::Lost) }
    }
}
