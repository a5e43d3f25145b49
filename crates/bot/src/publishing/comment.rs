//! Publishes the comment on a pull request. Each matrix job of each workflow has its own comment, so that jobs do not
//! overwrite each other. Only one of several equal results is published in full; the other comments link to it.

use super::comment_marker::CommentMarker;
use mend_github::{ApiResult, Comment, PullNumber, Repo};
use mend_report::github;
use mend_report::github::{GitHubReport, TextContext};

/// Comment to publish.
pub(super) struct MatrixJobComment<'a> {
    pub(super) repo: &'a Repo,
    pub(super) pull: PullNumber,
    pub(super) marker: CommentMarker,
    pub(super) report: &'a GitHubReport,
    pub(super) context: &'a TextContext,
}

impl MatrixJobComment<'_> {
    /// Creates or updates the comment, and returns the comment with the full text. If matrix jobs publish the same
    /// result at the same time, the first comment keeps the full text: each job checks again after creating its own,
    /// and all see the same order.
    pub(super) async fn publish(&self) -> ApiResult<Comment> {
        let comments = self.list_own_comments().await?;
        if let Some(first) = self.marker.find_same_result(&comments) {
            let marker_start = self.marker.prefix();
            let has_own_comment =
                comments.iter().any(|comment| comment.body.starts_with(&marker_start));
            return if has_own_comment { self.link_to(first).await } else { Ok(first.clone()) };
        }
        let body = github::format_comment(self.report, &self.marker.to_string(), self.context);
        let comment = self.repo.set_comment(self.pull, &self.marker.prefix(), &body).await?;
        match self.marker.find_same_result(&self.list_own_comments().await?) {
            Some(first) => self.link_to(first).await,
            None => Ok(comment),
        }
    }

    async fn list_own_comments(&self) -> ApiResult<Vec<Comment>> {
        self.repo.list_own_comments(self.pull, CommentMarker::PREFIX).await
    }

    async fn link_to(&self, full_comment: &Comment) -> ApiResult<Comment> {
        let marker = self.marker.without_result().to_string();
        let body = github::same_result_comment(self.report, &marker, &full_comment.html_url);
        self.repo.set_comment(self.pull, &self.marker.prefix(), &body).await
    }
}
