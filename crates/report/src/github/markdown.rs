//! Formats untrusted text for Markdown. All untrusted text is formatted as code, which contains no mentions,
//! references, closing keywords, images or HTML.

use askama::filters::Escaper;
use mend_model::format_count;
use std::fmt;

/// Escaper of the Markdown templates: a value is a code span unless a filter marks it as safe.
#[derive(Clone, Copy, Default)]
pub(super) struct CodeSpan;

impl Escaper for CodeSpan {
    fn write_escaped_str<W: fmt::Write>(&self, mut out: W, text: &str) -> fmt::Result {
        out.write_str(&code_span(text))
    }
}

/// Maximum length of a code span in characters: a line of a test's message or of a commit message.
const MAX_SPAN_CHARS: usize = 300;

/// Formats text as a code span on one line.
pub(super) fn code_span(text: &str) -> String {
    let text: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut text = escape_and_truncate(&text, MAX_SPAN_CHARS);
    if text.is_empty() {
        text.push('\u{2014}');
    }
    let fence = "`".repeat(longest_backtick_run(&text) + 1);
    // Markdown strips one space on each side. The spaces separate backticks at the ends from the fence.
    let pad = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{fence}{pad}{text}{pad}{fence}")
}

/// Formats text as a fenced block of at most `max_lines` lines and `max_chars` characters.
pub(super) fn code_block(language: &str, text: &str, max_lines: usize, max_chars: usize) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let first_lines = lines.iter().take(max_lines).copied().collect::<Vec<_>>().join("\n");
    let mut first_lines = self::escape_and_truncate(&first_lines, max_chars);
    let hidden = lines.len().saturating_sub(first_lines.lines().count());
    if hidden > 0 {
        first_lines = format!("{first_lines}\n… {}", format_count(hidden, "more line"));
    }
    let fence = block_fence(&first_lines);
    format!("{fence}{language}\n{first_lines}\n{fence}")
}

/// Returns a fence that no line of a text closes.
pub(super) fn block_fence(text: &str) -> String {
    "`".repeat((longest_backtick_run(text) + 1).max(3))
}

/// Escapes control characters and bidirectional formatting characters, which can hide other code (CVE-2021-42574).
pub(super) fn escape_hidden(text: &str) -> String {
    escape_and_truncate(text, usize::MAX)
}

/// Escapes like [`escape_hidden`] and truncates to `max_chars` characters. An escape sequence counts with its full
/// length and is never split.
pub(super) fn escape_and_truncate(text: &str, max_chars: usize) -> String {
    let mut out = String::with_capacity(text.len().min(max_chars));
    let (mut length, mut truncation_end) = (0, 0);
    for c in text.chars().filter(|c| *c != '\r') {
        let char_width = if is_hidden(c) { c.escape_unicode().count() } else { 1 };
        if length + char_width > max_chars {
            out.truncate(truncation_end);
            out.push('…');
            break;
        }
        length += char_width;
        if is_hidden(c) {
            out.extend(c.escape_unicode());
        } else {
            out.push(c);
        }
        // Reserves one character for the ellipsis.
        if length < max_chars {
            truncation_end = out.len();
        }
    }
    out
}

fn is_hidden(c: char) -> bool {
    (c.is_control() && c != '\n' && c != '\t')
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

/// Returns the length of the longest run of backticks.
fn longest_backtick_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn code_span_encloses_any_text() {
        assert_eq!(code_span("a.B#c"), "`a.B#c`");
        assert_eq!(code_span("a `b` c"), "``a `b` c``");
        assert_eq!(code_span("`"), "`` ` ``");
        assert_eq!(code_span("@all fixes #1\n<img>"), "`@all fixes #1 <img>`");
        assert_eq!(code_span(""), "`—`");
    }

    #[test]
    fn control_characters_are_escaped() {
        assert_eq!(code_span("a\u{202e}b\u{1b}[2J"), "`a\\u{202e}b\\u{1b}[2J`");
    }

    #[test]
    fn escape_sequences_are_counted_and_never_split() {
        let zero_width = "\u{200b}".repeat(12_000);
        assert!(code_block("diff", &zero_width, 10, 12_000).chars().count() < 12_050);
        assert_eq!(escape_and_truncate("a\u{200b}b", 10), "a\\u{200b}b");
        assert_eq!(escape_and_truncate("a\u{200b}b", 9), "a…");
        assert_eq!(escape_and_truncate("abc", 3), "abc");
        assert_eq!(escape_and_truncate("abcd", 3), "ab…");
    }

    #[test]
    fn code_block_encloses_any_text() {
        let hostile = "```\n# heading\n````\n@all";
        assert_eq!(code_block("diff", hostile, 10, 100), format!("`````diff\n{hostile}\n`````"));
        assert_eq!(code_block("", "a\nb\nc", 2, 100), "```\na\nb\n… 1 more line\n```");
    }

    proptest! {
        #[test]
        fn no_text_gets_out_of_a_span(text in "[`\\\\ @#<a\n]{0,40}") {
            let span = code_span(&text);
            let fence = span.len() - span.trim_start_matches('`').len();
            let inner = &span[fence..span.len() - fence];
            prop_assert!(!inner.contains(&"`".repeat(fence)) && !inner.contains('\n'));
        }

        #[test]
        fn no_line_of_a_block_ends_it(text in "[`~ a\n]{0,60}") {
            let block = code_block("diff", &text, 100, 1000);
            let fence = block.lines().next().unwrap().trim_end_matches("diff").to_owned();
            let count = block.lines().filter(|line| line.trim().starts_with(&fence)).count();
            prop_assert_eq!(count, 2);
        }
    }
}
