//! How far a search is, where a look at GitHub alone does not tell.

use super::Mender;
use super::halt::Halt;
use super::target::Target;
use crate::bot::queue::Job;
use crate::git::CommitId;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// How far a search is.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub(super) struct Progress {
    /// The commit that it is about.
    pub(super) commit: CommitId,
    /// The external id of its check run. A job that is wanted again after it had ended has another one.
    pub(super) check: String,
    /// What was done besides.
    pub(super) step: Step,
}

/// What was done besides making the check run.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(tag = "step", rename_all = "snake_case")]
pub(super) enum Step {
    /// Nothing.
    Begun,
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
    /// Its run was seen.
    Taken {
        /// Since when it was asked, as before.
        since: Timestamp,
    },
}

impl Progress {
    /// What an earlier run of the job wrote. What cannot be read is from another version: then it begins anew.
    pub(super) fn of(job: &Job) -> Option<Self> {
        job.progress.as_deref().and_then(Self::read)
    }

    /// As it was written.
    pub(super) fn read(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }

    /// Of a job that begins with a commit.
    pub(super) fn begun(job: &Job, target: &Target) -> Self {
        let check = format!("{}/{}", job.key, job.epoch);
        Self { commit: target.sha.clone(), check, step: Step::Begun }
    }

    /// The same search at another step.
    pub(super) fn at(&self, step: Step) -> Self {
        Self { step, ..self.clone() }
    }
}

impl Mender {
    /// Writes down how far a job is, before it goes on.
    pub(super) async fn record(&self, job: &Job, progress: &Progress) -> Result<(), Halt> {
        let text = serde_json::to_string(progress).unwrap_or_default();
        if self.queue.record(job, text).await? { Ok(()) } else { Err(Halt::Lost) }
    }
}
