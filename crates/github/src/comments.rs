//! Comments under pull requests.

use super::error::{ApiError, ApiResult};
use super::names::{CommentId, PullNumber, UserId};
use super::repo::Repo;
use http::Method;
use serde::{Deserialize, Serialize};

/// A comment.
#[derive(Clone, Debug, Deserialize)]
pub struct Comment {
    /// Its number.
    pub id: CommentId,
    /// The text.
    #[serde(default)]
    pub body: String,
    /// The author, or `None` if the account was deleted.
    pub user: Option<CommentAuthor>,
    /// Its page.
    #[serde(default)]
    pub html_url: String,
    /// API address of its pull request or issue.
    #[serde(default)]
    issue_url: String,
}

impl Comment {
    /// Returns the number of its pull request or issue, if GitHub says it.
    pub fn pull_number(&self) -> Option<PullNumber> {
        self.issue_url.rsplit('/').next()?.parse().ok().map(PullNumber)
    }
}

/// Author of a comment or review.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct CommentAuthor {
    /// Account id.
    pub id: UserId,
}

/// Reaction to a comment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Reaction {
    /// The command was accepted.
    #[serde(rename = "eyes")]
    Eyes,
    /// The command succeeded.
    #[serde(rename = "rocket")]
    Rocket,
    /// The command failed.
    #[serde(rename = "confused")]
    Confused,
}

#[derive(Serialize)]
struct CommentRequest<'a> {
    body: &'a str,
}

impl Repo {
    /// Fetches the comments of a pull request, oldest first.
    ///
    /// # Errors
    /// GitHub's error.
    pub async fn list_comments(&self, pull: PullNumber) -> ApiResult<Vec<Comment>> {
        self.client.list(&self.api_route(&format!("/issues/{pull}/comments")), None, 50).await
    }

    /// Creates or updates the comment of this account that begins with a marker. Comments of other accounts are
    /// ignored, because anyone can write a marker.
    ///
    /// # Errors
    /// GitHub's error.
    pub async fn set_comment(
        &self,
        pull: PullNumber,
        marker: &str,
        body: &str,
    ) -> ApiResult<Comment> {
        match self.find_own_comment(pull, marker).await? {
            Some(known) if known.body == body => Ok(known),
            Some(known) => self.update_comment(known.id, body).await,
            None => self.create_comment(pull, marker, body).await,
        }
    }

    /// Returns a comment, or `None` if it was deleted.
    ///
    /// # Errors
    /// GitHub's error.
    pub async fn find_comment(&self, comment: CommentId) -> ApiResult<Option<Comment>> {
        self.client.find(&self.comment_route(comment)).await
    }

    /// Replaces the text of a comment.
    ///
    /// # Errors
    /// GitHub's error.
    pub async fn update_comment(&self, comment: CommentId, body: &str) -> ApiResult<Comment> {
        let route = self.comment_route(comment);
        self.client.send(Method::PATCH, &route, &CommentRequest { body }).await
    }

    fn comment_route(&self, comment: CommentId) -> String {
        self.api_route(&format!("/issues/comments/{comment}"))
    }

    /// Reacts to a comment, if it exists and allows reactions. Repeating a reaction has no effect.
    ///
    /// # Errors
    /// GitHub's error.
    pub async fn react(&self, comment: CommentId, content: Reaction) -> ApiResult<()> {
        let route = format!("{}/reactions", self.comment_route(comment));
        let body = serde_json::json!({ "content": content });
        match self.client.send_without_response(Method::POST, &route, &body).await {
            Err(ApiError::UnknownOutcome(_)) => {
                self.client.send_without_response(Method::POST, &route, &body).await
            }
            Err(ApiError::NotFound(_) | ApiError::Forbidden(_)) => Ok(()),
            told => told,
        }
    }

    async fn create_comment(
        &self,
        pull: PullNumber,
        marker: &str,
        body: &str,
    ) -> ApiResult<Comment> {
        let route = self.api_route(&format!("/issues/{pull}/comments"));
        match self.client.send(Method::POST, &route, &CommentRequest { body }).await {
            Err(ApiError::UnknownOutcome(said)) => {
                self.find_own_comment(pull, marker).await?.ok_or(ApiError::Unreachable(said))
            }
            made => made,
        }
    }

    async fn find_own_comment(&self, pull: PullNumber, marker: &str) -> ApiResult<Option<Comment>> {
        Ok(self.list_own_comments(pull, marker).await?.into_iter().next())
    }

    /// Returns this account's comments on a pull request that begin with a marker, oldest first.
    ///
    /// # Errors
    /// GitHub's error.
    pub async fn list_own_comments(
        &self,
        pull: PullNumber,
        marker: &str,
    ) -> ApiResult<Vec<Comment>> {
        self.filter_own_comments(self.list_comments(pull).await?, marker).await
    }

    /// Returns this account's comments on any pull request that begin with a marker, among the 300 comments that were
    /// changed last.
    ///
    /// # Errors
    /// GitHub's error.
    pub async fn list_recent_own_comments(&self, marker: &str) -> ApiResult<Vec<Comment>> {
        let route = self.api_route("/issues/comments?sort=updated&direction=desc");
        self.filter_own_comments(self.client.list(&route, None, 3).await?, marker).await
    }

    async fn filter_own_comments(
        &self,
        mut comments: Vec<Comment>,
        marker: &str,
    ) -> ApiResult<Vec<Comment>> {
        comments.retain(|comment| comment.body.starts_with(marker));
        self.filter_own(comments, |comment| comment.user.as_ref()).await
    }
}
