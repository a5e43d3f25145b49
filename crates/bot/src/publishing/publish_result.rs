//! Result of publishing a run: the items on GitHub, and the skipped ones.

use crate::publishing::settle::SettledOutput;
use mend_github::{ApiError, ApiResult, CheckRun, Comment, Pull};
use mend_report::github::{
    FailureAnnotation, GitHubReport, OutputKind, SkippedOutput, TextContext,
};

/// Published and skipped items.
#[derive(Debug, Default)]
pub struct PublishResult {
    /// Fix pull request.
    pub fix_pull: Option<Pull>,
    /// Check run.
    pub check_run: Option<CheckRun>,
    /// Comment.
    pub comment: Option<Comment>,
    /// Pull request that contains the culprit, if several were combined.
    pub(super) culprit_pull: Option<Pull>,
    /// Output about earlier failures that was ended.
    pub settled: SettledOutput,
    /// Items that were not published, with the reason.
    pub skipped: Vec<SkippedOutput>,
}

impl PublishResult {
    /// Returns the value of a response. If the token lacks the permission, records the item as skipped and returns
    /// `None`.
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
    /// Items that are on GitHub now.
    pub result: PublishResult,
}
