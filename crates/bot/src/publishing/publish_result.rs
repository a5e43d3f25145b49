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
    pub fix_pull: Option<Pull>,
    /// The check run.
    pub check_run: Option<CheckRun>,
    /// The comment.
    pub comment: Option<Comment>,
    /// The pull request with the culprit, where several were put together.
    pub(super) culprit_pull: Option<PullNumber>,
    /// The closed fix pull requests that were no longer needed.
    pub closed: Vec<ClosedPull>,
    /// Items that were not published, with the reason.
    pub skipped: Vec<SkippedOutput>,
}

impl PublishResult {
    /// Returns the value of a response, or `None` if the token lacks the permission: then the item is recorded as
    /// skipped.
    pub(super) fn record_denied<T>(
        &mut self,
        output: OutputKind,
        response: ApiResult<T>,
    ) -> ApiResult<Option<T>> {
        match response {
            Ok(response) => Ok(Some(response)),
            Err(ApiError::Forbidden(why)) => {
                self.skipped.push(SkippedOutput::Denied(output, why));
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
    pub report: GitHubReport,
    /// The publishing state of the fix.
    pub context: TextContext,
    /// Annotations of the changed lines.
    pub annotations: Vec<FailureAnnotation>,
    /// The items that are on GitHub now.
    pub result: PublishResult,
}

impl PublishedRun {
    /// Creates the result for a rejected run. Nothing of it is published.
    pub(super) fn rejected(report: GitHubReport, reason: SkippedOutput) -> Self {
        let result = PublishResult { skipped: vec![reason], ..PublishResult::default() };
        Self { report, context: TextContext::default(), annotations: Vec::new(), result }
    }
}
