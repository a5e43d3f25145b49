//! `issue_comment`: comments on issues and on pull requests.

use super::common::{Installation, Repository, User};
use crate::github::{CommentId, PullNumber};
use serde::Deserialize;

/// Something happened to a comment.
#[derive(Clone, Debug, Deserialize)]
pub struct IssueCommentEvent {
    /// What happened.
    pub action: Action,
    /// What the comment is on.
    pub issue: Issue,
    /// The comment.
    pub comment: Comment,
    /// Where.
    pub repository: Repository,
    /// For whom.
    pub installation: Option<Installation>,
}

/// What happened to a comment.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// Somebody wrote it.
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
    /// Who wrote it; nobody once the account is gone.
    pub user: Option<User>,
    /// Its Markdown.
    pub body: String,
}
