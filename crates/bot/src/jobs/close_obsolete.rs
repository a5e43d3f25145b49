//! Job that closes obsolete fix pull requests.

use crate::jobs::job_runner::JobRunner;
use crate::jobs::job_stop::JobStop;
use crate::publishing::{BranchTip, ObsoletePulls, PassingChecks, close_obsolete_pulls};
use crate::queue::{Job, JobOutcome};
use mend_github::{AccessLevel, Permission};
use mend_model::format_count;

/// Permissions to close a pull request and to delete its branch.
const CLOSE_PERMISSIONS: [Permission; 3] = [
    ("contents", AccessLevel::Write),
    ("pull_requests", AccessLevel::Write),
    ("checks", AccessLevel::Read),
];

impl JobRunner {
    /// Closes the fix pull requests that a commit makes obsolete.
    pub(super) async fn close_obsolete_pulls(
        &self,
        job: &Job,
        has_passed: bool,
    ) -> Result<JobOutcome, JobStop> {
        let subject = &job.subject;
        let (Some(branch), Some(commit)) = (&subject.branch, &subject.sha) else {
            return Err(JobStop::Obsolete("the event names no commit"));
        };
        let repo = self.connect_repo(job, &CLOSE_PERMISSIONS).await?;
        let passing_checks = has_passed.then_some(PassingChecks::Unknown);
        let tip = BranchTip { branch: branch.as_str(), commit, passing_checks };
        let ObsoletePulls { closed, error: stuck } = close_obsolete_pulls(&repo, tip).await?;
        if let Some(error) = stuck {
            return Err(error.into());
        }
        let message = format!("closed {}", format_count(closed.len(), "pull request"));
        Ok(JobOutcome::Done { message, link: None })
    }
}
