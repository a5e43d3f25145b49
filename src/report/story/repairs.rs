//! What speaks for a repair, and the repairs besides the first.

use super::found::diff_of;
use super::markdown::{block, code};
use super::sections::folded;
use super::{Mending, Story};
use crate::model::{counted, cut};
use crate::report::shown::{Repair, Sentence, ValuesView, Word, WordKind};

/// So many terms are shown.
const MOST_TERMS: usize = 8;

/// How wide a column of values is, in characters.
const MOST_CELL: usize = 36;

/// How much of a table of values is shown, in characters.
const MOST_VALUES: usize = 2_000;

/// So many further repairs are shown, and so much of the patch of each.
const MOST_OTHERS: usize = 4;
const MOST_LINES: usize = 30;
const MOST_CHARS: usize = 2_000;

/// A sentence with words of others as code.
pub(super) fn sentence(words: &Sentence) -> String {
    let word = |one: &Word| match one.kind {
        WordKind::Ours => one.text.clone(),
        WordKind::Said | WordKind::Code => code(&one.text),
    };
    words.iter().map(word).collect()
}

/// What tests found where the patch changes something.
pub(super) fn values(story: &Story) -> Option<String> {
    let repair = story.mending.as_ref()?.repair.as_ref()?;
    repair.values.as_ref().map(seen)
}

fn seen(values: &ValuesView) -> String {
    format!(
        "What tests found at {}, before the change; `>` marks what tells failing from passing:\n\n{}",
        code(&values.place),
        block("", &table(values), MOST_TERMS + 1, MOST_VALUES)
    )
}

/// A line for each term, with what it was where tests fail and where they pass.
fn table(values: &ValuesView) -> String {
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

/// A text on one line that fits into a column.
fn cell(text: &str) -> String {
    cut(&text.split_whitespace().collect::<Vec<_>>().join(" "), MOST_CELL)
}

/// The repairs besides the first one, the better before the worse.
pub(super) fn others(story: &Story) -> Option<String> {
    let all = &story.others;
    let shown: Vec<String> = all.iter().take(MOST_OTHERS).filter_map(other).collect();
    if shown.is_empty() {
        return None;
    }
    let left = all.len() - shown.len();
    let more = (left > 0).then(|| format!("The run folder has {}.", counted(left, "more repair")));
    let intro = "Each was applied to a clean checkout, built from scratch and tested.".to_owned();
    let text: Vec<String> = std::iter::once(intro).chain(shown).chain(more).collect();
    let order = if all.len() > 1 { ", the better ones first" } else { "" };
    let heading = counted(all.len(), "further repair") + order;
    Some(folded(&heading, &text.join("\n\n")))
}

/// One repair: its reason, its place, what was checked, its lines.
fn other(mending: &Mending) -> Option<String> {
    let Repair { rank, why, location, way, size, confidence, evidence, .. } =
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
