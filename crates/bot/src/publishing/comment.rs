//! Comment on a pull request. Each matrix job of each workflow has its own comment, so that they do not overwrite each
//! other. Only one of several equal results is published in full; the other comments link to it.

use super::marker::CommentMarker;
use mend_github::{ApiResult, Comment, PullNumber, Repo};
use mend_report::github;
use mend_report::github::{GitHubReport, TextContext};

/// Comment to publish.
pub(super) struct MatrixJobComment<'a> {
    pub(super) repo: &'a Repo,
    pub(super) pull: PullNumber,
    pub(super) marker: CommentMarker,
    pub(super) story: &'a GitHubReport,
    pub(super) words: &'a TextContext,
}

impl MatrixJobComment<'_> {
    /// Creates or updates the comment, and returns the comment with the full text. If matrix jobs publish the same
    /// result at the same time, the first comment keeps the full text: each job checks again after creating its own,
    /// and all see the same order.
    pub(super) async fn publish(&self) -> ApiResult<Comment> {
        let before = self.all_comments().await?;
        if let Some(first) = self.marker.told_before(&before) {
            let start = self.marker.start();
            let is_there = before.iter().any(|comment| comment.body.starts_with(&start));
            return if is_there { self.point_at(first).await } else { Ok(first.clone()) };
        }
        let body = github::comment(self.story, &self.marker.to_string(), self.words);
        let told = self.repo.set_comment(self.pull, &self.marker.start(), &body).await?;
        match self.marker.told_before(&self.all_comments().await?) {
            Some(first) => self.point_at(first).await,
            None => Ok(told),
        }
    }

    async fn all_comments(&self) -> ApiResult<Vec<Comment>> {
        self.repo.own_comments(self.pull, CommentMarker::START).await
    }

    async fn point_at(&self, first: &Comment) -> ApiResult<Comment> {
        let marker = self.marker.pointing().to_string();
        let body = github::told_there(self.story, &marker, &first.html_url);
        self.repo.set_comment(self.pull, &self.marker.start(), &body).await
    }
}
