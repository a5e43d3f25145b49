//! The check run of a search, from its beginning to where the answer is told in it.
//!
//! It explains and never blocks, whatever becomes of the search: so it ends as neutral. That it cannot be written keeps
//! no search from going on.

use super::Mender;
use super::halt::Halt;
use super::progress::{Progress, Step};
use super::target::{Standing, Target};
use crate::bot::buttons::check_actions;
use crate::bot::publishing::CHECK;
use crate::bot::queue::{Ending, Job};
use crate::bot::task::{Cause, Task};
use crate::github::{CheckState, Conclusion, Level, NewCheckRun, Permission, Repo};
use crate::report::story::{Button, Stage, stage_summary, stage_title};
use tracing::warn;

/// What it takes to write one.
const CHECKS: [Permission; 1] = [("checks", Level::Write)];

impl Mender {
    /// Has a job's check run stand there from now on, and gives how far the job is. One that is there already stays as
    /// it is.
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

    /// Shows how far a search is. A merge queue waits for checks that are not over, and nobody looks at its commits:
    /// there only the answer is told.
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
            warn!(%halt, "the check run was not written");
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
            return Err(Halt::Moot("the job is another version's"));
        };
        let repo = self.repo(job, &CHECKS).await?;
        let goes_on = progress.step != Step::Begun;
        let wanted = check_run(&repo, job, &progress, &Stage::Stopped { why, goes_on });
        if repo.find_check_run(&wanted).await?.is_some() {
            let closed = repo.set_check_run(&wanted).await?;
            return Ok(Ending::Done { message: "closed".to_owned(), link: closed.html_url });
        }
        // Whoever was stopped may just have asked for it.
        let message = "there is no check run to be closed".to_owned();
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

/// What may be asked for at a stage.
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

/// Whether the time is still to be said at which it began.
fn is_begun(stage: &Stage<'_>) -> bool {
    !matches!(stage, Stage::Over { .. } | Stage::Stopped { .. })
}
