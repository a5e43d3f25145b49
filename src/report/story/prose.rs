//! Texts that people read on GitHub: pull requests, comments, summaries.

use super::Story;
use super::checked::{checked, yourself};
use super::drawn::{drawn, written};
use super::found::{apply, broke, tests, why};
use super::headline::{headline, next_step, since_link};
use super::markdown::code;
use super::repairs::{others, values};
use super::sections::{Section, extra, joined, needed};
use super::threads::threads;
use super::withheld::Withheld;
use crate::model::counted;

/// What a text is to know besides the story: what became of the patch.
#[derive(Clone, Debug, Default)]
pub struct Words {
    /// Where the run folder and the report are, if there is a page for them.
    pub report: Option<String>,
    /// The pull request with the patch.
    pub fix_pull: Option<u64>,
    /// The pull request that fails.
    pub failing_pull: Option<u64>,
    /// Whether the patch is suggested line by line.
    pub is_suggested: bool,
    /// Why there is no pull request, where there could be one.
    pub withheld: Option<Withheld>,
    /// How many places that the patch changes have no remark.
    pub unmarked: usize,
    /// Whether the pull request with the patch was made by a job, so that no workflow tests it.
    pub starts_nothing: bool,
    /// Whether GitHub does not vouch for the commit with the patch.
    pub is_unverified: bool,
}

/// The text of a fix pull request. It begins with `marker`, by which it is found again.
pub fn pull_body(story: &Story, marker: &str, words: &Words) -> String {
    let failing = words.failing_pull.map(|number| format!("For #{number}."));
    let start = [Some(format!("{marker}\n{}", headline(story))), failing].map(needed);
    let parts = start.into_iter().chain(made(words)).chain(found(story));
    joined(parts.chain([extra(drawn(story))]).chain(end(story, words)))
}

/// The comment on a pull request that fails. It begins with `marker`, by which it is found again.
pub fn comment(story: &Story, marker: &str, words: &Words) -> String {
    let parts = start(story, marker, words).into_iter().chain(found(story));
    joined(parts.chain([extra(written(story))]).chain(end(story, words)))
}

/// The summary of a check run, or of a step of a job.
pub fn summary(story: &Story, words: &Words) -> String {
    let parts = start(story, "", words).into_iter().chain(found(story));
    let more = [needed(unmarked(words)), extra(drawn(story))];
    joined(parts.chain(more).chain(end(story, words))).trim_start().to_owned()
}

/// What fails, and what is to be done.
fn start(story: &Story, marker: &str, words: &Words) -> [Option<Section>; 4] {
    let todo = match (words.fix_pull, words.is_suggested, &story.mending) {
        (Some(number), ..) if words.starts_nothing => {
            Some(format!("#{number} has the patch. {STARTS_NOTHING}"))
        }
        (Some(number), ..) => Some(format!("#{number} has the patch.")),
        (None, true, _) => Some("The patch is suggested in the changed lines.".to_owned()),
        (None, false, Some(mending)) => Some(apply(&mending.part)),
        (None, false, None) => None,
    };
    let withheld = words.withheld.as_ref().map(|why| format!("No pull request was made: {why}."));
    let headline = Some(format!("{marker}\n{}", headline(story)));
    [headline, todo, withheld, next_step(story)].map(needed)
}

/// What is to be known of the pull request besides its patch.
fn made(words: &Words) -> [Option<Section>; 2] {
    let unverified = "GitHub does not show the commit of this pull request as verified. Where a branch takes verified \
                      commits alone, it will not take this one: commit the patch yourself.";
    let starts_nothing = words.starts_nothing.then(|| STARTS_NOTHING.to_owned());
    [starts_nothing, words.is_unverified.then(|| unverified.to_owned())].map(needed)
}

/// Of a pull request that a job made with its own token.
const STARTS_NOTHING: &str = "GitHub starts no workflows for a pull request that a job makes with `GITHUB_TOKEN`. Close \
                              it and open it again to have it tested. One that is made with the token of a GitHub App, \
                              as the input `token` of the Action, is tested by itself.";

/// What was found.
fn found(story: &Story) -> [Option<Section>; 6] {
    let [tests, broke, why] = [tests(story), broke(story), why(story)].map(needed);
    let [values, threads, others] = [values(story), threads(story), others(story)].map(extra);
    [tests, broke, why, values, threads, others]
}

/// What the patch changes besides the lines that have a remark.
fn unmarked(words: &Words) -> Option<String> {
    let count = words.unmarked;
    let places = counted(count, "more place");
    (count > 0).then(|| format!("The patch changes {places} without a remark."))
}

/// What speaks for it.
fn end(story: &Story, words: &Words) -> [Option<Section>; 3] {
    [checked(story), yourself(story), Some(footer(story, words))].map(needed)
}

/// The comment of a leg that found what the comment at `url` tells. It begins with `marker`, by which it is found again.
pub fn told_there(story: &Story, marker: &str, url: &str) -> String {
    let (subject, since) = (code(story.subject()), since_link(story));
    format!(
        "{marker}\n**{subject} fails{since} in another job too**, as [told above]({url}).\n\n{}\n",
        forgeable()
    )
}

fn footer(story: &Story, words: &Words) -> String {
    let report =
        words.report.as_ref().map_or(String::new(), |url| format!(" [The whole run]({url})."));
    let bad =
        story.bad.as_deref().map_or(String::new(), |bad| format!(" Searched on {}.", code(bad)));
    format!("---\n<sub>Found by git-mend.{bad}{report} {FORGEABLE}</sub>")
}

/// What every text says that tells a verdict.
const FORGEABLE: &str = "The search ran the code of this repository, which could make up a verdict: read the patch \
                         before you merge it.";

/// The same where there is no footer.
pub(super) fn forgeable() -> String {
    format!("<sub>{FORGEABLE}</sub>")
}

#[cfg(test)]
mod tests;
