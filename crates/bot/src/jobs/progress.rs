//! Progress of a search that GitHub alone does not show.

use super::target::Target;
use crate::jobs::job_runner::JobRunner;
use crate::jobs::job_stop::JobStop;
use crate::queue::Job;
use jiff::Timestamp;
use mend_model::CommitId;
use serde::{Deserialize, Serialize};

/// Progress of a search.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub(super) struct JobProgress {
    /// The commit that it is about.
    pub(super) commit: CommitId,
    /// The external id of its check run. A job that is wanted again after it had ended has another one.
    pub(super) check: String,
    /// The last step after creating the check run.
    pub(super) step: SearchStep,
}

/// Step after creating the check run.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(tag = "step", rename_all = "snake_case")]
pub(super) enum SearchStep {
    /// No step yet.
    Begun,
    /// The repository's own workflow is about to be asked, or was asked, from this time on.
    Asking {
        /// The time, by GitHub's clock or this machine's. One minute is allowed for the difference.
        since: Timestamp,
    },
    /// Request sent.
    Asked {
        /// The time of the request, as above.
        since: Timestamp,
    },
    /// Run found.
    Taken {
        /// Since when it was asked, as before.
        since: Timestamp,
    },
}

impl JobProgress {
    /// Returns the progress that an earlier run of the job recorded. Progress of another version cannot be read: then
    /// the job starts again.
    pub(super) fn from_job(job: &Job) -> Option<Self> {
        job.progress.as_deref().and_then(Self::parse)
    }

    /// Parses recorded progress.
    pub(super) fn parse(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }

    /// Creates the progress of a job that starts with a commit.
    pub(super) fn start(job: &Job, target: &Target) -> Self {
        let check = format!("{}/{}", job.key, job.epoch);
        Self { commit: target.sha.clone(), check, step: SearchStep::Begun }
    }

    /// Returns the same search at another step.
    pub(super) fn with_step(&self, step: SearchStep) -> Self {
        Self { step, ..self.clone() }
    }
}

impl JobRunner {
    /// Records the progress of a job before the next step.
    pub(super) async fn record(&self, job: &Job, progress: &JobProgress) -> Result<(), JobStop> {
        let text = serde_json::to_string(progress).unwrap_or_default();
        if self.queue.record_progress(job, text).await? { Ok(()) } else { Err(JobStop::Superseded) }
    }
}
