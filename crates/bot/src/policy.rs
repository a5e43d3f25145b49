//! Effects of an event. The decision uses the event alone. Jobs check the current state when they start, because events
//! arrive late and in any order.

use super::command::CommentCommand;
use super::ids::{AppId, Branch};
use super::own_branches::is_own_branch;
use super::reverts::takes_back;
use super::task::{JobSelection, JobSubject, JobTask, NewJob, SearchCause};
use super::webhook::Delivery;
use super::webhook::events::WebhookEvent;
use super::webhook::events::check_run::{self, CheckRunEvent};
use super::webhook::events::check_suite::{self, CheckSuiteEvent};
use super::webhook::events::installation::{
    self, InstallationEvent, InstallationRepositoriesEvent,
};
use super::webhook::events::issue_comment::{self, IssueCommentEvent};
use super::webhook::events::merge_group::{self, MergeGroupEvent};
use super::webhook::events::pull_request::{self, PullRequestEvent};
use super::webhook::events::push::PushEvent;
use super::webhook::events::workflow_run::{self, WorkflowRunEvent};
use crate::merge_queue_branch::MergeQueueBranch;
use crate::webhook::events::payload::{EventConclusion, InstallationRef, PullRef, UserKind};
use jiff::Timestamp;
use mend_github::{InstallationId, PullNumber, RepoName};
use mend_model::CommitId;

/// The App whose checks come as workflow runs too.
const ACTIONS: &str = "github-actions";

/// Effect of an event.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Decision {
    /// No change, with the reason.
    Ignore(&'static str),
    /// A change of the queue.
    Change(Box<QueueChanges>),
}

/// A change of the queue.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct QueueChanges {
    /// Jobs that have lost their reason.
    pub cancel: Vec<JobSelection>,
    /// State change of an installation.
    pub standing: Option<InstallationStatusChange>,
    /// A new job.
    pub job: Option<NewJob>,
}

/// State change of an installation.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct InstallationStatusChange {
    /// Installation whose state changes.
    pub installation: InstallationId,
    /// The new state.
    pub standing: InstallationStatus,
    /// The time of the change. Older events than the known state are ignored.
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

/// Decides what an event leads to, for the App of this number.
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
    if is_own(branch) {
        return Decision::Ignore("the workflow run is on a branch of git-mend");
    }
    if run.event == "repository_dispatch" {
        return Decision::Ignore("git-mend may have started this workflow run");
    }
    let home = &event.repository;
    let head_repository = run.head_repository.as_ref().map(|repository| &repository.full_name);
    let is_from_here = head_repository == Some(&home.full_name);
    let is_default = is_from_here && *branch == home.default_branch && !is_of_pull(&run.event);
    let is_proposed = is_of_pull(&run.event) || is_of_queue(&run.event);
    let is_topic = is_from_here && *branch != home.default_branch && !is_queue(branch);
    let subject = JobSubject {
        repository: home.full_name.clone(),
        head_repository: head_repository.cloned(),
        branch: Some(branch.clone()),
        sha: Some(run.head_sha.clone()),
        pull: pull_of(&run.pull_requests, &run.head_sha),
    };
    let attempt = run.run_attempt;
    // A branch with a pull request has two runs of each workflow for one commit.
    let search =
        || format!("search/{}/{}/{}/{attempt}", home.full_name, run.workflow_id, run.head_sha);
    // Only once both are green it is.
    let settle = || format!("settle/{}/run/{}/{attempt}", home.full_name, run.id);
    match run.conclusion {
        // Branches of forks have no fix pull requests here.
        Some(EventConclusion::Success) if is_default || is_topic => {
            enqueue(settle(), installation, subject, JobTask::Settle { is_green: true })
        }
        Some(EventConclusion::Success) => Decision::Ignore("no check failed"),
        Some(conclusion) if conclusion.is_failure() => {
            if !is_default && subject.pull.is_none() && !is_proposed {
                return Decision::Ignore("not on the default branch or a pull request");
            }
            let cause = SearchCause::WorkflowRun { run: run.id, attempt };
            enqueue(search(), installation, subject, JobTask::Search { cause })
        }
        _ => Decision::Ignore("the workflow run has no result for the code"),
    }
}

fn is_of_pull(event: &str) -> bool {
    event.starts_with("pull_request")
}

fn is_of_queue(event: &str) -> bool {
    event == "merge_group"
}

fn check_suite(app: AppId, delivery: &Delivery, event: &CheckSuiteEvent) -> Decision {
    let suite = &event.check_suite;
    let Some(installation) = event.installation else { return no_installation() };
    let subject = subject_of_checks(
        &event.repository.full_name,
        suite.head_branch.as_ref(),
        &suite.head_sha,
        &suite.pull_requests,
    );
    if suite.head_branch.as_ref().is_some_and(is_own) {
        return Decision::Ignore("the checks are on a branch of git-mend");
    }
    match event.action {
        check_suite::Action::Rerequested if suite.app.id == app => {
            let task = JobTask::Button { command: CommentCommand::Retry, check_run: None };
            enqueue(format!("button/{}", delivery.id), installation, subject, task)
        }
        check_suite::Action::Rerequested => Decision::Ignore("the checks belong to another App"),
        check_suite::Action::Completed if suite.app.id == app => {
            Decision::Ignore("the checks belong to git-mend")
        }
        check_suite::Action::Completed if suite.app.slug.as_deref() == Some(ACTIONS) => {
            Decision::Ignore("the workflow run event covers these checks")
        }
        check_suite::Action::Completed => ended_suite(delivery, event, installation, subject),
        check_suite::Action::Other => Decision::Ignore("the checks have not completed"),
    }
}

/// Decides on the completed check suite of another App.
fn ended_suite(
    delivery: &Delivery,
    event: &CheckSuiteEvent,
    installation: InstallationRef,
    subject: JobSubject,
) -> Decision {
    let suite = &event.check_suite;
    let is_default = suite.head_branch.as_ref() == Some(&event.repository.default_branch);
    // None is named where the branch is of a fork.
    let is_here = suite.head_branch.as_ref().is_some_and(|branch| !is_queue(branch));
    let key = |what| format!("{what}/{}/suite/{}", subject.repository, suite.id);
    match suite.conclusion {
        // A suite ends as often as its App adds checks to it.
        Some(EventConclusion::Success) if is_here => {
            let key = format!("{}/{}", key("settle"), delivery.id);
            enqueue(key, installation, subject, JobTask::Settle { is_green: true })
        }
        Some(conclusion) if conclusion.is_failure() => {
            if !is_default && subject.pull.is_none() {
                return Decision::Ignore("not on the default branch or a pull request");
            }
            let cause = SearchCause::CheckSuite { suite: suite.id };
            enqueue(key("search"), installation, subject, JobTask::Search { cause })
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
        (check_run::Action::Pressed, Some(action)) => CommentCommand::of_word(&action.identifier),
        _ => return Decision::Ignore("not a request to git-mend"),
    };
    let Some(command) = command else { return Decision::Ignore("not a button of git-mend") };
    let branch = run.check_suite.head_branch.as_ref();
    let subject =
        subject_of_checks(&event.repository.full_name, branch, &run.head_sha, &run.pull_requests);
    let task = JobTask::Button { command, check_run: Some(run.id) };
    enqueue(format!("button/{}", delivery.id), installation, subject, task)
}

fn pull_request(event: &PullRequestEvent) -> Decision {
    let head = &event.pull_request.head;
    if event.installation.is_none() {
        return no_installation();
    }
    let repository = Some(event.repository.full_name.clone());
    let of_branch = JobSelection {
        repository: repository.clone(),
        head_repository: head.repo.as_ref().map(|fork| fork.full_name.clone()),
        branch: Some(head.branch.clone()),
        ..JobSelection::default()
    };
    let of_pull = JobSelection { repository, pull: Some(event.number), ..JobSelection::default() };
    match (event.action, &event.before) {
        (pull_request::Action::Synchronize, Some(before)) => cancel(vec![
            JobSelection { sha: Some(before.clone()), ..of_branch },
            JobSelection { sha: Some(before.clone()), ..of_pull },
        ]),
        (pull_request::Action::Closed, _) => {
            let at_head = JobSelection { sha: Some(head.sha.clone()), ..of_branch };
            let is_default = head.branch == event.repository.default_branch;
            // A branch of this name in a fork is unrelated.
            if is_default { cancel(vec![of_pull]) } else { cancel(vec![at_head, of_pull]) }
        }
        _ => Decision::Ignore("the head commit did not change"),
    }
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
    enqueue(format!("comment/{}/{comment}", subject.repository), installation, subject, task)
}

fn merge_group(event: &MergeGroupEvent) -> Decision {
    let group = &event.merge_group;
    let Some(installation) = event.installation else { return no_installation() };
    let repository = event.repository.full_name.clone();
    let branch = branch_of(&group.head_ref);
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
            enqueue(key, installation, subject, JobTask::PreMerge { base: group.base_sha.clone() })
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
    let Some(branch) = branch_of(&event.name) else { return Decision::Ignore("not a branch") };
    if is_queue(&branch) {
        return Decision::Ignore("the branch belongs to a merge queue");
    }
    let repository = event.repository.full_name.clone();
    // A running search on the default branch continues: a busy branch would never get a result.
    let is_waiting = branch == event.repository.default_branch && !event.deleted;
    let job = taken_back(event, &branch);
    let selection = JobSelection {
        repository: Some(repository.clone()),
        head_repository: Some(repository),
        branch: Some(branch),
        sha: Some(event.before.clone()),
        is_waiting,
        ..JobSelection::default()
    };
    Decision::Change(Box::new(QueueChanges {
        cancel: vec![selection],
        job,
        ..QueueChanges::default()
    }))
}

/// Returns the job for a push that reverts commits of a branch: one of them may be a culprit.
fn taken_back(event: &PushEvent, branch: &Branch) -> Option<NewJob> {
    let is_some = event.commits.iter().any(|commit| takes_back(&commit.message));
    let installation = event.installation.filter(|_| is_some && !event.deleted)?;
    let repository = event.repository.full_name.clone();
    let subject = JobSubject {
        head_repository: Some(repository.clone()),
        repository,
        branch: Some(branch.clone()),
        sha: Some(event.after.clone()),
        pull: None,
    };
    let key = format!("settle/{}/push/{}", subject.repository, event.after);
    let task = JobTask::Settle { is_green: false };
    Some(NewJob { key, installation: installation.id, subject, task })
}

fn installation(event: &InstallationEvent) -> Decision {
    let id = event.installation.id;
    let all = || JobSelection { installation: Some(id), ..JobSelection::default() };
    let (standing, cancel) = match event.action {
        installation::Action::Created | installation::Action::Unsuspend => {
            (InstallationStatus::Active, vec![])
        }
        installation::Action::Suspend => (InstallationStatus::Suspended, vec![all()]),
        installation::Action::Deleted => (InstallationStatus::Deleted, vec![all()]),
        installation::Action::Other => {
            return Decision::Ignore("no change of the installation's state");
        }
    };
    let since = event.installation.updated_at;
    let standing = Some(InstallationStatusChange { installation: id, standing, since });
    Decision::Change(Box::new(QueueChanges { cancel, standing, job: None }))
}

fn installation_repositories(event: &InstallationRepositoriesEvent) -> Decision {
    let installation = Some(event.installation.id);
    let removed = event.repositories_removed.iter().map(|removed| JobSelection {
        installation,
        repository: Some(removed.full_name.clone()),
        ..JobSelection::default()
    });
    let removed: Vec<_> = removed.collect();
    if removed.is_empty() { Decision::Ignore("no repository was removed") } else { cancel(removed) }
}

fn subject_of_checks(
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
        pull: pull_of(pulls, sha),
    }
}

/// Returns the pull request that proposes this commit. The lists in events also contain other pull requests of the same
/// branch.
fn pull_of(pulls: &[PullRef], sha: &CommitId) -> Option<PullNumber> {
    pulls.iter().find(|pull| pull.head.sha == *sha).map(|pull| pull.number)
}

fn branch_of(name: &str) -> Option<Branch> {
    name.strip_prefix("refs/heads/").and_then(|name| name.to_owned().try_into().ok())
}

fn is_queue(branch: &Branch) -> bool {
    MergeQueueBranch::parse(branch.as_str()).is_some()
}

fn is_own(branch: &Branch) -> bool {
    is_own_branch(branch.as_str())
}

fn no_installation() -> Decision {
    Decision::Ignore("the event has no installation")
}

fn enqueue(
    key: String,
    installation: InstallationRef,
    subject: JobSubject,
    task: JobTask,
) -> Decision {
    let job = NewJob { key, installation: installation.id, subject, task };
    Decision::Change(Box::new(QueueChanges { job: Some(job), ..QueueChanges::default() }))
}

fn cancel(cancel: Vec<JobSelection>) -> Decision {
    Decision::Change(Box::new(QueueChanges { cancel, ..QueueChanges::default() }))
}

#[cfg(test)]
mod tests;
