//! Recorded progress of a search, so that an interrupted job can continue.

use super::target::Target;
use crate::SearchClaims;
use crate::jobs::job_runner::JobRunner;
use crate::jobs::job_stop::JobStop;
use crate::queue::Job;
use jiff::Timestamp;
use mend_model::CommitId;
use serde::{Deserialize, Serialize};

/// Progress of a search.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub(super) struct JobProgress {
    /// Searched commit.
    pub(super) commit: CommitId,
    /// External id of the check run. A job that is requeued after its end has another one.
    pub(super) check: String,
    /// Last completed step after the creation of the check run.
    pub(super) step: SearchStep,
}

/// Step after creating the check run.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(tag = "step", rename_all = "snake_case")]
pub(super) enum SearchStep {
    /// Check run created, and nothing else.
    Begun,
    /// The request to the repository's own workflow is being sent.
    Asking {
        /// Time of the request, by GitHub's clock or this machine's. The difference is at most one minute.
        since: Timestamp,
    },
    /// The request was sent.
    Asked {
        /// Time of the request.
        since: Timestamp,
    },
    /// The workflow run was found.
    Taken {
        /// Time of the request.
        since: Timestamp,
    },
    /// The search on this machine ended, and its result is to be published.
    Searched {
        /// Name of the run folder in the folder of the job.
        run: String,
        /// Claims about the end of the search.
        claims: SearchClaims,
    },
}

impl JobProgress {
    /// Returns the progress that an earlier run of the job recorded. Returns `None` for progress of another version, so
    /// that the job starts again.
    pub(super) fn from_job(job: &Job) -> Option<Self> {
        job.progress.as_deref().and_then(Self::parse)
    }

    /// Parses recorded progress.
    pub(super) fn parse(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }

    /// Creates the progress of a job that starts with this target.
    pub(super) fn start(job: &Job, target: &Target) -> Self {
        let check = format!("{}/{}", job.key, job.epoch);
        Self { commit: target.sha.clone(), check, step: SearchStep::Begun }
    }

    /// Returns the time at which the repository's own workflow was requested, if it was.
    pub(super) fn request_time(&self) -> Option<Timestamp> {
        match self.step {
            SearchStep::Asking { since }
            | SearchStep::Asked { since }
            | SearchStep::Taken { since } => Some(since),
            SearchStep::Begun | SearchStep::Searched { .. } => None,
        }
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
