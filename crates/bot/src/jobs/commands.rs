//! Job that executes a command from a comment or button.

use super::progress::JobProgress;
use crate::command::CommentCommand;
use crate::jobs::job_runner::{JobRunner, READ_PERMISSIONS};
use crate::jobs::job_stop::JobStop;
use crate::publishing::{CHECK_NAME, TextMarker};
use crate::queue::{Job, JobOutcome};
use crate::task::JobSelection;
use mend_github::{AccessLevel, CheckRun, CommentId, Login, Permission, Pull, Reaction, Repo};
use mend_model::format_count;
use mend_report::github::{KnownCheck, explain_reply, permission_reply};
use tracing::warn;

/// Permissions to answer a comment.
const REPLY_PERMISSIONS: [Permission; 3] = [
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
    pub(super) async fn run_comment_command(
        &self,
        job: &Job,
        request: &CommentRequestedCommand<'_>,
    ) -> Result<JobOutcome, JobStop> {
        let repo = self.connect_repo(job, &REPLY_PERMISSIONS).await?;
        let author = Login(request.author.to_owned());
        if !repo.has_write_access(&author).await? {
            return refuse_command(&repo, job, &author).await;
        }
        if JobProgress::from_job(job).is_none() {
            add_reaction(&repo, request.comment, Reaction::Eyes).await;
        }
        let outcome = match request.command {
            CommentCommand::Explain => reply_with_results(&repo, job, request.comment).await,
            command => self.run_command(job, command).await,
        };
        match &outcome {
            Ok(JobOutcome::Done { .. }) => {
                add_reaction(&repo, request.comment, Reaction::Rocket).await;
            }
            Ok(JobOutcome::Failed { may_retry: false, .. }) => {
                add_reaction(&repo, request.comment, Reaction::Confused).await;
            }
            Err(stop) if !stop.may_retry() && !matches!(stop, JobStop::Superseded) => {
                add_reaction(&repo, request.comment, Reaction::Confused).await;
            }
            _ => {}
        }
        outcome
    }

    /// Executes a command of an authorized user.
    pub(super) async fn run_command(
        &self,
        job: &Job,
        command: CommentCommand,
    ) -> Result<JobOutcome, JobStop> {
        match command {
            CommentCommand::Stop => self.stop_jobs(job).await,
            CommentCommand::Explain
            | CommentCommand::Retry
            | CommentCommand::Fix
            | CommentCommand::Upgrade => self.search(job, command.name()).await,
        }
    }

    async fn stop_jobs(&self, job: &Job) -> Result<JobOutcome, JobStop> {
        let subject = &job.subject;
        let mut selections = vec![JobSelection {
            repository: Some(subject.repository.clone()),
            pull: subject.pull,
            ..JobSelection::default()
        }];
        if let Some(number) = subject.pull {
            // Jobs that search failed checks may know only the commit.
            let pull = self.connect_repo(job, &READ_PERMISSIONS).await?.get_pull(number).await?;
            let by_commit =
                JobSelection { pull: None, sha: Some(pull.head), ..selections[0].clone() };
            selections.push(by_commit);
        } else {
            selections[0].sha.clone_from(&subject.sha);
        }
        let mut stopped = 0;
        for selection in selections {
            stopped += self.queue.cancel(selection, job.id, "a user stopped it").await?;
        }
        Ok(JobOutcome::Done {
            message: format!("stopped {}", format_count(stopped, "job")),
            link: None,
        })
    }
}

/// Adds a reaction to the comment of a command. A failure is only logged: another attempt would repeat the command.
async fn add_reaction(repo: &Repo, comment: CommentId, reaction: Reaction) {
    if let Err(error) = repo.react(comment, reaction).await {
        warn!(%error, %comment, "cannot add a reaction to a comment");
    }
}

/// Returns the pull request of the comment.
async fn get_pull(repo: &Repo, job: &Job) -> Result<Pull, JobStop> {
    let number = job.subject.pull.ok_or(JobStop::Obsolete("the event names no pull request"))?;
    Ok(repo.get_pull(number).await?)
}

/// Refuses a command. Only the author of the pull request gets a reply, and only once.
async fn refuse_command(repo: &Repo, job: &Job, author: &Login) -> Result<JobOutcome, JobStop> {
    let pull = get_pull(repo, job).await?;
    if pull.author.as_ref() == Some(author) {
        let marker = TextMarker::refusal().to_string();
        repo.set_comment(pull.number, &marker, &permission_reply(&marker)).await?;
    }
    Err(JobStop::Obsolete("the author of the command has no write access"))
}

/// Replies with the results known for the newest commit of a pull request. Starts no search.
async fn reply_with_results(
    repo: &Repo,
    job: &Job,
    comment: CommentId,
) -> Result<JobOutcome, JobStop> {
    let pull = get_pull(repo, job).await?;
    let is_own_run = |run: &CheckRun| run.name.starts_with(CHECK_NAME);
    let known_check = |run: CheckRun| KnownCheck {
        title: run.title().to_owned(),
        summary: run.summary().to_owned(),
        url: run.html_url,
    };
    let runs = repo.list_check_runs(&pull.head, None).await?;
    let checks: Vec<KnownCheck> = runs.into_iter().filter(is_own_run).map(known_check).collect();
    let marker = TextMarker::reply(comment).to_string();
    let body = explain_reply(pull.head.short(), &marker, &checks);
    let answer = repo.set_comment(pull.number, &marker, &body).await?;
    Ok(JobOutcome::Done { message: "replied".to_owned(), link: Some(answer.html_url) })
}
