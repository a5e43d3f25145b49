//! Findings: the symptom, the culprit, the fix.

use super::headline::link;
use crate::github::data::GitHubReport;
use crate::github::data::fix::SizedPatch;
use crate::github::markdown::{block, code};
use mend_model::counted;

/// Maximum size of a displayed patch, in lines and characters. The run folder has all of it.
const MOST_LINES: usize = 120;
const MOST_CHARS: usize = 12_000;

/// Maximum number of listed tests or commits.
const MOST_TESTS: usize = 8;

/// Returns the symptom and the failing tests.
pub(crate) fn tests(story: &GitHubReport) -> Option<String> {
    let symptom = story.symptom.as_deref().map(code);
    let more = match story.tests.len() {
        0 | 1 => None,
        count => {
            let named = story.tests.iter().take(MOST_TESTS).map(|test| format!("- {}", code(test)));
            let named: Vec<String> = named.collect();
            let left = count - named.len();
            let rest = if left > 0 { format!("\n- and {left} more") } else { String::new() };
            Some(format!("{count} failing tests:\n\n{}{rest}", named.join("\n")))
        }
    };
    match (symptom, more) {
        (None, more) => more,
        (Some(symptom), None) => Some(format!("> {symptom}")),
        (Some(symptom), Some(more)) => Some(format!("> {symptom}\n\n{more}")),
    }
}

/// Returns the section Culprit: the culprit commit and the minimal culprit.
pub(crate) fn broke(story: &GitHubReport) -> Option<String> {
    let commit = story.blame.as_ref().map(|blame| {
        let summary =
            blame.summary.as_deref().map_or(String::new(), |text| format!(" {}", code(text)));
        let author =
            blame.author.as_deref().map_or(String::new(), |name| format!(" by {}", code(name)));
        let date =
            blame.date.as_deref().map_or(String::new(), |date| format!(" on {}", code(date)));
        let pull = blame.pull.map_or(String::new(), |number| format!(", in #{number}"));
        format!("{}{summary}{author}{date}{pull}", link(blame))
    });
    let several = (!story.suspects.is_empty() && story.blame.is_none()).then(|| {
        let named: Vec<String> =
            story.suspects.iter().take(MOST_TESTS).map(|id| code(id)).collect();
        format!(
            "The culprit is among these {} commits, which could not be tested separately: {}",
            story.suspects.len(),
            named.join(", ")
        )
    });
    let part = story.culprit.as_ref().map(|part| {
        let size = match (part.tokens, story.delta_tokens) {
            (Some(tokens), Some(all)) => format!(" ({tokens} of {all} changed tokens)"),
            (Some(tokens), None) => format!(" ({})", counted(tokens, "token")),
            (None, _) => String::new(),
        };
        format!("Minimal culprit{size}:\n\n{}", diff(part))
    });
    let text: Vec<String> = [commit, several, part].into_iter().flatten().collect();
    (!text.is_empty()).then(|| format!("### Culprit\n\n{}", text.join("\n\n")))
}

/// Returns the section Fix: the fix and its rationale.
pub(crate) fn fix_section(story: &GitHubReport) -> Option<String> {
    let mending = story.mending.as_ref()?;
    let why = match mending.rationale() {
        Some(why) => code(why),
        None => "This fix reverts only the part of the culprit that breaks the test.".to_owned(),
    };
    Some(format!("### Fix\n\n{why}\n\n{}", diff(&mending.part)))
}

fn diff(part: &SizedPatch) -> String {
    diff_of(part, MOST_LINES, MOST_CHARS)
}

/// Returns a patch as a code block of at most `lines` lines and `chars` characters.
pub(crate) fn diff_of(part: &SizedPatch, lines: usize, chars: usize) -> String {
    block("diff", &part.text, lines, chars)
}

/// Returns the instructions for applying the fix by hand.
pub(crate) fn apply(part: &SizedPatch) -> String {
    format!("To apply the fix, save it as {} and run `git apply {}`.", code(&part.file), part.file)
}
