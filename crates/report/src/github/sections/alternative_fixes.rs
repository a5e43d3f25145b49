//! Sections about the evidence for a fix and about the alternative fixes.

use crate::github::data::GitHubReport;
use crate::github::data::fix::FixSummary;
use crate::github::markdown::{code_block, code_span};
use crate::github::sections::collapsed_section;
use crate::github::sections::findings::diff_block;
use crate::view::{FixView, RecordedValuesView, Sentence, SentencePart, TextOrigin};
use mend_model::truncate;

/// Maximum number of terms in a table of values.
const MAX_TERMS: usize = 8;

/// Width of a column of values, in characters.
const MAX_CELL_CHARS: usize = 36;

/// Maximum size of a table of values, in characters.
const MAX_VALUES_CHARS: usize = 2_000;

/// Maximum number of alternative fixes, and the maximum size of each patch in lines and characters.
const MAX_ALTERNATIVE_FIXES: usize = 4;
const MAX_PATCH_LINES: usize = 30;
const MAX_PATCH_CHARS: usize = 2_000;

/// Formats a sentence, with untrusted words as code.
pub(crate) fn format_sentence(parts: &Sentence) -> String {
    let format_part = |one: &SentencePart| match one.origin {
        TextOrigin::Own => one.text.clone(),
        TextOrigin::RunProse | TextOrigin::Code => code_span(&one.text),
    };
    parts.iter().map(format_part).collect()
}

/// Returns the values that tests recorded at the first change of the fix.
pub(crate) fn recorded_values(report: &GitHubReport) -> Option<String> {
    let repair = report.fix.as_ref()?.found_fix.as_ref()?;
    repair.values.as_ref().map(format_values)
}

fn format_values(values: &RecordedValuesView) -> String {
    format!(
        "Values at {} in test runs without the fix; `>` marks values that separate failing from passing tests:\n\n{}",
        code_span(&values.location),
        code_block("", &format_value_table(values), MAX_TERMS + 1, MAX_VALUES_CHARS)
    )
}

/// Formats a line for each term, with its values in failing and in passing tests.
fn format_value_table(values: &RecordedValuesView) -> String {
    let head = ["", &values.failing, &values.passing].map(str::to_owned);
    let rows = values.rows.iter().take(MAX_TERMS).map(|row| {
        let cells = [&row.term, &row.failing, &row.passing].map(|text| format_cell(text));
        (row.is_decisive, cells)
    });
    let rows: Vec<(bool, [String; 3])> = std::iter::once((false, head)).chain(rows).collect();
    let width = |at: usize| rows.iter().map(|(_, row)| row[at].chars().count()).max().unwrap_or(0);
    let (term, failing) = (width(0), width(1));
    let line = |(decides, [one, two, three]): &(bool, [String; 3])| {
        let mark = if *decides { '>' } else { ' ' };
        format!("{mark} {one:term$}  {two:failing$}  {three}").trim_end().to_owned()
    };
    rows.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// Formats text on one line, cut to the width of a column.
fn format_cell(text: &str) -> String {
    truncate(&text.split_whitespace().collect::<Vec<_>>().join(" "), MAX_CELL_CHARS)
}

/// Returns the alternative fixes, best first.
pub(crate) fn alternative_fixes(report: &GitHubReport) -> Option<String> {
    let alternatives = &report.alternative_fixes;
    let formatted: Vec<String> =
        alternatives.iter().take(MAX_ALTERNATIVE_FIXES).filter_map(format_fix).collect();
    if formatted.is_empty() {
        return None;
    }
    let hidden_count = alternatives.len() - formatted.len();
    let hidden_note = (hidden_count > 0)
        .then(|| format!("The run folder has {}.", count_fixes(hidden_count, "more")));
    let intro = "Each was applied to a clean checkout, built from scratch and tested.".to_owned();
    let text: Vec<String> = std::iter::once(intro).chain(formatted).chain(hidden_note).collect();
    let order = if alternatives.len() > 1 { ", best first" } else { "" };
    let heading = count_fixes(alternatives.len(), "alternative") + order;
    Some(collapsed_section(&heading, &text.join("\n\n")))
}

/// Returns a count of fixes of a kind.
fn count_fixes(count: usize, kind: &str) -> String {
    if count == 1 { format!("1 {kind} fix") } else { format!("{count} {kind} fixes") }
}

/// Formats one alternative fix: rationale, location, evidence and patch.
fn format_fix(fix: &FixSummary) -> Option<String> {
    let FixView { rank, rationale: why, location, method: way, size, confidence, evidence, .. } =
        fix.found_fix.as_ref()?;
    let location_text = location
        .as_ref()
        .map_or(String::new(), |location_text| format!(" at {}", code_span(location_text)));
    let size = if size.is_empty() { String::new() } else { format!("; {size}") };
    let evidence_lines: Vec<String> =
        evidence.iter().map(|words| format!("- {}", format_sentence(words))).collect();
    let confidence = format!("Confidence: {}, {}.", confidence.level, confidence.reason);
    let heading_line = format!(
        "**{rank}.** {}{location_text} ({}{size}). {confidence}",
        code_span(why),
        code_span(way)
    );
    let diff = diff_block(&fix.patch, MAX_PATCH_LINES, MAX_PATCH_CHARS);
    let blocks = [heading_line, evidence_lines.join("\n"), diff];
    Some(blocks.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n\n"))
}
