//! Titles and commit messages in plain text.

use crate::github::data::GitHubReport;
use crate::github::data::fix::FixSummary;
use crate::github::data::outcome::{FailureReason, SearchOutcome};
use crate::github::markdown::escape_hidden;
use mend_model::format_count;

/// Maximum title length in characters. GitHub accepts 256.
const MAX_TITLE_CHARS: usize = 120;

/// Returns the title of a fix pull request: plain text.
pub fn format_pull_title(report: &GitHubReport) -> String {
    one_line_title(&format!(
        "Fix {}{}",
        plain_test_name(report.subject()),
        broken_by_suffix(report)
    ))
}

/// Returns the title of the check run and of annotations: plain text.
pub fn format_check_title(report: &GitHubReport) -> String {
    let subject = plain_test_name(report.subject());
    one_line_title(&match (report.outcome, &report.fix) {
        (SearchOutcome::Found, Some(FixSummary { patch: part, .. })) => {
            let size = part
                .tokens
                .map_or(String::new(), |tokens| format!(" ({})", format_count(tokens, "token")));
            format!("{subject}: {}fix available{size}", culprit_prefix(report))
        }
        (SearchOutcome::Found, None) => {
            format!("{subject}: {}no fix found", culprit_prefix(report))
        }
        (SearchOutcome::NotFound, _) => format!("{subject}: no culprit found"),
        (SearchOutcome::Flaky, _) => format!("{subject}: flaky, no culprit"),
        (SearchOutcome::Incomplete, _) => format!("{subject}: search did not complete"),
        (SearchOutcome::Failed(FailureReason::Baseline), _) => {
            format!("{subject}: no culprit, baseline check failed")
        }
        (SearchOutcome::Failed(FailureReason::Internal), _) => {
            format!("{subject}: no result, internal error in git-mend")
        }
        (SearchOutcome::Failed(FailureReason::Usage), _) => {
            format!("{subject}: not searched, invalid search request")
        }
        (SearchOutcome::Failed(FailureReason::Environment), _) => {
            format!("{subject}: not searched, incomplete environment")
        }
    })
}

/// Formats text as one line, cut to the length of a title.
pub fn one_line_title(text: &str) -> String {
    let text = escape_hidden(text).split_whitespace().collect::<Vec<_>>().join(" ");
    match text.char_indices().nth(MAX_TITLE_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// Returns the name of a test for places without code formatting, such as titles and commit messages. Removes
/// characters that test names do not have, and the hyphen of `GH-12`, so that the text mentions no user and references
/// or closes no issue.
fn plain_test_name(subject: &str) -> String {
    let is_name_character =
        |c: &char| c.is_alphanumeric() || " _.$#[](){},;:!?%&=+|^~\"'-".contains(*c);
    let text: String = subject.chars().filter(is_name_character).collect();
    let is_issue_reference = |part: &str| part.starts_with(|c: char| c.is_ascii_digit());
    remove_issue_references(&match text.split_once('#') {
        Some((class, method)) if !is_issue_reference(method) => {
            format!("{class}#{}", method.replace('#', ""))
        }
        _ => text.replace('#', ""),
    })
}

/// Removes the hyphens after each `GH`: `GH-12` references an issue.
fn remove_issue_references(text: &str) -> String {
    let mut rest = text;
    let mut out = String::with_capacity(text.len());
    while let Some(at) = rest.to_ascii_lowercase().find("gh-") {
        out.push_str(&rest[..at + 2]);
        rest = rest[at + 2..].trim_start_matches('-');
    }
    out + rest
}

fn broken_by_suffix(report: &GitHubReport) -> String {
    report
        .culprit_commit
        .as_ref()
        .filter(|_| report.is_culprit_confirmed)
        .map_or(String::new(), |blame| format!(" (broken by {})", blame.short_id()))
}

/// Returns the culprit commit or the suspect for a title, with a comma after it.
fn culprit_prefix(report: &GitHubReport) -> String {
    let role = if report.is_culprit_confirmed { "culprit" } else { "suspect" };
    report
        .culprit_commit
        .as_ref()
        .map_or(String::new(), |blame| format!("{role} {}, ", blame.short_id()))
}

/// Returns the first line and the body of the fix commit's message. It contains no untrusted text, because GitHub acts
/// on some keywords in commit messages.
pub fn format_commit_message(report: &GitHubReport) -> (String, String) {
    let reverted = report
        .culprit_commit
        .as_ref()
        .filter(|_| report.fix.as_ref().is_some_and(|fix| fix.reverts_culprit));
    let body = match (reverted, report.fix.as_ref().and_then(|one| one.rationale())) {
        (_, Some(_)) => "The smallest change found that makes the test pass.".to_owned(),
        (Some(blame), None) => {
            format!("Revert the part of {} that breaks it.", blame.commit)
        }
        (None, None) if !report.upgrades.is_empty() => {
            "Set versions that pass, and keep the other updates.".to_owned()
        }
        (None, None) => "Revert the part of the change that breaks it.".to_owned(),
    };
    (one_line_title(&format!("Fix {}", plain_test_name(report.subject()))), body)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn title_has_no_mentions_or_references() {
        for (subject, plain) in [
            ("a.B#c[1]", "a.B#c[1]"),
            ("fixes #12 @all", "fixes 12 all"),
            ("a/b#1 <x>", "ab1 x"),
            ("a.B#c#1", "a.B#c1"),
            ("GH-12", "GH12"),
            ("a.B#gh-1", "a.B#gh1"),
            ("GH--1", "GH1"),
            ("a#G#H-1", "a#GH1"),
            ("the command", "the command"),
            ("a.B#adds \"1\" and '2'", "a.B#adds \"1\" and '2'"),
        ] {
            assert_eq!(plain_test_name(subject), plain);
        }
    }
}
