//! Commands from comments and buttons.

use super::progress::JobProgress;
use crate::command::CommentCommand;
use crate::jobs::job_runner::{JobRunner, LOOK};
use crate::jobs::job_stop::JobStop;
use crate::publishing::{CHECK, TextMarker};
use crate::queue::{Job, JobOutcome};
use crate::task::JobSelection;
use mend_github::{AccessLevel, CheckRun, CommentId, Login, Permission, Pull, Reaction, Repo};
use mend_model::counted;
use mend_report::github::{KnownCheck, known_of, refusal};

/// Permissions to answer a comment.
const ANSWER: [Permission; 3] = [
    ("contents", AccessLevel::Read),
    ("pull_requests", AccessLevel::Write),
    ("checks", AccessLevel::Read),
];

/// A command in a comment.
pub(super) struct CommentRequestedCommand<'a> {
    pub(super) command: CommentCommand,
    pub(super) comment: CommentId,
    pub(super) author: &'a str,
}

impl JobRunner {
    /// Executes a command from a comment if its author has write access. git-mend answers each command with a reaction
    /// or a comment.
    pub(super) async fn command(
        &self,
        job: &Job,
        asked: &CommentRequestedCommand<'_>,
    ) -> Result<JobOutcome, JobStop> {
        let repo = self.repo(job, &ANSWER).await?;
        let author = Login(asked.author.to_owned());
        if !repo.can_write(&author).await? {
            return refuse(&repo, job, &author).await;
        }
        if asked.command == CommentCommand::Explain {
            return explain(&repo, job, asked.comment).await;
        }
        if JobProgress::from_job(job).is_none() {
            repo.react(asked.comment, Reaction::Eyes).await?;
        }
        let obeyed = self.obey(job, asked.command).await;
        match &obeyed {
            Ok(JobOutcome::Done { .. }) => repo.react(asked.comment, Reaction::Rocket).await?,
            Ok(JobOutcome::Failed { may_retry: false, .. }) | Err(JobStop::Obsolete(_)) => {
                repo.react(asked.comment, Reaction::Confused).await?;
            }
            _ => {}
        }
        obeyed
    }

    /// Executes a command of an authorized user.
    pub(super) async fn obey(
        &self,
        job: &Job,
        command: CommentCommand,
    ) -> Result<JobOutcome, JobStop> {
        match command {
            CommentCommand::Stop => self.stop(job).await,
            CommentCommand::Explain | CommentCommand::Retry | CommentCommand::Fix => {
                self.search(job, command.word()).await
            }
        }
    }

    async fn stop(&self, job: &Job) -> Result<JobOutcome, JobStop> {
        let subject = &job.subject;
        let mut all = vec![JobSelection {
            repository: Some(subject.repository.clone()),
            pull: subject.pull,
            ..JobSelection::default()
        }];
        if let Some(number) = subject.pull {
            // Jobs of failed checks may only know the commit.
            let pull = self.repo(job, &LOOK).await?.pull(number).await?;
            let by_commit = JobSelection { pull: None, sha: Some(pull.head), ..all[0].clone() };
            all.push(by_commit);
        } else {
            all[0].sha.clone_from(&subject.sha);
        }
        let mut stopped = 0;
        for selection in all {
            stopped += self.queue.cancel(selection, job.id, "a user stopped it").await?;
        }
        Ok(JobOutcome::Done { message: format!("stopped {}", counted(stopped, "job")), link: None })
    }
}

/// Returns the pull request of the comment.
async fn pull_of(repo: &Repo, job: &Job) -> Result<Pull, JobStop> {
    let number = job.subject.pull.ok_or(JobStop::Obsolete("the event names no pull request"))?;
    Ok(repo.pull(number).await?)
}

/// Refuses a command. Only the author of the pull request gets a reply, and only once.
async fn refuse(repo: &Repo, job: &Job, author: &Login) -> Result<JobOutcome, JobStop> {
    let pull = pull_of(repo, job).await?;
    if pull.author.as_ref() == Some(author) {
        let marker = TextMarker::refusal().to_string();
        repo.set_comment(pull.number, &marker, &refusal(&marker)).await?;
    }
    Err(JobStop::Obsolete("the author of the command has no write access"))
}

/// Replies with the results known for the newest commit of a pull request. Starts no search.
async fn explain(repo: &Repo, job: &Job, comment: CommentId) -> Result<JobOutcome, JobStop> {
    let pull = pull_of(repo, job).await?;
    let is_ours = |run: &CheckRun| run.name.starts_with(CHECK);
    let known = |run: CheckRun| KnownCheck {
        title: run.title().to_owned(),
        summary: run.summary().to_owned(),
        url: run.html_url,
    };
    let runs = repo.check_runs(&pull.head, None).await?;
    let checks: Vec<KnownCheck> = runs.into_iter().filter(is_ours).map(known).collect();
    let marker = TextMarker::answer(comment).to_string();
    let body = known_of(pull.head.short(), &marker, &checks);
    let answer = repo.set_comment(pull.number, &marker, &body).await?;
    Ok(JobOutcome::Done { message: "replied".to_owned(), link: Some(answer.html_url) })
}
