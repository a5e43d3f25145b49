//! Published items.

use crate::publishing::obsolete_pulls::ClosedPull;
use mend_github::{ApiError, ApiResult, CheckRun, Comment, Pull, PullNumber};
use mend_report::github::{
    FailureAnnotation, GitHubReport, OutputKind, SkippedOutput, TextContext,
};

/// Items that are on GitHub now.
#[derive(Debug, Default)]
pub struct PublishResult {
    /// The fix pull request.
    pub pull: Option<Pull>,
    /// The check run.
    pub check_run: Option<CheckRun>,
    /// The comment.
    pub comment: Option<Comment>,
    /// The pull request with the culprit, where several were put together.
    pub(super) brought: Option<PullNumber>,
    /// The closed fix pull requests that were no longer needed.
    pub closed: Vec<ClosedPull>,
    /// Items that were not published, with the reason.
    pub left_out: Vec<SkippedOutput>,
}

impl PublishResult {
    /// Returns the value of a response, or `None` if the token lacks the permission: then the item is recorded as
    /// skipped.
    pub(super) fn allowed<T>(
        &mut self,
        what: OutputKind,
        answer: ApiResult<T>,
    ) -> ApiResult<Option<T>> {
        match answer {
            Ok(answer) => Ok(Some(answer)),
            Err(ApiError::Forbidden(why)) => {
                self.left_out.push(SkippedOutput::Denied(what, why));
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }
}

/// Published run.
#[derive(Debug)]
pub struct PublishedRun {
    /// Report, with details from GitHub.
    pub story: GitHubReport,
    /// The publishing state of the fix.
    pub words: TextContext,
    /// Annotations of the changed lines.
    pub remarks: Vec<FailureAnnotation>,
    /// The items that are on GitHub now.
    pub told: PublishResult,
}

impl PublishedRun {
    /// Creates the result for a rejected run. Nothing of it is published.
    pub(super) fn refused(story: GitHubReport, why: SkippedOutput) -> Self {
        let told = PublishResult { left_out: vec![why], ..PublishResult::default() };
        Self { story, words: TextContext::default(), remarks: Vec::new(), told }
    }
}
