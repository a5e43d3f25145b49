//! Finds the changed tokens in the changed lines of a patch.

use super::unified_diff::DiffHunk;
use crate::sanitize::sanitise_text;
use similar::{ChangeTag, TextDiff};

/// Line with its changed tokens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MarkedLine {
    /// `-`, `+`, or a space for an unchanged line.
    pub(crate) sign: char,
    pub(crate) spans: Vec<MarkedSpan>,
}

/// Part of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MarkedSpan {
    pub(crate) text: String,
    /// True if these tokens changed.
    pub(crate) is_changed: bool,
}

/// Maximum size of a replacement whose changed tokens are marked, in bytes.
const MAX_MARKED_BYTES: usize = 20_000;

/// Returns runs of deleted lines, each with the inserted lines that replace it.
pub(crate) fn split_changed_runs<'a>(lines: &[&'a str]) -> Vec<(Vec<&'a str>, Vec<&'a str>)> {
    let mut runs: Vec<(Vec<&str>, Vec<&str>)> = Vec::new();
    let mut is_in_run = false;
    for line in lines {
        let (sign, text) = line.split_at_checked(1).unwrap_or((" ", ""));
        match sign {
            "-" => {
                if !is_in_run || runs.last().is_some_and(|(_, plus)| !plus.is_empty()) {
                    runs.push((Vec::new(), Vec::new()));
                }
                runs.iter_mut().next_back().into_iter().for_each(|run| run.0.push(text));
                is_in_run = true;
            }
            "+" => {
                if !is_in_run {
                    runs.push((Vec::new(), Vec::new()));
                }
                runs.iter_mut().next_back().into_iter().for_each(|run| run.1.push(text));
                is_in_run = true;
            }
            "\\" => {}
            _ => is_in_run = false,
        }
    }
    runs
}

/// Returns the lines of a hunk with their changed tokens, deleted lines before the lines that replace them.
pub(crate) fn mark_hunk(hunk: &DiffHunk<'_>) -> Vec<MarkedLine> {
    let mut lines = Vec::new();
    let mut rest = &hunk.lines[..];
    while let Some((first, others)) = rest.split_first() {
        let run = rest.iter().take_while(|line| line.starts_with(['-', '+', '\\'])).count();
        if run == 0 {
            lines.push(MarkedLine::unmarked(' ', first.get(1..).unwrap_or_default()));
            rest = others;
            continue;
        }
        for (minus, plus) in split_changed_runs(&rest[..run]) {
            lines.extend(mark_run(&minus, &plus));
        }
        rest = &rest[run..];
    }
    lines
}

impl MarkedLine {
    /// Returns the line without its sign.
    pub(crate) fn text(&self) -> String {
        self.spans.iter().map(|span| &*span.text).collect()
    }

    fn unmarked(sign: char, text: &str) -> Self {
        Self { sign, spans: vec![MarkedSpan { text: sanitise_text(text), is_changed: false }] }
    }
}

/// Splits a text into words, white space, operators and single other characters.
fn split_tokens(text: &str) -> Vec<&str> {
    let char_class = |c: char| match c {
        _ if c.is_alphanumeric() || c == '_' || c == '$' => 1,
        '\n' => 0,
        _ if c.is_whitespace() => 2,
        '<' | '>' | '=' | '!' | '&' | '|' | '+' | '-' | '*' | '/' | '%' | '^' => 3,
        _ => 0,
    };
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let ends_token = |c: char| char_class(c) != char_class(first) || char_class(first) == 0;
        let next = rest.char_indices().skip(1).find(|(_, c)| ends_token(*c)).map(|(at, _)| at);
        let end = escaped_length(rest).or(next).unwrap_or(rest.len());
        let (token, after) = rest.split_at(end);
        tokens.push(token);
        rest = after;
    }
    tokens
}

/// Returns the length of the character literal or escape sequence at the start of a text.
fn escaped_length(text: &str) -> Option<usize> {
    let char_length = |text: &str| match text.strip_prefix('\\') {
        Some(escaped) => escaped.chars().next().map(|c| 1 + c.len_utf8()),
        None => text.chars().next().map(char::len_utf8),
    };
    match text.strip_prefix('\'') {
        Some(quoted) => {
            let length = char_length(quoted)?;
            quoted.get(length..)?.starts_with('\'').then_some(length + 2)
        }
        None => text.starts_with('\\').then(|| char_length(text)).flatten(),
    }
}

/// Marks the changed tokens of deleted lines and of the lines that replace them.
pub(crate) fn mark_run(minus: &[&str], plus: &[&str]) -> Vec<MarkedLine> {
    let (old, new) = (minus.join("\n"), plus.join("\n"));
    // Pure deletions and insertions have no token-level difference.
    if minus.is_empty() || plus.is_empty() || old.len() + new.len() > MAX_MARKED_BYTES {
        let minus = minus.iter().map(|line| MarkedLine::unmarked('-', line));
        return minus.chain(plus.iter().map(|line| MarkedLine::unmarked('+', line))).collect();
    }
    let (before, after) = (split_tokens(&old), split_tokens(&new));
    let diff = TextDiff::from_slices(&before, &after);
    let mut lines = Vec::new();
    for (sign, tag, side) in [('-', ChangeTag::Delete, minus), ('+', ChangeTag::Insert, plus)] {
        let side_changes =
            diff.iter_all_changes().filter(|one| [tag, ChangeTag::Equal].contains(&one.tag()));
        let mut line = MarkedLine { sign, spans: Vec::new() };
        for change in side_changes {
            let is_changed = change.tag() == tag && !change.value().trim().is_empty();
            for (at, text) in change.value().split('\n').enumerate() {
                if at > 0 {
                    lines
                        .push(std::mem::replace(&mut line, MarkedLine { sign, spans: Vec::new() }));
                }
                if !text.is_empty() {
                    line.spans.push(MarkedSpan { text: sanitise_text(text), is_changed });
                }
            }
        }
        if !side.is_empty() {
            lines.push(line);
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::patch::unified_diff::parse_unified_diff;

    const SAMPLE_PATCH: &str = "diff --git a/src/A.java b/src/A.java\nindex 1..2 100644\n--- a/src/A.java\n+++ b/src/A.java\n@@ -10,3 +10,3 @@ class A {\n     int a;\n-    if (x < 3) {\n+    if (x <= 3) {\n     }\n";

    #[test]
    fn unchanged_lines_are_kept() {
        let files = parse_unified_diff(SAMPLE_PATCH);
        let lines = mark_hunk(&files[0].hunks[0]);
        let format_line = |line: &MarkedLine| {
            let mark = |span: &MarkedSpan| {
                if span.is_changed { format!("[{}]", span.text) } else { span.text.clone() }
            };
            format!("{}{}", line.sign, line.spans.iter().map(mark).collect::<String>())
        };
        let expected = ["     int a;", "-    if (x [<] 3) {", "+    if (x [<=] 3) {", "     }"];
        assert_eq!(lines.iter().map(format_line).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn operator_is_one_token() {
        assert_eq!(split_tokens("a_1 >= b);\n"), ["a_1", " ", ">=", " ", "b", ")", ";", "\n"]);
    }

    #[test]
    fn character_literal_is_one_token() {
        assert_eq!(split_tokens(r"c=='\f'"), ["c", "==", r"'\f'"]);
        assert_eq!(split_tokens(r#"'x'"a\nb""#), ["'x'", "\"", "a", r"\n", "b", "\""]);
        assert_eq!(split_tokens("don't"), ["don", "'", "t"]);
        assert_eq!(split_tokens("'\\"), ["'", "\\"]);
    }
}
