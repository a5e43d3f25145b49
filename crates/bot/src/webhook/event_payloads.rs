//! Types of GitHub's webhook events: one file for each event family, with only the fields in use. Each action has a
//! variant for unknown values.

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

/// Names of the events that the App subscribes to in its manifest.
pub const SUBSCRIBED_EVENTS: [&str; 7] = [
    "check_run",
    "check_suite",
    "issue_comment",
    "merge_group",
    "pull_request",
    "push",
    "workflow_run",
];

/// Events that GitHub sends to every App without a subscription. Two more are ignored on purpose:
/// `installation_target`, because later events contain the new account name, and `github_app_authorization`, because
/// git-mend never acts for a user.
const AUTOMATIC_EVENTS: [&str; 2] = ["installation", "installation_repositories"];

/// Returns the name of a known event, or else `other`.
pub fn known_event_name(name: &str) -> &'static str {
    let known_names = SUBSCRIBED_EVENTS.into_iter().chain(AUTOMATIC_EVENTS);
    known_names.into_iter().find(|known| *known == name).unwrap_or("other")
}

/// Webhook event that git-mend uses.
#[derive(Clone, Debug)]
pub enum WebhookEvent {
    /// Event about a workflow run.
    WorkflowRun(Box<WorkflowRunEvent>),
    /// Event about a check suite.
    CheckSuite(Box<CheckSuiteEvent>),
    /// Event about a check run.
    CheckRun(Box<CheckRunEvent>),
    /// Event about a pull request.
    PullRequest(Box<PullRequestEvent>),
    /// Event about a comment.
    IssueComment(Box<IssueCommentEvent>),
    /// Event about a merge group.
    MergeGroup(Box<MergeGroupEvent>),
    /// Push event.
    Push(Box<PushEvent>),
    /// Event about the installation, suspension or removal of the App.
    Installation(InstallationEvent),
    /// Event about repositories that the App may access.
    InstallationRepositories(InstallationRepositoriesEvent),
    /// An event that git-mend does not use.
    Unused,
}

impl WebhookEvent {
    /// Parses the body of an event with this name.
    ///
    /// # Errors
    /// JSON error in the body of a known event.
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
