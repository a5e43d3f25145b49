//! Section Search: diagrams of the search, or the same as text.

use crate::TextDiagram;
use crate::github::data::GitHubReport;
use crate::github::markdown::block;
use crate::github::sections::folded;

/// Maximum size of the section, in characters. The HTML report shows everything.
const MOST_DRAWN: usize = 16_000;

/// Maximum size of a diagram's text, in lines and characters.
const MOST_LINES: usize = 40;
const MOST_CHARS: usize = 4_000;

/// Returns Mermaid diagrams of the search, which GitHub renders, each with its caption.
pub(crate) fn drawn(story: &GitHubReport) -> Option<String> {
    let picture = |one: &TextDiagram| format!("```mermaid\n{}\n```\n\n{}", one.source, one.told);
    let section = format!("### Search\n\n{}", format_diagrams(story, picture)?);
    (section.chars().count() <= MOST_DRAWN).then_some(section)
}

/// Returns the diagrams as text, for readers of notification mails.
pub(crate) fn written(story: &GitHubReport) -> Option<String> {
    let text = |one: &TextDiagram| {
        format!("{}\n\n{}", one.told, block("", &one.text, MOST_LINES, MOST_CHARS))
    };
    let section = folded("Search", &format_diagrams(story, text)?);
    (section.chars().count() <= MOST_DRAWN).then_some(section)
}

fn format_diagrams(story: &GitHubReport, show: impl Fn(&TextDiagram) -> String) -> Option<String> {
    let shown: Vec<String> = story.sketches.iter().map(show).collect();
    (!shown.is_empty()).then(|| shown.join("\n\n"))
}
