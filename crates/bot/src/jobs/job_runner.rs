//! Runner of jobs, with access to GitHub, the queue and the configuration of local searches.

use crate::RepoSettings;
use crate::command::CommentCommand;
use crate::jobs::job_stop::JobStop;
use crate::jobs::local_search::config::LocalSearchConfig;
use crate::queue::{Job, JobQueue};
use crate::task::JobTask;
use mend_github::{AccessLevel, GitHubApp, Permission, Repo};

/// Permissions to read the current state.
pub(super) const READ_PERMISSIONS: [Permission; 4] = [
    ("contents", AccessLevel::Read),
    ("pull_requests", AccessLevel::Read),
    ("actions", AccessLevel::Read),
    ("checks", AccessLevel::Read),
];

/// Runs jobs on GitHub.
pub(crate) struct JobRunner {
    pub(super) app: GitHubApp,
    pub(super) queue: JobQueue,
    pub(super) local_search: LocalSearchConfig,
}

impl JobRunner {
    pub(crate) fn new(app: GitHubApp, queue: JobQueue, local_search: LocalSearchConfig) -> Self {
        Self { app, queue, local_search }
    }

    /// Returns the job's repository with a token restricted to these permissions.
    pub(super) async fn connect_repo(
        &self,
        job: &Job,
        permissions: &[Permission],
    ) -> Result<Repo, JobStop> {
        let token = self
            .app
            .create_repo_token(job.installation, &job.subject.repository, permissions)
            .await?;
        Ok(token.repo)
    }

    /// Returns the repository's settings. A command that requests the fix overrides them.
    pub(super) async fn fetch_settings(
        &self,
        repo: &Repo,
        job: &Job,
    ) -> Result<RepoSettings, JobStop> {
        let settings = RepoSettings::fetch(repo)
            .await?
            .map_err(|wrong| JobStop::InvalidSettings(wrong.to_string()))?;
        let wants_fix = matches!(
            job.task,
            JobTask::Command { command: CommentCommand::Fix, .. }
                | JobTask::Button { command: CommentCommand::Fix, .. }
        );
        Ok(if wants_fix { settings.with_fix_enabled() } else { settings })
    }
}
