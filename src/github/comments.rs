//! Comments under pull requests.

use super::error::{ForgeError, ForgeResult};
use super::names::{CommentId, Login, PullNumber};
use super::repo::Repo;
use http::Method;
use serde::{Deserialize, Serialize};

/// A comment.
#[derive(Clone, Debug, Deserialize)]
pub struct Comment {
    /// Its number.
    pub id: CommentId,
    /// What it says.
    #[serde(default)]
    pub body: String,
    /// Whose it is; nobody's, if they left GitHub.
    pub user: Option<Author>,
    /// Its page.
    #[serde(default)]
    pub html_url: String,
}

/// Whose comment it is.
#[derive(Clone, Debug, Deserialize)]
pub struct Author {
    /// What they are called.
    pub login: Login,
    /// `User`, `Bot`, `Organization`.
    #[serde(rename = "type", default)]
    pub kind: String,
}

#[derive(Serialize)]
struct Body<'a> {
    body: &'a str,
}

impl Repo {
    /// The comments under a pull request, oldest first.
    ///
    /// # Errors
    /// As GitHub answers.
    pub async fn comments(&self, pull: PullNumber) -> ForgeResult<Vec<Comment>> {
        self.client.list(&self.route(&format!("/issues/{pull}/comments")), None, 50).await
    }

    /// Makes the one comment that begins with this marker say something, and makes it where there is none. Only a program's
    /// comment is taken for it, as anybody can write a marker.
    ///
    /// # Errors
    /// As GitHub answers.
    pub async fn set_comment(
        &self,
        pull: PullNumber,
        marker: &str,
        body: &str,
    ) -> ForgeResult<Comment> {
        match self.marked(pull, marker).await? {
            Some(known) if known.body == body => Ok(known),
            Some(known) => {
                let route = self.route(&format!("/issues/comments/{}", known.id));
                self.client.send(Method::PATCH, &route, &Body { body }).await
            }
            None => self.create_comment(pull, marker, body).await,
        }
    }

    async fn create_comment(
        &self,
        pull: PullNumber,
        marker: &str,
        body: &str,
    ) -> ForgeResult<Comment> {
        let route = self.route(&format!("/issues/{pull}/comments"));
        match self.client.send(Method::POST, &route, &Body { body }).await {
            Err(ForgeError::Uncertain(said)) => {
                self.marked(pull, marker).await?.ok_or(ForgeError::Unreachable(said))
            }
            made => made,
        }
    }

    async fn marked(&self, pull: PullNumber, marker: &str) -> ForgeResult<Option<Comment>> {
        let is_ours = |comment: &Comment| {
            comment.body.starts_with(marker)
                && comment.user.as_ref().is_some_and(|user| user.kind == "Bot")
        };
        Ok(self.comments(pull).await?.into_iter().find(is_ours))
    }
}
