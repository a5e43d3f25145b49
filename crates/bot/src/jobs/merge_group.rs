//! Job that passes the check run of a merge group.

use crate::jobs::job_runner::JobRunner;
use crate::jobs::job_stop::JobStop;
use crate::publishing::CHECK_NAME;
use crate::queue::{Job, JobOutcome};
use mend_github::{AccessLevel, CheckRunStatus, Conclusion, NewCheckRun, Permission};
use mend_report::github::{passing_check_summary, passing_check_title};

/// Permission to write check runs.
const CHECKS_WRITE: [Permission; 1] = [("checks", AccessLevel::Write)];

impl JobRunner {
    /// Passes the check of a merge group: a merge queue waits for every required check, including that of git-mend. The
    /// repository's own workflow for merge groups searches the failures in a group.
    pub(super) async fn pass_merge_group(&self, job: &Job) -> Result<JobOutcome, JobStop> {
        let Some(head) = job.subject.sha.clone() else {
            return Err(JobStop::Obsolete("the event names no commit"));
        };
        let repo = self.connect_repo(job, &CHECKS_WRITE).await?;
        let run = repo
            .set_check_run(&NewCheckRun {
                name: CHECK_NAME.to_owned(),
                head,
                state: CheckRunStatus::Completed(Conclusion::Success),
                started_at: None,
                title: passing_check_title().to_owned(),
                summary: passing_check_summary().to_owned(),
                annotations: Vec::new(),
                external_id: job.key.clone(),
                details_url: None,
                actions: None,
            })
            .await?;
        Ok(JobOutcome::Done { message: "passed".to_owned(), link: run.html_url })
    }
}
