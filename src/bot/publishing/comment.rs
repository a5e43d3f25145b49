//! The comment under a pull request. Each leg of each workflow has its own, so that none writes over what another one
//! told; what one of them told at length, the others only point at.

use super::marker::CommentMarker;
use crate::github::{Comment, ForgeResult, PullNumber, Repo};
use crate::report::story::{self, Story, Words};

/// A comment as it is to be.
pub(super) struct LegComment<'a> {
    pub(super) repo: &'a Repo,
    pub(super) pull: PullNumber,
    pub(super) marker: CommentMarker,
    pub(super) story: &'a Story,
    pub(super) words: &'a Words,
}

impl LegComment<'_> {
    /// Makes it, or brings it up to date, and gives the one that tells. Of legs that tell the same at the same time the one
    /// that came first is told at length: each looks again once its own is there, and all see the same order.
    pub(super) async fn set(&self) -> ForgeResult<Comment> {
        let before = self.all().await?;
        if let Some(first) = self.marker.told_before(&before) {
            let start = self.marker.start();
            let is_there = before.iter().any(|comment| comment.body.starts_with(&start));
            return if is_there { self.point_at(first).await } else { Ok(first.clone()) };
        }
        let body = story::comment(self.story, &self.marker.to_string(), self.words);
        let told = self.repo.set_comment(self.pull, &self.marker.start(), &body).await?;
        match self.marker.told_before(&self.all().await?) {
            Some(first) => self.point_at(first).await,
            None => Ok(told),
        }
    }

    async fn all(&self) -> ForgeResult<Vec<Comment>> {
        self.repo.own_comments(self.pull, CommentMarker::START).await
    }

    async fn point_at(&self, first: &Comment) -> ForgeResult<Comment> {
        let marker = self.marker.pointing().to_string();
        let body = story::told_there(self.story, &marker, &first.html_url);
        self.repo.set_comment(self.pull, &self.marker.start(), &body).await
    }
}
