//! Check run of a search, from the start to the result.
//!
//! The check run explains and never blocks: its conclusion is always neutral. The search continues even if its check
//! run cannot be written.

use super::progress::JobProgress;
use super::target::{CommitRelevance, Target};
use crate::buttons::check_actions;
use crate::jobs::job_runner::JobRunner;
use crate::jobs::job_stop::JobStop;
use crate::publishing::CHECK_NAME;
use crate::queue::{Job, JobOutcome};
use crate::task::{JobTask, SearchCause};
use mend_github::{AccessLevel, CheckRunStatus, Conclusion, NewCheckRun, Permission, Repo};
use mend_report::github::{Button, PathMask, SearchStage, stage_summary, stage_title};
use tracing::warn;

/// Permission to write check runs.
const CHECKS_WRITE: [Permission; 1] = [("checks", AccessLevel::Write)];

impl JobRunner {
    /// Creates the check run of a job and returns the job's progress. An existing check run is kept.
    pub(super) async fn start_progress(
        &self,
        job: &Job,
        target: &Target,
        stage: &SearchStage<'_>,
    ) -> Result<JobProgress, JobStop> {
        let progress = if let Some(known) = JobProgress::from_job(job) {
            known
        } else {
            let new_progress = JobProgress::start(job, target);
            self.record(job, &new_progress).await?;
            new_progress
        };
        self.show_progress(job, target, &progress, stage).await;
        Ok(progress)
    }

    /// Shows the progress of a search. A merge queue waits for running checks, and users do not see its commits: there,
    /// only the result is published.
    pub(super) async fn show_progress(
        &self,
        job: &Job,
        target: &Target,
        progress: &JobProgress,
        stage: &SearchStage<'_>,
    ) {
        if target.relevance == CommitRelevance::InMergeQueue {
            return;
        }
        if let Err(halt) = self.write_check_run(job, progress, stage).await {
            warn!(%halt, "cannot write the check run");
        }
    }

    async fn write_check_run(
        &self,
        job: &Job,
        progress: &JobProgress,
        stage: &SearchStage<'_>,
    ) -> Result<(), JobStop> {
        let repo = self.connect_repo(job, &CHECKS_WRITE).await?;
        let new_run = new_check_run(&repo, job, progress, stage);
        match new_run.state {
            CheckRunStatus::Queued => repo.create_check_run_if_missing(&new_run).await?,
            CheckRunStatus::InProgress | CheckRunStatus::Completed(_) => {
                repo.set_check_run(&new_run).await?
            }
        };
        Ok(())
    }

    /// Ends the check run of a search that ended without an answer.
    pub(super) async fn close_check_run(
        &self,
        job: &Job,
        progress: &str,
        reason: Option<&str>,
    ) -> Result<JobOutcome, JobStop> {
        let Some(progress) = JobProgress::parse(progress) else {
            return Err(JobStop::Obsolete("the job is from another version of git-mend"));
        };
        let repo = self.connect_repo(job, &CHECKS_WRITE).await?;
        let reason = reason.map(|text| PathMask::new(&self.local_search.folder).mask(text));
        let reason = reason.as_deref();
        let has_external_run = progress.request_time().is_some();
        let new_run = new_check_run(
            &repo,
            job,
            &progress,
            &SearchStage::Stopped { reason, has_external_run },
        );
        if repo.find_check_run(&new_run).await?.is_some() {
            let closed = repo.set_check_run(&new_run).await?;
            return Ok(JobOutcome::Done { message: "closed".to_owned(), link: closed.html_url });
        }
        // The check run of a search that was stopped may have been created a moment ago.
        let message = "there is no check run to close".to_owned();
        Ok(if job.attempts > 1 {
            JobOutcome::Done { message, link: None }
        } else {
            JobOutcome::Failed { message, may_retry: true }
        })
    }
}

fn new_check_run(
    repo: &Repo,
    job: &Job,
    progress: &JobProgress,
    stage: &SearchStage<'_>,
) -> NewCheckRun {
    let failed_run_url = match &job.task {
        JobTask::Search { cause: SearchCause::WorkflowRun { run, .. } } => {
            Some(format!("{}/actions/runs/{run}", repo.web_url()))
        }
        _ => None,
    };
    NewCheckRun {
        name: CHECK_NAME.to_owned(),
        head: progress.commit.clone(),
        state: check_run_status(stage),
        started_at: publishes_start_time(stage).then_some(job.queued_at),
        title: stage_title(stage),
        summary: stage_summary(stage, progress.commit.short(), failed_run_url.as_deref()),
        annotations: Vec::new(),
        external_id: progress.check.clone(),
        details_url: match stage {
            SearchStage::WorkflowRunning { run } | SearchStage::WorkflowEnded { run } => {
                Some((*run).to_owned())
            }
            _ => None,
        },
        actions: Some(check_actions(buttons(stage))),
    }
}

/// Returns the buttons of a stage.
fn buttons(stage: &SearchStage<'_>) -> &'static [Button] {
    match stage {
        SearchStage::WorkflowRequested
        | SearchStage::Cloning
        | SearchStage::Searching { .. }
        | SearchStage::WorkflowRunning { .. } => &[Button::Stop],
        SearchStage::WorkflowEnded { .. } | SearchStage::Stopped { .. } => &[Button::Retry],
    }
}

fn check_run_status(stage: &SearchStage<'_>) -> CheckRunStatus {
    match stage {
        SearchStage::WorkflowRequested | SearchStage::Cloning => CheckRunStatus::Queued,
        SearchStage::Searching { .. } | SearchStage::WorkflowRunning { .. } => {
            CheckRunStatus::InProgress
        }
        SearchStage::WorkflowEnded { .. } | SearchStage::Stopped { .. } => {
            CheckRunStatus::Completed(Conclusion::Neutral)
        }
    }
}

/// Returns true if the start time is still to be published.
fn publishes_start_time(stage: &SearchStage<'_>) -> bool {
    !matches!(stage, SearchStage::WorkflowEnded { .. } | SearchStage::Stopped { .. })
}
