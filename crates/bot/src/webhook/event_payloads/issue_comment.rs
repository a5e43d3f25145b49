//! Payload of the event `issue_comment`, about comments on issues and pull requests.

use crate::webhook::event_payloads::payload::{InstallationRef, RepositoryPayload, UserPayload};
use mend_github::{CommentId, PullNumber};
use serde::Deserialize;

/// Event about a comment.
#[derive(Clone, Debug, Deserialize)]
pub struct IssueCommentEvent {
    /// Action of the event.
    pub action: Action,
    /// Issue or pull request of the comment.
    pub issue: IssuePayload,
    /// Comment.
    pub comment: CommentPayload,
    /// Repository.
    pub repository: RepositoryPayload,
    /// Installation of the App.
    pub installation: Option<InstallationRef>,
}

/// Action of a comment event.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// A user created it.
    Created,
    /// Changed or deleted.
    #[serde(other)]
    Other,
}

/// Issue. Every pull request is one.
#[derive(Clone, Debug, Deserialize)]
pub struct IssuePayload {
    /// Number of the issue.
    pub number: PullNumber,
    /// Present if the issue is a pull request.
    pub pull_request: Option<serde::de::IgnoredAny>,
}

/// A comment.
#[derive(Clone, Debug, Deserialize)]
pub struct CommentPayload {
    /// Number of the comment.
    pub id: CommentId,
    /// Author, or `None` if the account was deleted.
    pub user: Option<UserPayload>,
    /// Text of the comment, in Markdown.
    pub body: String,
}
