//! Fix pull requests that nobody needs any more.

use super::Mender;
use super::halt::Halt;
use crate::bot::publishing::close_mended;
use crate::bot::queue::{Ending, Job};
use crate::github::{Level, Permission};
use crate::model::counted;

/// What it takes to close a pull request and to take its branch away.
const CLOSE: [Permission; 3] =
    [("contents", Level::Write), ("pull_requests", Level::Write), ("checks", Level::Read)];

impl Mender {
    /// Closes those that mend what a commit, which passes, no longer has.
    pub(super) async fn settle(&self, job: &Job) -> Result<Ending, Halt> {
        let subject = &job.subject;
        let (Some(branch), Some(green)) = (&subject.branch, &subject.sha) else {
            return Err(Halt::Moot("no commit is named"));
        };
        let repo = self.repo(job, &CLOSE).await?;
        let closed = close_mended(&repo, branch.as_str(), green, None).await?;
        let message = format!("closed {}", counted(closed.len(), "pull request"));
        Ok(Ending::Done { message, link: None })
    }
}
