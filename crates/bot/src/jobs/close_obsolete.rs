//! Closing of fix pull requests that are no longer needed.

use crate::jobs::job_runner::Mender;
use crate::jobs::job_stop::Halt;
use crate::publishing::{Green, Tip, Unneeded, close_unneeded};
use crate::queue::{Ending, Job};
use mend_github::{Level, Permission};
use mend_model::counted;

/// Permissions to close a pull request and to delete its branch.
const CLOSE: [Permission; 3] =
    [("contents", Level::Write), ("pull_requests", Level::Write), ("checks", Level::Read)];

impl Mender {
    /// Closes the fix pull requests that a commit no longer needs.
    pub(super) async fn settle(&self, job: &Job, is_green: bool) -> Result<Ending, Halt> {
        let subject = &job.subject;
        let (Some(branch), Some(commit)) = (&subject.branch, &subject.sha) else {
            return Err(Halt::Moot("the event names no commit"));
        };
        let repo = self.repo(job, &CLOSE).await?;
        let green = is_green.then_some(Green::Unknown);
        let tip = Tip { branch: branch.as_str(), commit, green };
        let Unneeded { closed, stuck } = close_unneeded(&repo, tip).await?;
        if let Some(error) = stuck {
            return Err(error.into());
        }
        let message = format!("closed {}", counted(closed.len(), "pull request"));
        Ok(Ending::Done { message, link: None })
    }
}
