//! Evidence for a fix, and the alternative fixes.

use crate::github::data::GitHubReport;
use crate::github::data::fix::FixSummary;
use crate::github::markdown::{block, code};
use crate::github::sections::findings::diff_of;
use crate::github::sections::folded;
use crate::view::{FixView, RecordedValuesView, Sentence, SentencePart, TextOrigin};
use mend_model::cut;

/// Maximum number of terms in a table of values.
const MOST_TERMS: usize = 8;

/// Width of a column of values, in characters.
const MOST_CELL: usize = 36;

/// Maximum size of a table of values, in characters.
const MOST_VALUES: usize = 2_000;

/// Maximum number of alternative fixes, and the maximum size of each patch in lines and characters.
const MOST_OTHERS: usize = 4;
const MOST_LINES: usize = 30;
const MOST_CHARS: usize = 2_000;

/// Formats a sentence, with untrusted words as code.
pub(crate) fn sentence(words: &Sentence) -> String {
    let word = |one: &SentencePart| match one.kind {
        TextOrigin::Own => one.text.clone(),
        TextOrigin::RunProse | TextOrigin::Code => code(&one.text),
    };
    words.iter().map(word).collect()
}

/// Returns the values that tests recorded at the first change of the fix.
pub(crate) fn values(story: &GitHubReport) -> Option<String> {
    let repair = story.mending.as_ref()?.repair.as_ref()?;
    repair.values.as_ref().map(format_values)
}

fn format_values(values: &RecordedValuesView) -> String {
    format!(
        "Values at {} in test runs without the fix; `>` marks values that separate failing from passing tests:\n\n{}",
        code(&values.place),
        block("", &table(values), MOST_TERMS + 1, MOST_VALUES)
    )
}

/// Formats a line for each term, with its values in failing and in passing tests.
fn table(values: &RecordedValuesView) -> String {
    let head = ["", &values.failing, &values.passing].map(str::to_owned);
    let rows = values.rows.iter().take(MOST_TERMS).map(|row| {
        let cells = [&row.term, &row.failing, &row.passing].map(|text| cell(text));
        (row.decides, cells)
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
fn cell(text: &str) -> String {
    cut(&text.split_whitespace().collect::<Vec<_>>().join(" "), MOST_CELL)
}

/// Returns the alternative fixes, best first.
pub(crate) fn alternative_fixes(story: &GitHubReport) -> Option<String> {
    let all = &story.others;
    let shown: Vec<String> = all.iter().take(MOST_OTHERS).filter_map(format_fix).collect();
    if shown.is_empty() {
        return None;
    }
    let left = all.len() - shown.len();
    let more = (left > 0).then(|| format!("The run folder has {}.", fixes(left, "more")));
    let intro = "Each was applied to a clean checkout, built from scratch and tested.".to_owned();
    let text: Vec<String> = std::iter::once(intro).chain(shown).chain(more).collect();
    let order = if all.len() > 1 { ", best first" } else { "" };
    let heading = fixes(all.len(), "alternative") + order;
    Some(folded(&heading, &text.join("\n\n")))
}

/// Returns a count of fixes of a kind.
fn fixes(count: usize, kind: &str) -> String {
    if count == 1 { format!("1 {kind} fix") } else { format!("{count} {kind} fixes") }
}

/// Formats one alternative fix: rationale, location, evidence and patch.
fn format_fix(mending: &FixSummary) -> Option<String> {
    let FixView { rank, why, location, way, size, confidence, evidence, .. } =
        mending.repair.as_ref()?;
    let place = location.as_ref().map_or(String::new(), |place| format!(" at {}", code(place)));
    let size = if size.is_empty() { String::new() } else { format!("; {size}") };
    let checked: Vec<String> =
        evidence.iter().map(|words| format!("- {}", sentence(words))).collect();
    let confidence = format!("Confidence: {}, {}.", confidence.word, confidence.why);
    let head = format!("**{rank}.** {}{place} ({}{size}). {confidence}", code(why), code(way));
    let diff = diff_of(&mending.part, MOST_LINES, MOST_CHARS);
    let parts = [head, checked.join("\n"), diff];
    Some(parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n\n"))
}
