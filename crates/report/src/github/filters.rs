//! Filters of the Markdown templates. Their results are safe: untrusted text in them is code.

#![expect(
    unreachable_pub,
    clippy::inline_always,
    clippy::trivially_copy_pass_by_ref,
    clippy::unnecessary_wraps,
    clippy::unused_self,
    reason = "code of the macro `filter_fn`"
)]

use crate::github::data::is_general_subject;
use crate::github::markdown::{code_block, code_span};
use crate::view::{RecordedValuesView, Sentence, SentencePart, TextOrigin};
use askama::filters::Safe;
use askama::{Result, Values, filter_fn};
use mend_model::{format_count, format_duration, truncate};
use std::time::Duration;

/// Maximum number of terms in a table of values.
const MAX_TERMS: usize = 8;

/// Width of a column of values, in characters.
const MAX_CELL_CHARS: usize = 36;

/// Maximum size of a table of values, in characters.
const MAX_VALUES_CHARS: usize = 2_000;

/// Formats text as a fenced block.
#[filter_fn]
pub(super) fn block(
    text: &str,
    _: &dyn Values,
    language: &str,
    max_lines: usize,
    max_chars: usize,
) -> Result<Safe<String>> {
    Ok(Safe(code_block(language, text, max_lines, max_chars)))
}

/// Formats a count with its noun.
#[filter_fn]
pub(super) fn count(number: &usize, _: &dyn Values, noun: &str) -> Result<Safe<String>> {
    Ok(Safe(format_count(*number, noun)))
}

/// Formats a duration in words.
#[filter_fn]
pub(super) fn duration(time: &Duration, _: &dyn Values) -> Result<Safe<String>> {
    Ok(Safe(format_duration(*time)))
}

/// Formats the subject of a report: the name of a test as code, another subject as prose.
#[filter_fn]
pub(super) fn subject(text: &str, _: &dyn Values) -> Result<Safe<String>> {
    Ok(Safe(if is_general_subject(text) { text.to_owned() } else { code_span(text) }))
}

/// Formats the subject of a report at the start of a sentence.
#[filter_fn]
pub(super) fn first_subject(text: &str, _: &dyn Values) -> Result<Safe<String>> {
    Ok(Safe(if is_general_subject(text) { text.replacen('t', "T", 1) } else { code_span(text) }))
}

/// Formats a sentence, with untrusted words as code.
#[filter_fn]
pub(super) fn sentence(parts: &Sentence, _: &dyn Values) -> Result<Safe<String>> {
    let format_part = |one: &SentencePart| match one.origin {
        TextOrigin::Own => one.text.clone(),
        TextOrigin::RunProse | TextOrigin::Code => code_span(&one.text),
    };
    Ok(Safe(parts.iter().map(format_part).collect()))
}

/// Formats a line for each term, with its values in failing and in passing tests.
#[filter_fn]
pub(super) fn value_table(values: &RecordedValuesView, _: &dyn Values) -> Result<Safe<String>> {
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
    let lines = rows.iter().map(line).collect::<Vec<_>>().join("\n");
    Ok(Safe(code_block("", &lines, MAX_TERMS + 1, MAX_VALUES_CHARS)))
}

/// Formats text on one line, cut to the width of a column.
fn format_cell(text: &str) -> String {
    truncate(&text.split_whitespace().collect::<Vec<_>>().join(" "), MAX_CELL_CHARS)
}
