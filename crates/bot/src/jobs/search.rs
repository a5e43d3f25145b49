//! Job that searches the cause of failed checks.

use super::progress::JobProgress;
use super::target::Target;
use crate::actions::workflow_file;
use crate::jobs::job_runner::{JobRunner, READ_PERMISSIONS};
use crate::jobs::job_stop::JobStop;
use crate::queue::{Job, JobOutcome};
use crate::task::{JobTask, SearchCause};
use mend_github::Repo;

impl JobRunner {
    /// Searches the change that broke the commit of a job: by the repository's own workflow if possible, or else on
    /// this machine.
    pub(super) async fn search(
        &self,
        job: &Job,
        reason: &'static str,
    ) -> Result<JobOutcome, JobStop> {
        let repo = self.connect_repo(job, &READ_PERMISSIONS).await?;
        if self.is_ignored(&repo, job).await? {
            return Err(JobStop::Obsolete("the repository's settings ignore this workflow"));
        }
        let target = Target::fetch(&repo, job).await?;
        if JobProgress::from_job(job).is_some_and(|progress| progress.commit != target.sha) {
            return Err(JobStop::Obsolete("the pull request has a newer commit"));
        }
        if let Some(ending) = self.publish_earlier_result(job, &target).await? {
            return Ok(ending);
        }
        // A dispatched workflow is as trusted as the default branch, and no maintainer has approved the code of a fork.
        if target.is_from_own_repo
            && let Some(ending) = self.search_by_workflow(job, &repo, &target, reason).await?
        {
            return Ok(ending);
        }
        self.search_locally(job, &target).await
    }

    /// Returns true if the settings ignore the workflow of this job. Returns false if an earlier run already requested
    /// a search.
    async fn is_ignored(&self, repo: &Repo, job: &Job) -> Result<bool, JobStop> {
        let JobTask::Search { cause: SearchCause::WorkflowRun { run, .. } } = job.task else {
            return Ok(false);
        };
        if JobProgress::from_job(job).is_some() {
            return Ok(false);
        }
        let settings = self.fetch_settings(repo, job).await?;
        if settings.ignored_workflows.is_empty() {
            return Ok(false);
        }
        let run = repo.get_workflow_run(run).await?;
        let names = [run.name, run.path.as_deref().map(workflow_file)];
        Ok(names.into_iter().flatten().any(|name| settings.ignores(&name)))
    }
}
