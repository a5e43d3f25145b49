//! Work of the job workers. Every step can be dropped or killed at any point: each job first reads the state on GitHub,
//! and looks for an item before it creates it.

mod check;
mod checkout;
mod commands;
mod failing_tests;
mod halt;
mod here;
mod own_workflow;
mod premerge;
mod progress;
mod runtime;
mod search;
mod settle;
mod target;
mod watched;

use super::queue::{Ending, Job, Queue};
use super::task::Task;
use super::workers::Work;
use crate::github::{App, Level, Permission, Repo};
use commands::Asked;
use halt::Halt;
pub(super) use here::Workshop;
use std::sync::Arc;
use tracing::warn;

/// Permissions to read the current state.
const LOOK: [Permission; 4] = [
    ("contents", Level::Read),
    ("pull_requests", Level::Read),
    ("actions", Level::Read),
    ("checks", Level::Read),
];

/// Does jobs on GitHub.
pub(super) struct Mender {
    app: App,
    queue: Queue,
    workshop: Workshop,
}

impl Mender {
    pub(super) fn new(app: App, queue: Queue, workshop: Workshop) -> Self {
        Self { app, queue, workshop }
    }

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

    /// The job's repository, with a token that may do this there and nothing else.
    async fn repo(&self, job: &Job, permissions: &[Permission]) -> Result<Repo, Halt> {
        let token = self.app.token(job.installation, &job.subject.repository, permissions).await?;
        Ok(token.repo)
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
