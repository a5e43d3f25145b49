//! What was found: the symptom, the culprit, the patch.

use super::headline::link;
use super::markdown::{block, code};
use super::{Part, Story};
use crate::model::counted;

/// How much of a patch is shown; all of it is in the run folder.
const MOST_LINES: usize = 120;
const MOST_CHARS: usize = 12_000;

/// How many failing tests are named.
const MOST_TESTS: usize = 8;

/// What failed, and how.
pub(super) fn tests(story: &Story) -> Option<String> {
    let symptom = story.symptom.as_deref().map(code);
    let more = match story.tests.len() {
        0 | 1 => None,
        count => {
            let named = story.tests.iter().take(MOST_TESTS).map(|test| format!("- {}", code(test)));
            let named: Vec<String> = named.collect();
            let left = count - named.len();
            let rest = if left > 0 { format!("\n- and {left} more") } else { String::new() };
            Some(format!("All {count} tests that failed:\n\n{}{rest}", named.join("\n")))
        }
    };
    match (symptom, more) {
        (None, more) => more,
        (Some(symptom), None) => Some(format!("> {symptom}")),
        (Some(symptom), Some(more)) => Some(format!("> {symptom}\n\n{more}")),
    }
}

/// The commit, and the part of it that matters.
pub(super) fn broke(story: &Story) -> Option<String> {
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
        format!("One of these commits, which cannot be told apart: {}", named.join(", "))
    });
    let part = story.culprit.as_ref().map(|part| {
        let whole =
            story.delta_tokens.map_or(String::new(), |all| format!(", of {all} that were changed"));
        let size = part.tokens.map_or(String::new(), |tokens| counted(tokens, "token"));
        format!("What breaks it ({size}{whole}):\n\n{}", diff(part))
    });
    let text: Vec<String> = [commit, several, part].into_iter().flatten().collect();
    (!text.is_empty()).then(|| format!("### What broke it\n\n{}", text.join("\n\n")))
}

/// The patch, and why it is one.
pub(super) fn why(story: &Story) -> Option<String> {
    let mending = story.mending.as_ref()?;
    let why = match mending.why() {
        Some(why) => code(why),
        None => {
            "It takes back just what breaks the test, and leaves the rest of that change as it is."
                .to_owned()
        }
    };
    Some(format!("### The patch\n\n{why}\n\n{}", diff(&mending.part)))
}

fn diff(part: &Part) -> String {
    diff_of(part, MOST_LINES, MOST_CHARS)
}

/// At most so many lines and characters of a patch.
pub(super) fn diff_of(part: &Part, lines: usize, chars: usize) -> String {
    block("diff", &part.text, lines, chars)
}

/// How to take the patch.
pub(super) fn apply(part: &Part) -> String {
    format!("To take the patch, save it as {} and run `git apply {}`.", code(&part.file), part.file)
}
