//! Decides on the effects of an event: jobs to enqueue or cancel, and status changes of installations. The decision
//! uses the event alone. Jobs check the current state when they start, because events arrive late and in any order.

use super::command::CommentCommand;
use super::ids::Branch;
use super::own_branches::is_own_branch;
use super::reverts::is_revert;
use super::task::{JobSelection, JobSubject, JobTask, NewJob, SearchCause};
use super::webhook::Delivery;
use super::webhook::event_payloads::WebhookEvent;
use super::webhook::event_payloads::check_run::{self, CheckRunEvent};
use super::webhook::event_payloads::check_suite::{self, CheckSuiteEvent};
use super::webhook::event_payloads::installation::{
    self, InstallationEvent, InstallationRepositoriesEvent,
};
use super::webhook::event_payloads::issue_comment::{self, IssueCommentEvent};
use super::webhook::event_payloads::merge_group::{self, MergeGroupEvent};
use super::webhook::event_payloads::pull_request::{self, PullRequestEvent};
use super::webhook::event_payloads::push::PushEvent;
use super::webhook::event_payloads::workflow_run::{self, WorkflowRunEvent};
use crate::merge_queue_branch::MergeQueueBranch;
use crate::webhook::event_payloads::payload::{
    EventConclusion, InstallationRef, PullRef, UserKind,
};
use jiff::Timestamp;
use mend_github::AppId;
use mend_github::{InstallationId, PullNumber, RepoName};
use mend_model::CommitId;

/// App whose checks arrive as workflow runs too.
const ACTIONS_APP_SLUG: &str = "github-actions";

/// Effect of an event.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Decision {
    /// No change, with the reason.
    Ignore(&'static str),
    /// A change of the queue.
    Change(Box<QueueChanges>),
}

/// Changes of the queue.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct QueueChanges {
    /// Jobs that are no longer needed.
    pub cancel: Vec<JobSelection>,
    /// State change of an installation.
    pub installation_change: Option<InstallationStatusChange>,
    /// New job.
    pub job: Option<NewJob>,
}

/// State change of an installation.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct InstallationStatusChange {
    /// Installation whose state changes.
    pub installation: InstallationId,
    /// New state.
    pub status: InstallationStatus,
    /// Time of the change. Older changes than the last stored one are ignored.
    pub since: Timestamp,
}

/// State of an installation: decides if its jobs may run.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum InstallationStatus {
    /// Jobs may run.
    Active,
    /// Jobs wait until the installation is unsuspended.
    Suspended,
    /// Jobs never run again: a new installation has another id.
    Deleted,
}

/// Decides on the effects of an event, for the App with this number.
pub fn decide(app: AppId, delivery: &Delivery, event: &WebhookEvent) -> Decision {
    match event {
        WebhookEvent::WorkflowRun(event) => workflow_run(event),
        WebhookEvent::CheckSuite(event) => check_suite(app, delivery, event),
        WebhookEvent::CheckRun(event) => check_run(app, delivery, event),
        WebhookEvent::PullRequest(event) => pull_request(event),
        WebhookEvent::IssueComment(event) => issue_comment(event),
        WebhookEvent::MergeGroup(event) => merge_group(event),
        WebhookEvent::Push(event) => push(event),
        WebhookEvent::Installation(event) => installation(event),
        WebhookEvent::InstallationRepositories(event) => installation_repositories(event),
        WebhookEvent::Unused => Decision::Ignore("git-mend does not use this event"),
    }
}

fn workflow_run(event: &WorkflowRunEvent) -> Decision {
    let run = &event.workflow_run;
    let Some(installation) = event.installation else { return no_installation() };
    if event.action != workflow_run::Action::Completed {
        return Decision::Ignore("the workflow run has not completed");
    }
    let Some(branch) = &run.head_branch else {
        return Decision::Ignore("the workflow run has no branch");
    };
    if is_mend_branch(branch) {
        return Decision::Ignore("the workflow run is on a branch of git-mend");
    }
    if run.event == "repository_dispatch" {
        return Decision::Ignore("git-mend may have started this workflow run");
    }
    let home = &event.repository;
    let head_repository = run.head_repository.as_ref().map(|repository| &repository.full_name);
    let is_own_head = head_repository == Some(&home.full_name);
    let is_default = is_own_head && *branch == home.default_branch && !is_pull_event(&run.event);
    let is_pull_or_queue = is_pull_event(&run.event) || is_queue_event(&run.event);
    // GitHub runs no workflow of a fork here, except for its pull requests.
    let is_topic_branch = !is_own_head || *branch != home.default_branch;
    let subject = JobSubject {
        repository: home.full_name.clone(),
        head_repository: head_repository.cloned(),
        branch: Some(branch.clone()),
        sha: Some(run.head_sha.clone()),
        pull: find_pull(&run.pull_requests, &run.head_sha),
    };
    let attempt = run.run_attempt;
    // A branch with a pull request has two runs of each workflow for one commit.
    let search_key =
        || format!("search/{}/{}/{}/{attempt}", home.full_name, run.workflow_id, run.head_sha);
    // The output is obsolete only when both runs pass, so each run has its own key.
    let settle_key = || format!("settle/{}/run/{}/{attempt}", home.full_name, run.id);
    match run.conclusion {
        Some(EventConclusion::Success) if is_default || is_topic_branch => {
            enqueue_job(settle_key(), installation, subject, JobTask::Settle { has_passed: true })
        }
        Some(EventConclusion::Success) => Decision::Ignore("no check failed"),
        Some(conclusion) if conclusion.is_failure() => {
            if !is_default && subject.pull.is_none() && !is_pull_or_queue {
                return Decision::Ignore("not on the default branch or a pull request");
            }
            let cause = SearchCause::WorkflowRun { run: run.id, attempt };
            enqueue_job(search_key(), installation, subject, JobTask::Search { cause })
        }
        _ => Decision::Ignore("the workflow run has no result for the code"),
    }
}

fn is_pull_event(event: &str) -> bool {
    event.starts_with("pull_request")
}

fn is_queue_event(event: &str) -> bool {
    event == "merge_group"
}

fn check_suite(app: AppId, delivery: &Delivery, event: &CheckSuiteEvent) -> Decision {
    let suite = &event.check_suite;
    let Some(installation) = event.installation else { return no_installation() };
    let subject = check_subject(
        &event.repository.full_name,
        suite.head_branch.as_ref(),
        &suite.head_sha,
        &suite.pull_requests,
    );
    if suite.head_branch.as_ref().is_some_and(is_mend_branch) {
        return Decision::Ignore("the checks are on a branch of git-mend");
    }
    match event.action {
        check_suite::Action::Rerequested if suite.app.id == app => {
            let task = JobTask::Button { command: CommentCommand::Retry, check_run: None };
            enqueue_job(format!("button/{}", delivery.id), installation, subject, task)
        }
        check_suite::Action::Rerequested => Decision::Ignore("the checks belong to another App"),
        check_suite::Action::Completed if suite.app.id == app => {
            Decision::Ignore("the checks belong to git-mend")
        }
        check_suite::Action::Completed if suite.app.slug.as_deref() == Some(ACTIONS_APP_SLUG) => {
            Decision::Ignore("the workflow run event covers these checks")
        }
        check_suite::Action::Completed => completed_suite(delivery, event, installation, subject),
        check_suite::Action::Other => Decision::Ignore("the checks have not completed"),
    }
}

/// Decides on the completed check suite of another App.
fn completed_suite(
    delivery: &Delivery,
    event: &CheckSuiteEvent,
    installation: InstallationRef,
    subject: JobSubject,
) -> Decision {
    let suite = &event.check_suite;
    let is_default = suite.head_branch.as_ref() == Some(&event.repository.default_branch);
    let key = |what| format!("{what}/{}/suite/{}", subject.repository, suite.id);
    match suite.conclusion {
        // A suite completes again whenever its App adds checks to it.
        // The event names no branch if the branch is of a fork.
        Some(EventConclusion::Success) if suite.head_branch.is_some() => {
            let key = format!("{}/{}", key("settle"), delivery.id);
            enqueue_job(key, installation, subject, JobTask::Settle { has_passed: true })
        }
        Some(conclusion) if conclusion.is_failure() => {
            if !is_default && subject.pull.is_none() {
                return Decision::Ignore("not on the default branch or a pull request");
            }
            let cause = SearchCause::CheckSuite { suite: suite.id };
            enqueue_job(key("search"), installation, subject, JobTask::Search { cause })
        }
        _ => Decision::Ignore("no check failed"),
    }
}

fn check_run(app: AppId, delivery: &Delivery, event: &CheckRunEvent) -> Decision {
    let run = &event.check_run;
    let Some(installation) = event.installation else { return no_installation() };
    if run.app.id != app {
        return Decision::Ignore("the check belongs to another App");
    }
    let command = match (event.action, &event.requested_action) {
        (check_run::Action::Rerequested, _) => Some(CommentCommand::Retry),
        (check_run::Action::Pressed, Some(action)) => CommentCommand::from_word(&action.identifier),
        _ => return Decision::Ignore("not a request to git-mend"),
    };
    let Some(command) = command else { return Decision::Ignore("not a button of git-mend") };
    let branch = run.check_suite.head_branch.as_ref();
    let subject =
        check_subject(&event.repository.full_name, branch, &run.head_sha, &run.pull_requests);
    let task = JobTask::Button { command, check_run: Some(run.id) };
    enqueue_job(format!("button/{}", delivery.id), installation, subject, task)
}

fn pull_request(event: &PullRequestEvent) -> Decision {
    let head = &event.pull_request.head;
    if event.installation.is_none() {
        return no_installation();
    }
    let repository = Some(event.repository.full_name.clone());
    let branch_selection = JobSelection {
        repository: repository.clone(),
        head_repository: head.repo.as_ref().map(|fork| fork.full_name.clone()),
        branch: Some(head.branch.clone()),
        ..JobSelection::default()
    };
    let pull_selection =
        JobSelection { repository, pull: Some(event.number), ..JobSelection::default() };
    let is_own_head =
        head.repo.as_ref().is_none_or(|head| head.full_name == event.repository.full_name);
    match (event.action, &event.before) {
        (pull_request::Action::Synchronize, Some(before)) => cancel_jobs(vec![
            JobSelection { sha: Some(before.clone()), ..branch_selection },
            JobSelection { sha: Some(before.clone()), ..pull_selection },
        ]),
        (pull_request::Action::Closed, _) => {
            let head_selection = JobSelection { sha: Some(head.sha.clone()), ..branch_selection };
            // The searches of the default branch are still needed.
            let is_default = is_own_head && head.branch == event.repository.default_branch;
            let selections = if is_default {
                vec![pull_selection]
            } else {
                vec![head_selection, pull_selection]
            };
            Decision::Change(Box::new(QueueChanges {
                cancel: selections,
                job: merge_job(event),
                ..QueueChanges::default()
            }))
        }
        _ => Decision::Ignore("the head commit did not change"),
    }
}

/// Returns the job for a merged pull request: a combination with others may have failed before.
fn merge_job(event: &PullRequestEvent) -> Option<NewJob> {
    let installation = event.installation.filter(|_| event.pull_request.merged)?;
    let subject = JobSubject {
        repository: event.repository.full_name.clone(),
        head_repository: None,
        branch: None,
        sha: None,
        pull: Some(event.number),
    };
    let key = format!("settle/{}/pull/{}", subject.repository, event.number);
    let task = JobTask::Settle { has_passed: false };
    Some(NewJob { key, installation: installation.id, subject, task })
}

fn issue_comment(event: &IssueCommentEvent) -> Decision {
    let Some(installation) = event.installation else { return no_installation() };
    if event.action != issue_comment::Action::Created {
        return Decision::Ignore("commands are read from new comments only");
    }
    let Some(author) = event.comment.user.as_ref().filter(|user| user.kind != UserKind::Bot) else {
        return Decision::Ignore("only users can give commands");
    };
    let Some(command) = CommentCommand::find(&event.comment.body) else {
        return Decision::Ignore("the comment has no command");
    };
    if event.issue.pull_request.is_none() {
        return Decision::Ignore("commands work on pull requests only");
    }
    let subject = JobSubject {
        repository: event.repository.full_name.clone(),
        head_repository: None,
        branch: None,
        sha: None,
        pull: Some(event.issue.number),
    };
    let comment = event.comment.id;
    let task = JobTask::Command { command, comment, author: author.login.clone() };
    enqueue_job(format!("comment/{}/{comment}", subject.repository), installation, subject, task)
}

fn merge_group(event: &MergeGroupEvent) -> Decision {
    let group = &event.merge_group;
    let Some(installation) = event.installation else { return no_installation() };
    let repository = event.repository.full_name.clone();
    let branch = parse_branch_ref(&group.head_ref);
    match event.action {
        merge_group::Action::ChecksRequested => {
            let key = format!("merge_group/{repository}/{}", group.head_sha);
            let subject = JobSubject {
                head_repository: Some(repository.clone()),
                repository,
                branch,
                sha: Some(group.head_sha.clone()),
                pull: None,
            };
            enqueue_job(
                key,
                installation,
                subject,
                JobTask::PassMergeGroup { base: group.base_sha.clone() },
            )
        }
        // GitHub removes a group because of a failure, so the failure is still searched.
        merge_group::Action::Destroyed => Decision::Ignore("the merge group was removed"),
        merge_group::Action::Other => Decision::Ignore("no checks requested"),
    }
}

fn push(event: &PushEvent) -> Decision {
    if event.installation.is_none() {
        return no_installation();
    }
    let Some(branch) = parse_branch_ref(&event.ref_name) else {
        return Decision::Ignore("not a branch");
    };
    if is_queue_branch(&branch) {
        return Decision::Ignore("the branch belongs to a merge queue");
    }
    let repository = event.repository.full_name.clone();
    // A running search on the default branch continues: a busy branch would never get a result.
    let cancels_only_waiting = branch == event.repository.default_branch && !event.deleted;
    let settle_job = revert_job(event, &branch);
    let selection = JobSelection {
        repository: Some(repository.clone()),
        head_repository: Some(repository),
        branch: Some(branch),
        sha: Some(event.before.clone()),
        only_waiting: cancels_only_waiting,
        ..JobSelection::default()
    };
    Decision::Change(Box::new(QueueChanges {
        cancel: vec![selection],
        job: settle_job,
        ..QueueChanges::default()
    }))
}

/// Returns the job for a push that reverts commits of a branch: one of them may be a culprit.
fn revert_job(event: &PushEvent, branch: &Branch) -> Option<NewJob> {
    let has_revert = event.commits.iter().any(|commit| is_revert(&commit.message));
    let installation = event.installation.filter(|_| has_revert && !event.deleted)?;
    let repository = event.repository.full_name.clone();
    let subject = JobSubject {
        head_repository: Some(repository.clone()),
        repository,
        branch: Some(branch.clone()),
        sha: Some(event.after.clone()),
        pull: None,
    };
    let key = format!("settle/{}/push/{}", subject.repository, event.after);
    let task = JobTask::Settle { has_passed: false };
    Some(NewJob { key, installation: installation.id, subject, task })
}

fn installation(event: &InstallationEvent) -> Decision {
    let id = event.installation.id;
    let all_jobs = || JobSelection { installation: Some(id), ..JobSelection::default() };
    let (status, cancel) = match event.action {
        installation::Action::Created | installation::Action::Unsuspend => {
            (InstallationStatus::Active, vec![])
        }
        installation::Action::Suspend => (InstallationStatus::Suspended, vec![all_jobs()]),
        installation::Action::Deleted => (InstallationStatus::Deleted, vec![all_jobs()]),
        installation::Action::Other => {
            return Decision::Ignore("no change of the installation's state");
        }
    };
    let since = event.installation.updated_at;
    let status = Some(InstallationStatusChange { installation: id, status, since });
    Decision::Change(Box::new(QueueChanges { cancel, installation_change: status, job: None }))
}

fn installation_repositories(event: &InstallationRepositoriesEvent) -> Decision {
    let installation = Some(event.installation.id);
    let removed = event.repositories_removed.iter().map(|removed| JobSelection {
        installation,
        repository: Some(removed.full_name.clone()),
        ..JobSelection::default()
    });
    let removed: Vec<_> = removed.collect();
    if removed.is_empty() {
        Decision::Ignore("no repository was removed")
    } else {
        cancel_jobs(removed)
    }
}

fn check_subject(
    repository: &RepoName,
    branch: Option<&Branch>,
    sha: &CommitId,
    pulls: &[PullRef],
) -> JobSubject {
    JobSubject {
        repository: repository.clone(),
        // GitHub names the branch of a check only if it is in the same repository.
        head_repository: branch.map(|_| repository.clone()),
        branch: branch.cloned(),
        sha: Some(sha.clone()),
        pull: find_pull(pulls, sha),
    }
}

/// Returns the pull request that proposes this commit. The lists in events also contain other pull requests of the same
/// branch.
fn find_pull(pulls: &[PullRef], sha: &CommitId) -> Option<PullNumber> {
    pulls.iter().find(|pull| pull.head.sha == *sha).map(|pull| pull.number)
}

fn parse_branch_ref(name: &str) -> Option<Branch> {
    name.strip_prefix("refs/heads/").and_then(|name| name.to_owned().try_into().ok())
}

fn is_queue_branch(branch: &Branch) -> bool {
    MergeQueueBranch::parse(branch.as_str()).is_some()
}

fn is_mend_branch(branch: &Branch) -> bool {
    is_own_branch(branch.as_str())
}

fn no_installation() -> Decision {
    Decision::Ignore("the event has no installation")
}

fn enqueue_job(
    key: String,
    installation: InstallationRef,
    subject: JobSubject,
    task: JobTask,
) -> Decision {
    let job = NewJob { key, installation: installation.id, subject, task };
    Decision::Change(Box::new(QueueChanges { job: Some(job), ..QueueChanges::default() }))
}

fn cancel_jobs(cancel: Vec<JobSelection>) -> Decision {
    Decision::Change(Box::new(QueueChanges { cancel, ..QueueChanges::default() }))
}

#[cfg(test)]
mod tests;
