//! Titles and commit messages: plain text.

use crate::github::data::fix::FixSummary;
use crate::github::data::outcome::{FailureReason, SearchOutcome};
use crate::github::data::{GitHubReport, THE_BUILD, THE_COMMAND};
use crate::github::markdown::visible;
use mend_model::counted;

/// Maximum title length in characters. GitHub accepts 256.
const MOST_TITLE: usize = 120;

/// Returns the title of a fix pull request: plain text.
pub fn pull_title(story: &GitHubReport) -> String {
    title(&format!("Fix {}{}", name(story.subject()), broken_by(story)))
}

/// Returns the title of the check run and of annotations: plain text.
pub fn check_title(story: &GitHubReport) -> String {
    let subject = name(story.subject());
    title(&match (story.outcome, &story.mending) {
        (SearchOutcome::Found, Some(FixSummary { part, .. })) => {
            let size = part
                .tokens
                .map_or(String::new(), |tokens| format!(" ({})", counted(tokens, "token")));
            format!("{subject}: {}fix available{size}", culprit(story))
        }
        (SearchOutcome::Found, None) => format!("{subject}: {}no fix found", culprit(story)),
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
pub fn title(text: &str) -> String {
    let text = visible(text).split_whitespace().collect::<Vec<_>>().join(" ");
    match text.char_indices().nth(MOST_TITLE) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// Returns the name of a test for places without code formatting: a title, a commit message. Characters that test names
/// do not have are removed, and so is the hyphen of `GH-12`: the text mentions no user and references or closes no
/// issue.
fn name(subject: &str) -> String {
    if [THE_BUILD, THE_COMMAND].contains(&subject) {
        return subject.to_owned();
    }
    let is_part = |c: &char| c.is_alphanumeric() || "_.$#[](),:-".contains(*c);
    let text: String = subject.chars().filter(is_part).collect();
    let is_reference = |part: &str| part.starts_with(|c: char| c.is_ascii_digit());
    without_issue_reference(&match text.split_once('#') {
        Some((class, method)) if !is_reference(method) => {
            format!("{class}#{}", method.replace('#', ""))
        }
        _ => text.replace('#', ""),
    })
}

/// Removes the hyphens after each `GH`: `GH-12` references an issue.
fn without_issue_reference(text: &str) -> String {
    let mut rest = text;
    let mut out = String::with_capacity(text.len());
    while let Some(at) = rest.to_ascii_lowercase().find("gh-") {
        out.push_str(&rest[..at + 2]);
        rest = rest[at + 2..].trim_start_matches('-');
    }
    out + rest
}

fn broken_by(story: &GitHubReport) -> String {
    story.blame.as_ref().map_or(String::new(), |blame| format!(" (broken by {})", blame.short()))
}

/// Returns the culprit commit for a title, with a comma after it.
fn culprit(story: &GitHubReport) -> String {
    story.blame.as_ref().map_or(String::new(), |blame| format!("culprit {}, ", blame.short()))
}

/// Returns the size of a fix, if known.
pub(crate) fn of_size(tokens: Option<usize>) -> String {
    tokens.map_or(String::new(), |tokens| format!(" of {}", counted(tokens, "token")))
}

/// Returns the first line and the body of the fix commit's message. It contains no untrusted text, because GitHub acts
/// on some keywords in commit messages.
pub fn commit_message(story: &GitHubReport) -> (String, String) {
    let what = match (&story.blame, story.mending.as_ref().and_then(|one| one.rationale())) {
        (_, Some(_)) => "The smallest change found that makes the test pass.".to_owned(),
        (Some(blame), None) => {
            format!("Revert the part of {} that breaks it.", blame.commit)
        }
        (None, None) => "Revert the part of the change that breaks it.".to_owned(),
    };
    (title(&format!("Fix {}", name(story.subject()))), what)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_has_nothing_that_github_acts_on() {
        for (subject, plain) in [
            ("a.B#c[1]", "a.B#c[1]"),
            ("fixes #12 @all", "fixes12all"),
            ("a/b#1 <x>", "ab1x"),
            ("a.B#c#1", "a.B#c1"),
            ("GH-12", "GH12"),
            ("a.B#gh-1", "a.B#gh1"),
            ("GH--1", "GH1"),
            ("a#G#H-1", "a#GH1"),
            ("the command", "the command"),
        ] {
            assert_eq!(name(subject), plain);
        }
    }
}
