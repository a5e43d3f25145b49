//! What people ask for in comments and with buttons.

use super::halt::Halt;
use super::{LOOK, Mender};
use crate::bot::command::Command;
use crate::bot::queue::{Ending, Job};
use crate::bot::task::Selection;
use crate::github::Login;

impl Mender {
    /// A command in a comment; only who may write to the repository commands.
    pub(super) async fn command(
        &self,
        job: &Job,
        command: Command,
        author: &str,
    ) -> Result<Ending, Halt> {
        let repo = self.repo(job, &LOOK).await?;
        if !repo.can_write(&Login(author.to_owned())).await? {
            return Err(Halt::Moot("only people with write access command"));
        }
        self.obey(job, command).await
    }

    /// Does what somebody asked for who may.
    pub(super) async fn obey(&self, job: &Job, command: Command) -> Result<Ending, Halt> {
        match command {
            Command::Stop => self.stop(job).await,
            Command::Why | Command::Retry | Command::Fix => self.search(job, command.word()).await,
        }
    }

    async fn stop(&self, job: &Job) -> Result<Ending, Halt> {
        let subject = &job.subject;
        let mut all = vec![Selection {
            repository: Some(subject.repository.clone()),
            pull: subject.pull,
            ..Selection::default()
        }];
        if let Some(number) = subject.pull {
            // Jobs that failing checks led to may know the commit alone.
            let pull = self.repo(job, &LOOK).await?.pull(number).await?;
            let by_commit = Selection { pull: None, sha: Some(pull.head), ..all[0].clone() };
            all.push(by_commit);
        } else {
            all[0].sha.clone_from(&subject.sha);
        }
        let mut stopped = 0;
        for selection in all {
            stopped += self.queue.cancel(selection, job.id, "somebody stopped it").await?;
        }
        Ok(Ending::Done { message: format!("stopped {stopped}"), link: None })
    }
}
