//! `issue_comment`: comments on issues and on pull requests.

use crate::webhook::events::payload::{Installation, Repository, User};
use mend_github::{CommentId, PullNumber};
use serde::Deserialize;

/// Something happened to a comment.
#[derive(Clone, Debug, Deserialize)]
pub struct IssueCommentEvent {
    /// The action.
    pub action: Action,
    /// The issue or pull request of the comment.
    pub issue: Issue,
    /// The comment.
    pub comment: Comment,
    /// The repository.
    pub repository: Repository,
    /// The installation.
    pub installation: Option<Installation>,
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
pub struct Issue {
    /// Its number.
    pub number: PullNumber,
    /// There if it is a pull request.
    pub pull_request: Option<serde::de::IgnoredAny>,
}

/// A comment.
#[derive(Clone, Debug, Deserialize)]
pub struct Comment {
    /// Its number.
    pub id: CommentId,
    /// The author, or `None` if the account was deleted.
    pub user: Option<User>,
    /// Its Markdown.
    pub body: String,
}
