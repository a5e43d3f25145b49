//! `issue_comment`: comments on issues and on pull requests.

use crate::webhook::event_payloads::payload::{InstallationRef, RepositoryPayload, UserPayload};
use mend_github::{CommentId, PullNumber};
use serde::Deserialize;

/// Event about a comment.
#[derive(Clone, Debug, Deserialize)]
pub struct IssueCommentEvent {
    /// The action.
    pub action: Action,
    /// The issue or pull request of the comment.
    pub issue: IssuePayload,
    /// The comment.
    pub comment: CommentPayload,
    /// The repository.
    pub repository: RepositoryPayload,
    /// The installation.
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

/// An issue; every pull request is one.
#[derive(Clone, Debug, Deserialize)]
pub struct IssuePayload {
    /// Its number.
    pub number: PullNumber,
    /// Present if the issue is a pull request.
    pub pull_request: Option<serde::de::IgnoredAny>,
}

/// A comment.
#[derive(Clone, Debug, Deserialize)]
pub struct CommentPayload {
    /// Its number.
    pub id: CommentId,
    /// The author, or `None` if the account was deleted.
    pub user: Option<UserPayload>,
    /// Text of the comment, in Markdown.
    pub body: String,
}
