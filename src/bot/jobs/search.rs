//! Finding what broke a commit's checks.

use super::halt::Halt;
use super::target::Target;
use super::{LOOK, Mender};
use crate::bot::queue::{Ending, Job};

impl Mender {
    /// Has the change looked for that broke the commit of a job, for this reason.
    pub(super) async fn search(&self, job: &Job, reason: &'static str) -> Result<Ending, Halt> {
        let repo = self.repo(job, &LOOK).await?;
        let target = Target::find(&repo, job).await?;
        if let Some(ending) = self.ask_workflow(job, &repo, &target, reason).await? {
            return Ok(ending);
        }
        self.search_here(job, &target).await
    }
}
