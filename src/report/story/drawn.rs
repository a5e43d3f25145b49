//! How something was found, as pictures or as text.

use super::Story;
use super::markdown::block;
use super::sections::folded;
use crate::report::Sketch;

/// How much is drawn, in characters; the report draws everything.
const MOST_DRAWN: usize = 16_000;

/// How much of a picture's text is shown.
const MOST_LINES: usize = 40;
const MOST_CHARS: usize = 4_000;

/// Pictures of the search, which GitHub draws; each with its words below it.
pub(super) fn drawn(story: &Story) -> Option<String> {
    let picture = |one: &Sketch| format!("```mermaid\n{}\n```\n\n{}", one.source, one.told);
    let section = format!("### How it was found\n\n{}", all(story, picture)?);
    (section.chars().count() <= MOST_DRAWN).then_some(section)
}

/// The same as text, for where people read mail.
pub(super) fn written(story: &Story) -> Option<String> {
    let text =
        |one: &Sketch| format!("{}\n\n{}", one.told, block("", &one.text, MOST_LINES, MOST_CHARS));
    let section = folded("How it was found", &all(story, text)?);
    (section.chars().count() <= MOST_DRAWN).then_some(section)
}

fn all(story: &Story, show: impl Fn(&Sketch) -> String) -> Option<String> {
    let shown: Vec<String> = story.sketches.iter().map(show).collect();
    (!shown.is_empty()).then(|| shown.join("\n\n"))
}
