//! Composes the texts on GitHub from sections: pull requests, comments and summaries.

use crate::github::data::GitHubReport;
use crate::github::data::no_pull_reason::NoPullReason;
use crate::github::data::outcome::{FailureReason, SearchOutcome};
use crate::github::filters;
use askama::Template;

/// Maximum text length in characters. GitHub accepts 65,535.
const MAX_TEXT_CHARS: usize = 60_000;

/// Number of optional sections. The last one is omitted first.
const OPTIONAL_SECTIONS: usize = 4;

/// Publishing state of the fix, which a text needs in addition to the report.
#[derive(Clone, Debug, Default)]
pub struct TextContext {
    /// Address of the page with the run folder and the report, if there is one.
    pub report_url: Option<String>,
    /// Number of the fix pull request.
    pub fix_pull: Option<u64>,
    /// Number of the failing pull request.
    pub failing_pull: Option<u64>,
    /// True if the fix is published as suggested changes.
    pub is_suggested: bool,
    /// Reason for the absence of a fix pull request.
    pub no_pull_reason: Option<NoPullReason>,
    /// Number of places changed by the fix that have no annotation.
    pub unannotated_count: usize,
    /// True if a job's token opened the fix pull request, so that GitHub starts no workflow for it.
    pub needs_workflow_trigger: bool,
    /// True if the fix changes tests, which a user allowed.
    pub changes_tests: bool,
    /// True if GitHub does not show the fix commit as verified.
    pub is_unverified: bool,
}

/// Kind of a text with a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TextKind {
    PullBody,
    Comment,
    Summary,
}

/// Text with a result.
#[derive(Template)]
#[template(path = "result.md")]
struct ResultText<'a> {
    kind: TextKind,
    report: &'a GitHubReport,
    marker: &'a str,
    context: &'a TextContext,
    /// Number of optional sections that are omitted to make the text shorter.
    omitted_count: usize,
}

/// Returns the body of a fix pull request. It begins with `marker`, which identifies it later.
pub fn format_pull_body(report: &GitHubReport, marker: &str, context: &TextContext) -> String {
    format_result(TextKind::PullBody, report, marker, context)
}

/// Returns the comment on the failing pull request. It begins with `marker`, which identifies it later.
pub fn format_comment(report: &GitHubReport, marker: &str, context: &TextContext) -> String {
    format_result(TextKind::Comment, report, marker, context)
}

/// Returns the summary of a check run or of a job step.
pub fn format_summary(report: &GitHubReport, context: &TextContext) -> String {
    format_result(TextKind::Summary, report, "", context)
}

/// Formats a text, without as many optional sections as do not fit.
fn format_result(
    kind: TextKind,
    report: &GitHubReport,
    marker: &str,
    context: &TextContext,
) -> String {
    let format = |omitted_count| {
        let text = ResultText { kind, report, marker, context, omitted_count }.to_string();
        report.path_mask.mask_markdown(&text) + "\n"
    };
    let fits = |text: &String| text.chars().count() <= MAX_TEXT_CHARS;
    let shorter_text = (0..OPTIONAL_SECTIONS).map(format).find(fits);
    shorter_text.unwrap_or_else(|| format(OPTIONAL_SECTIONS))
}

/// Comment of a matrix job whose result equals another comment.
#[derive(Template)]
#[template(path = "same_result.md")]
struct SameResultComment<'a> {
    report: &'a GitHubReport,
    marker: &'a str,
    url: &'a str,
}

/// Returns the comment of a matrix job whose result equals the comment at `url`. It begins with `marker`, which
/// identifies it later.
pub fn same_result_comment(report: &GitHubReport, marker: &str, url: &str) -> String {
    format!("{}\n", SameResultComment { report, marker, url })
}

pub(crate) mod buttons;
pub(crate) mod closing;
pub(crate) mod command_replies;
pub(crate) mod local_search;
pub(crate) mod merge_group;
pub(crate) mod outdated;
pub(crate) mod search_claims;
pub(crate) mod search_stage;
pub(crate) mod setup;
pub(crate) mod suggestion;
#[cfg(test)]
mod tests;
pub(crate) mod titles;
