//! Texts on GitHub: pull requests, comments, summaries.

use super::markdown::code;
use super::sections::{TextSection, extra, joined, needed};
use crate::github::data::GitHubReport;
use crate::github::data::no_pull_reason::NoPullReason;
use crate::github::sections::alternative_fixes::{alternative_fixes, values};
use crate::github::sections::diagrams::{drawn, written};
use crate::github::sections::findings::{apply, broke, fix_section, tests};
use crate::github::sections::headline::{culprit_link, headline, next_step};
use crate::github::sections::threads::threads;
use crate::github::sections::verification::{checked, yourself};
use mend_model::counted;

/// Publishing state of the fix, which a text needs besides the story.
#[derive(Clone, Debug, Default)]
pub struct TextContext {
    /// Address of the page with the run folder and the report, if there is one.
    pub report: Option<String>,
    /// The fix pull request.
    pub fix_pull: Option<u64>,
    /// The failing pull request.
    pub failing_pull: Option<u64>,
    /// True if the fix is published as suggested changes.
    pub is_suggested: bool,
    /// Reason for the absence of a fix pull request.
    pub withheld: Option<NoPullReason>,
    /// Number of places changed by the fix that have no annotation.
    pub unmarked: usize,
    /// True if a job's token opened the fix pull request, so that GitHub starts no workflow for it.
    pub starts_nothing: bool,
    /// True if GitHub does not show the fix commit as verified.
    pub is_unverified: bool,
}

/// Returns the body of a fix pull request. It begins with `marker`, which identifies it later.
pub fn pull_body(story: &GitHubReport, marker: &str, words: &TextContext) -> String {
    let failing = words.failing_pull.map(|number| format!("Failing pull request: #{number}."));
    let start = [Some(format!("{marker}\n{}", headline(story))), failing].map(needed);
    let parts = start.into_iter().chain(pull_notes(words)).chain(found(story));
    joined(parts.chain([extra(drawn(story))]).chain(end(story, words)))
}

/// Returns the comment on the failing pull request. It begins with `marker`, which identifies it later.
pub fn comment(story: &GitHubReport, marker: &str, words: &TextContext) -> String {
    let parts = start(story, marker, words).into_iter().chain(found(story));
    joined(parts.chain([extra(written(story))]).chain(end(story, words)))
}

/// Returns the summary of a check run or of a job step.
pub fn summary(story: &GitHubReport, words: &TextContext) -> String {
    let parts = start(story, "", words).into_iter().chain(found(story));
    let more = [needed(unmarked(words)), extra(drawn(story))];
    joined(parts.chain(more).chain(end(story, words))).trim_start().to_owned()
}

/// Returns the first sections: the headline and the next step.
fn start(story: &GitHubReport, marker: &str, words: &TextContext) -> [Option<TextSection>; 4] {
    let todo = match (words.fix_pull, words.is_suggested, &story.mending) {
        (Some(number), ..) if words.starts_nothing => {
            Some(format!("The fix is in #{number}. {STARTS_NOTHING}"))
        }
        (Some(number), ..) => Some(format!("The fix is in #{number}.")),
        (None, true, _) => Some("The fix is suggested on the changed lines.".to_owned()),
        (None, false, Some(mending)) => Some(apply(&mending.part)),
        (None, false, None) => None,
    };
    let withheld = words.withheld.as_ref().map(|why| format!("No fix pull request: {why}."));
    let headline = Some(format!("{marker}\n{}", headline(story)));
    [headline, todo, withheld, next_step(story)].map(needed)
}

/// Returns the notes about the fix pull request itself.
fn pull_notes(words: &TextContext) -> [Option<TextSection>; 2] {
    let unverified = "GitHub does not show the commit of this pull request as verified. If the base branch requires \
                      signed commits, commit the fix yourself.";
    let starts_nothing = words.starts_nothing.then(|| STARTS_NOTHING.to_owned());
    [starts_nothing, words.is_unverified.then(|| unverified.to_owned())].map(needed)
}

/// Note about a pull request that a job opened with its own token.
const STARTS_NOTHING: &str = "GitHub starts no workflows for a pull request that a job opens with `GITHUB_TOKEN`. To run \
                              them, close and reopen the pull request. To avoid this step, pass the token of a GitHub \
                              App as the input `token` of the Action.";

/// Returns the sections with the findings.
fn found(story: &GitHubReport) -> [Option<TextSection>; 6] {
    let [tests, broke, why] = [tests(story), broke(story), fix_section(story)].map(needed);
    let [values, threads, others] =
        [values(story), threads(story), alternative_fixes(story)].map(extra);
    [tests, broke, why, values, threads, others]
}

/// Returns the note about places changed by the fix that have no annotation.
fn unmarked(words: &TextContext) -> Option<String> {
    let count = words.unmarked;
    let places = counted(count, "more place");
    (count > 0).then(|| format!("The fix changes {places} without an annotation."))
}

/// Returns the last sections: verification, reproduction and footer.
fn end(story: &GitHubReport, words: &TextContext) -> [Option<TextSection>; 3] {
    [checked(story), yourself(story), Some(footer(story, words))].map(needed)
}

/// Returns the comment of a matrix job whose result equals the comment at `url`. It begins with `marker`, which
/// identifies it later.
pub fn told_there(story: &GitHubReport, marker: &str, url: &str) -> String {
    let (subject, culprit) = (code(story.subject()), culprit_link(story));
    format!(
        "{marker}\n**{subject} also fails in another job{culprit}.** The result is the same as in [this comment]({url}).\n\n{}\n",
        forgeable()
    )
}

fn footer(story: &GitHubReport, words: &TextContext) -> String {
    let report =
        words.report.as_ref().map_or(String::new(), |url| format!(" [Run and report]({url})."));
    let bad = story
        .bad
        .as_deref()
        .map_or(String::new(), |bad| format!(" Failing commit: {}.", code(bad)));
    format!("---\n<sub>Found by git-mend.{bad}{report} {FORGEABLE}</sub>")
}

/// Warning in every text that contains a result.
const FORGEABLE: &str = "The search executed code from this repository, and that code could forge a result. Review \
                         the fix before you merge it.";

/// Returns the warning for texts without a footer.
pub(super) fn forgeable() -> String {
    format!("<sub>{FORGEABLE}</sub>")
}

pub(crate) mod buttons;
pub(crate) mod closing;
pub(crate) mod command_replies;
pub(crate) mod local_search;
pub(crate) mod merge_group;
pub(crate) mod search_claims;
pub(crate) mod search_stage;
pub(crate) mod suggestion;
#[cfg(test)]
mod tests;
pub(crate) mod titles;
