//! Section with the diagrams of the search, as Mermaid or as text.

use crate::TextDiagram;
use crate::github::data::GitHubReport;
use crate::github::markdown::code_block;
use crate::github::sections::collapsed_section;

/// Maximum size of the section, in characters. The HTML report shows everything.
const MAX_SECTION_CHARS: usize = 16_000;

/// Maximum size of a diagram's text, in lines and characters.
const MAX_DIAGRAM_LINES: usize = 40;
const MAX_DIAGRAM_CHARS: usize = 4_000;

/// Returns Mermaid diagrams of the search, which GitHub renders, each with its caption.
pub(crate) fn mermaid_diagrams(report: &GitHubReport) -> Option<String> {
    let format_mermaid =
        |one: &TextDiagram| format!("```mermaid\n{}\n```\n\n{}", one.source, one.description);
    let section = format!("### Search\n\n{}", format_diagrams(report, format_mermaid)?);
    (section.chars().count() <= MAX_SECTION_CHARS).then_some(section)
}

/// Returns the diagrams as text, for readers of notification mails.
pub(crate) fn text_diagrams(report: &GitHubReport) -> Option<String> {
    let format_text = |one: &TextDiagram| {
        format!(
            "{}\n\n{}",
            one.description,
            code_block("", &one.text, MAX_DIAGRAM_LINES, MAX_DIAGRAM_CHARS)
        )
    };
    let section = collapsed_section("Search", &format_diagrams(report, format_text)?);
    (section.chars().count() <= MAX_SECTION_CHARS).then_some(section)
}

fn format_diagrams(
    report: &GitHubReport,
    format: impl Fn(&TextDiagram) -> String,
) -> Option<String> {
    let shown: Vec<String> = report.diagrams.iter().map(format).collect();
    (!shown.is_empty()).then(|| shown.join("\n\n"))
}
