//! Texts of suggested changes on the lines of a pull request.

use crate::github::data::GitHubReport;
use crate::github::data::replacement::Replacement;
use crate::github::markdown::code_span;
use crate::github::sections::headline::format_headline;
use crate::github::texts::forgery_warning;

/// Returns the text above suggested changes. It begins with `marker`, which identifies it later.
pub fn format_suggestion_intro(report: &GitHubReport, marker: &str) -> String {
    format!("{marker}\n{}\n\n{}", format_headline(report), forgery_warning())
}

/// Returns the text of one suggested change.
pub fn format_suggestion(report: &GitHubReport, replacement: &Replacement) -> String {
    let reason = match report.fix.as_ref().and_then(|one| one.rationale()) {
        Some(why) => format!("Fixes {}: {}", code_span(report.subject()), code_span(why)),
        None => format!("Fixes {}.", code_span(report.subject())),
    };
    let text = replacement.text.strip_suffix('\n').unwrap_or(&replacement.text);
    let longest_backtick_run = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat((longest_backtick_run + 1).max(3));
    format!("{reason}\n\n{fence}suggestion\n{text}\n{fence}")
}
