//! Access of a job to its repository, the queue and the workshop.

use crate::RepoSettings;
use crate::command::Command;
use crate::jobs::job_stop::Halt;
use crate::jobs::local_search::config::Workshop;
use crate::queue::{Job, Queue};
use crate::task::Task;
use mend_github::{App, Level, Permission, Repo};

/// Permissions to read the current state.
pub(super) const LOOK: [Permission; 4] = [
    ("contents", Level::Read),
    ("pull_requests", Level::Read),
    ("actions", Level::Read),
    ("checks", Level::Read),
];

/// Does jobs on GitHub.
pub(crate) struct Mender {
    pub(super) app: App,
    pub(super) queue: Queue,
    pub(super) workshop: Workshop,
}

impl Mender {
    pub(crate) fn new(app: App, queue: Queue, workshop: Workshop) -> Self {
        Self { app, queue, workshop }
    }

    /// The job's repository, with a token that may do this there and nothing else.
    pub(super) async fn repo(&self, job: &Job, permissions: &[Permission]) -> Result<Repo, Halt> {
        let token = self.app.token(job.installation, &job.subject.repository, permissions).await?;
        Ok(token.repo)
    }

    /// Returns the repository's settings. A command that requests the fix overrides them.
    pub(super) async fn settings(&self, repo: &Repo, job: &Job) -> Result<RepoSettings, Halt> {
        let settings =
            RepoSettings::of(repo).await?.map_err(|wrong| Halt::Settings(wrong.to_string()))?;
        let wants_fix = matches!(
            job.task,
            Task::Command { command: Command::Fix, .. }
                | Task::Button { command: Command::Fix, .. }
        );
        Ok(if wants_fix { settings.with_fix() } else { settings })
    }
}
