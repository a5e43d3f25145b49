//! Check run of a search, from the start to the result.
//!
//! The check run explains and never blocks: its conclusion is always neutral. The search continues even if its check
//! run cannot be written.

use super::progress::{Progress, Step};
use super::target::{Standing, Target};
use crate::buttons::check_actions;
use crate::jobs::job_runner::Mender;
use crate::jobs::job_stop::Halt;
use crate::publishing::CHECK;
use crate::queue::{Ending, Job};
use crate::task::{Cause, Task};
use mend_github::{CheckState, Conclusion, Level, NewCheckRun, Permission, Repo};
use mend_report::github::{Button, Stage, stage_summary, stage_title};
use tracing::warn;

/// Permission to write check runs.
const CHECKS: [Permission; 1] = [("checks", Level::Write)];

impl Mender {
    /// Creates the check run of a job and returns the job's progress. An existing check run is kept.
    pub(super) async fn begin(
        &self,
        job: &Job,
        target: &Target,
        stage: &Stage<'_>,
    ) -> Result<Progress, Halt> {
        let progress = if let Some(known) = Progress::of(job) {
            known
        } else {
            let begun = Progress::begun(job, target);
            self.record(job, &begun).await?;
            begun
        };
        self.show(job, target, &progress, stage).await;
        Ok(progress)
    }

    /// Shows the progress of a search. A merge queue waits for running checks, and users do not see its commits: there,
    /// only the result is published.
    pub(super) async fn show(
        &self,
        job: &Job,
        target: &Target,
        progress: &Progress,
        stage: &Stage<'_>,
    ) {
        if target.standing == Standing::Queued {
            return;
        }
        if let Err(halt) = self.write(job, progress, stage).await {
            warn!(%halt, "cannot write the check run");
        }
    }

    async fn write(&self, job: &Job, progress: &Progress, stage: &Stage<'_>) -> Result<(), Halt> {
        let repo = self.repo(job, &CHECKS).await?;
        let wanted = check_run(&repo, job, progress, stage);
        match wanted.state {
            CheckState::Queued => repo.begin_check_run(&wanted).await?,
            CheckState::InProgress | CheckState::Completed(_) => {
                repo.set_check_run(&wanted).await?
            }
        };
        Ok(())
    }

    /// Ends the check run of a search that ended without an answer.
    pub(super) async fn close(
        &self,
        job: &Job,
        progress: &str,
        why: Option<&str>,
    ) -> Result<Ending, Halt> {
        let Some(progress) = Progress::read(progress) else {
            return Err(Halt::Moot("the job is from another version of git-mend"));
        };
        let repo = self.repo(job, &CHECKS).await?;
        let goes_on = progress.step != Step::Begun;
        let wanted = check_run(&repo, job, &progress, &Stage::Stopped { why, goes_on });
        if repo.find_check_run(&wanted).await?.is_some() {
            let closed = repo.set_check_run(&wanted).await?;
            return Ok(Ending::Done { message: "closed".to_owned(), link: closed.html_url });
        }
        // The check run of a search that was stopped may have been created a moment ago.
        let message = "there is no check run to close".to_owned();
        Ok(if job.attempts > 1 {
            Ending::Done { message, link: None }
        } else {
            Ending::Failed { message, may_retry: true }
        })
    }
}

fn check_run(repo: &Repo, job: &Job, progress: &Progress, stage: &Stage<'_>) -> NewCheckRun {
    let failed = match &job.task {
        Task::Search { cause: Cause::WorkflowRun { run, .. } } => {
            Some(format!("{}/actions/runs/{run}", repo.web()))
        }
        _ => None,
    };
    NewCheckRun {
        name: CHECK.to_owned(),
        head: progress.commit.clone(),
        state: state(stage),
        started_at: is_begun(stage).then_some(job.created),
        title: stage_title(stage),
        summary: stage_summary(stage, progress.commit.short(), failed.as_deref()),
        annotations: Vec::new(),
        external_id: progress.check.clone(),
        details_url: match stage {
            Stage::Taken { run } | Stage::Over { run } => Some((*run).to_owned()),
            _ => None,
        },
        actions: Some(check_actions(buttons(stage))),
    }
}

/// Returns the buttons of a stage.
fn buttons(stage: &Stage<'_>) -> &'static [Button] {
    match stage {
        Stage::Asked | Stage::Brought | Stage::Searching { .. } | Stage::Taken { .. } => {
            &[Button::Stop]
        }
        Stage::Over { .. } | Stage::Stopped { .. } => &[Button::Retry],
    }
}

fn state(stage: &Stage<'_>) -> CheckState {
    match stage {
        Stage::Asked | Stage::Brought => CheckState::Queued,
        Stage::Searching { .. } | Stage::Taken { .. } => CheckState::InProgress,
        Stage::Over { .. } | Stage::Stopped { .. } => CheckState::Completed(Conclusion::Neutral),
    }
}

/// Returns true if the start time is still to be published.
fn is_begun(stage: &Stage<'_>) -> bool {
    !matches!(stage, Stage::Over { .. } | Stage::Stopped { .. })
}
