//! What people ask for in comments and with buttons.

use super::halt::Halt;
use super::progress::Progress;
use super::{LOOK, Mender};
use crate::bot::command::Command;
use crate::bot::publishing::{CHECK, Marker};
use crate::bot::queue::{Ending, Job};
use crate::bot::task::Selection;
use crate::github::{CheckRun, CommentId, Level, Login, Permission, Pull, Reaction, Repo};
use crate::report::story::{KnownCheck, known_of, refusal};

/// What it takes to answer a comment.
const ANSWER: [Permission; 3] =
    [("contents", Level::Read), ("pull_requests", Level::Write), ("checks", Level::Read)];

/// A command in a comment.
pub(super) struct Asked<'a> {
    pub(super) command: Command,
    pub(super) comment: CommentId,
    pub(super) author: &'a str,
}

impl Mender {
    /// A command in a comment; only who may write to the repository commands. Each is answered: by a reaction, or by a
    /// comment of its own.
    pub(super) async fn command(&self, job: &Job, asked: &Asked<'_>) -> Result<Ending, Halt> {
        let repo = self.repo(job, &ANSWER).await?;
        let author = Login(asked.author.to_owned());
        if !repo.can_write(&author).await? {
            return refuse(&repo, job, &author).await;
        }
        if asked.command == Command::Why {
            return why(&repo, job, asked.comment).await;
        }
        if Progress::of(job).is_none() {
            repo.react(asked.comment, Reaction::Eyes).await?;
        }
        let obeyed = self.obey(job, asked.command).await;
        match &obeyed {
            Ok(Ending::Done { .. }) => repo.react(asked.comment, Reaction::Rocket).await?,
            Ok(Ending::Failed { may_retry: false, .. }) | Err(Halt::Moot(_)) => {
                repo.react(asked.comment, Reaction::Confused).await?;
            }
            _ => {}
        }
        obeyed
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

/// The pull request that a comment is under.
async fn pull_of(repo: &Repo, job: &Job) -> Result<Pull, Halt> {
    let number = job.subject.pull.ok_or(Halt::Moot("no pull request is named"))?;
    Ok(repo.pull(number).await?)
}

/// Whoever opened the pull request is told once that others command; anybody else hears nothing.
async fn refuse(repo: &Repo, job: &Job, author: &Login) -> Result<Ending, Halt> {
    let pull = pull_of(repo, job).await?;
    if pull.author.as_ref() == Some(author) {
        let marker = Marker::refusal().to_string();
        repo.set_comment(pull.number, &marker, &refusal(&marker)).await?;
    }
    Err(Halt::Moot("only people with write access command"))
}

/// Says what is known of the newest commit of a pull request. Nothing is searched for that.
async fn why(repo: &Repo, job: &Job, comment: CommentId) -> Result<Ending, Halt> {
    let pull = pull_of(repo, job).await?;
    let is_ours = |run: &CheckRun| run.name.starts_with(CHECK);
    let known = |run: CheckRun| KnownCheck {
        title: run.title().to_owned(),
        summary: run.summary().to_owned(),
        url: run.html_url,
    };
    let runs = repo.check_runs(&pull.head, None).await?;
    let checks: Vec<KnownCheck> = runs.into_iter().filter(is_ours).map(known).collect();
    let marker = Marker::answer(comment).to_string();
    let body = known_of(pull.head.short(), &marker, &checks);
    let answer = repo.set_comment(pull.number, &marker, &body).await?;
    Ok(Ending::Done { message: "answered".to_owned(), link: Some(answer.html_url) })
}
