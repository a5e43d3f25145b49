//! Texts of suggested changes on the lines of a pull request.

use crate::github::data::GitHubReport;
use crate::github::data::outcome::{FailureReason, SearchOutcome};
use crate::github::data::replacement::Replacement;
use crate::github::filters;
use crate::github::markdown::block_fence;
use askama::Template;

/// Text above suggested changes.
#[derive(Template)]
#[template(path = "suggestion_intro.md")]
struct SuggestionIntro<'a> {
    report: &'a GitHubReport,
    marker: &'a str,
}

/// Returns the text above suggested changes. It begins with `marker`, which identifies it later.
pub fn format_suggestion_intro(report: &GitHubReport, marker: &str) -> String {
    SuggestionIntro { report, marker }.to_string()
}

/// Text of one suggested change.
#[derive(Template)]
#[template(path = "suggestion.md")]
struct Suggestion<'a> {
    report: &'a GitHubReport,
    rationale: Option<&'a str>,
    fence: String,
    text: &'a str,
}

/// Returns the text of one suggested change.
pub fn format_suggestion(report: &GitHubReport, replacement: &Replacement) -> String {
    let rationale = report.fix.as_ref().and_then(|one| one.rationale());
    let text = replacement.text.strip_suffix('\n').unwrap_or(&replacement.text);
    Suggestion { report, rationale, fence: block_fence(text), text }.to_string()
}
