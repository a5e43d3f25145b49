//! Dispatches each job to the function for its task.

use super::commands::CommentRequestedCommand;
use crate::jobs::job_runner::JobRunner;
use crate::jobs::job_stop::JobStop;
use crate::queue::{Job, JobOutcome};
use crate::task::JobTask;
use crate::workers::RunJob;
use std::sync::Arc;
use tracing::warn;

impl JobRunner {
    async fn run_task(&self, job: &Job) -> Result<JobOutcome, JobStop> {
        match &job.task {
            JobTask::Search { .. } => self.search(job, "search").await,
            JobTask::Settle { has_passed } => self.settle(job, *has_passed).await,
            JobTask::Command { command, comment, author } => {
                let request =
                    CommentRequestedCommand { command: *command, comment: *comment, author };
                Box::pin(self.run_comment_command(job, &request)).await
            }
            // GitHub shows buttons only to users with write access.
            JobTask::Button { command, .. } => self.run_command(job, *command).await,
            JobTask::Close { progress, why } => {
                self.close_check_run(job, progress, why.as_deref()).await
            }
            JobTask::PassMergeGroup { .. } => self.pass_merge_group(job).await,
        }
    }
}

impl RunJob for JobRunner {
    async fn delete_leftovers(&self) {
        // The folders are listed first: the job of a folder that is created later is never taken for an ended one.
        for job in self.local_search.jobs_with_folder() {
            if matches!(self.queue.is_unfinished(job).await, Ok(false)) {
                let folder = self.local_search.job_folder(job);
                // A failure was logged.
                let _ = tokio::task::spawn_blocking(move || drop(folder)).await;
            }
        }
    }

    async fn run(self: Arc<Self>, job: Job) -> JobOutcome {
        match self.run_task(&job).await {
            Ok(ending) => ending,
            Err(halt) => {
                warn!(%halt, "job did not complete");
                halt.into()
            }
        }
    }
}
