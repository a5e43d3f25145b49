//! Types of GitHub's events: one file for each family, with only the fields in use. Each action has a catch-all for
//! unknown values.

pub mod check_run;
pub mod check_suite;
pub mod installation;
pub mod issue_comment;
pub mod merge_group;
pub mod payload;
pub mod pull_request;
pub mod push;
pub mod workflow_run;

use check_run::CheckRunEvent;
use check_suite::CheckSuiteEvent;
use installation::{InstallationEvent, InstallationRepositoriesEvent};
use issue_comment::IssueCommentEvent;
use merge_group::MergeGroupEvent;
use pull_request::PullRequestEvent;
use push::PushEvent;
use serde::de::DeserializeOwned;
use workflow_run::WorkflowRunEvent;

/// The names of the events that are understood, as the App's manifest asks for them.
pub const SUBSCRIBED_EVENTS: [&str; 7] = [
    "check_run",
    "check_suite",
    "issue_comment",
    "merge_group",
    "pull_request",
    "push",
    "workflow_run",
];

/// Those that GitHub sends to every App, and refuses to be asked for. Two more are ignored on purpose:
/// `installation_target`, as an account's new name comes with its next event, and `github_app_authorization`, as
/// nothing is done here in the name of a person.
const AUTOMATIC_EVENTS: [&str; 2] = ["installation", "installation_repositories"];

/// Returns the name of a known event, or else `other`.
pub fn known_event_name(name: &str) -> &'static str {
    let known_names = SUBSCRIBED_EVENTS.into_iter().chain(AUTOMATIC_EVENTS);
    known_names.into_iter().find(|known| *known == name).unwrap_or("other")
}

/// Webhook event that git-mend uses.
#[derive(Clone, Debug)]
pub enum WebhookEvent {
    /// A run of a workflow.
    WorkflowRun(Box<WorkflowRunEvent>),
    /// The checks of a commit.
    CheckSuite(Box<CheckSuiteEvent>),
    /// A check of a commit.
    CheckRun(Box<CheckRunEvent>),
    /// A pull request.
    PullRequest(Box<PullRequestEvent>),
    /// A comment.
    IssueComment(Box<IssueCommentEvent>),
    /// A merge queue.
    MergeGroup(Box<MergeGroupEvent>),
    /// A push.
    Push(Box<PushEvent>),
    /// The App was installed, suspended or removed.
    Installation(InstallationEvent),
    /// The App was given or denied repositories.
    InstallationRepositories(InstallationRepositoriesEvent),
    /// An event that git-mend does not use.
    Unused,
}

impl WebhookEvent {
    /// Reads the body of an event of this name.
    ///
    /// # Errors
    /// The error in the body of a known event.
    pub fn parse(name: &str, body: &[u8]) -> serde_json::Result<Self> {
        Ok(match name {
            "workflow_run" => Self::WorkflowRun(parse_body(body)?),
            "check_suite" => Self::CheckSuite(parse_body(body)?),
            "check_run" => Self::CheckRun(parse_body(body)?),
            "pull_request" => Self::PullRequest(parse_body(body)?),
            "issue_comment" => Self::IssueComment(parse_body(body)?),
            "merge_group" => Self::MergeGroup(parse_body(body)?),
            "push" => Self::Push(parse_body(body)?),
            "installation" => Self::Installation(parse_body(body)?),
            "installation_repositories" => Self::InstallationRepositories(parse_body(body)?),
            _ => Self::Unused,
        })
    }
}

fn parse_body<T: DeserializeOwned>(body: &[u8]) -> serde_json::Result<T> {
    serde_json::from_slice(body)
}
