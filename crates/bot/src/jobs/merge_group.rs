//! Merge queues.

use crate::jobs::job_runner::JobRunner;
use crate::jobs::job_stop::JobStop;
use crate::publishing::CHECK;
use crate::queue::{Job, JobOutcome};
use mend_github::{AccessLevel, CheckRunStatus, Conclusion, NewCheckRun, Permission};
use mend_report::github::{let_through_summary, let_through_title};

/// Permission to write check runs.
const CHECKS: [Permission; 1] = [("checks", AccessLevel::Write)];

impl JobRunner {
    /// Passes the check of a merge group: a merge queue waits for every required check, including that of git-mend. The
    /// repository's own workflow for merge groups searches the failures in a group.
    pub(super) async fn premerge(&self, job: &Job) -> Result<JobOutcome, JobStop> {
        let Some(head) = job.subject.sha.clone() else {
            return Err(JobStop::Obsolete("the event names no commit"));
        };
        let repo = self.repo(job, &CHECKS).await?;
        let run = repo
            .set_check_run(&NewCheckRun {
                name: CHECK.to_owned(),
                head,
                state: CheckRunStatus::Completed(Conclusion::Success),
                started_at: None,
                title: let_through_title().to_owned(),
                summary: let_through_summary().to_owned(),
                annotations: Vec::new(),
                external_id: job.key.clone(),
                details_url: None,
                actions: None,
            })
            .await?;
        Ok(JobOutcome::Done { message: "passed".to_owned(), link: run.html_url })
    }
}
