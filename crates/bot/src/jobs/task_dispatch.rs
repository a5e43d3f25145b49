//! Dispatch of jobs by their tasks.

use super::commands::Asked;
use crate::jobs::job_runner::Mender;
use crate::jobs::job_stop::Halt;
use crate::queue::{Ending, Job};
use crate::task::Task;
use crate::workers::Work;
use std::sync::Arc;
use tracing::warn;

impl Mender {
    async fn attempt(&self, job: &Job) -> Result<Ending, Halt> {
        match &job.task {
            Task::Search { .. } => self.search(job, "search").await,
            Task::Settle { is_green } => self.settle(job, *is_green).await,
            Task::Command { command, comment, author } => {
                let asked = Asked { command: *command, comment: *comment, author };
                self.command(job, &asked).await
            }
            // GitHub shows buttons only to users with write access.
            Task::Button { command, .. } => self.obey(job, *command).await,
            Task::Close { progress, why } => self.close(job, progress, why.as_deref()).await,
            Task::PreMerge { .. } => self.premerge(job).await,
        }
    }
}

impl Work for Mender {
    async fn run(self: Arc<Self>, job: Job) -> Ending {
        match self.attempt(&job).await {
            Ok(ending) => ending,
            Err(halt) => {
                warn!(%halt, "job did not complete");
                halt.into()
            }
        }
    }
}
