//! Styles of terminal text: colours, marks and line width.

use crate::sanitize::sanitise_text;
use mend_model::{Verdict, truncate};
use textwrap::core::Word;
use textwrap::{Options, WordSeparator, WordSplitter};

/// Minimum line width, in columns.
const MIN_WIDTH: usize = 24;

/// Minimum width of a cell, in characters.
const MIN_CELL_CHARS: usize = 12;

/// Style of terminal text. The escape sequences are empty without colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TerminalStyle {
    pub(crate) title: &'static str,
    pub(crate) path: &'static str,
    pub(crate) minus: &'static str,
    pub(crate) minus_token: &'static str,
    pub(crate) plus: &'static str,
    pub(crate) plus_token: &'static str,
    pub(crate) keyword: &'static str,
    pub(crate) literal: &'static str,
    pub(crate) error: &'static str,
    pub(crate) dim: &'static str,
    pub(crate) reset: &'static str,
    pub(crate) marks: LineMarks,
    /// Width of the terminal in columns; `None` if there is no terminal.
    pub(crate) width: Option<usize>,
    /// True if only the answer is shown (`--quiet`).
    pub(crate) is_brief: bool,
}

/// Marks for changed lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LineMarks {
    /// A sign before the line.
    Signs,
    /// A word before the line, for screen readers.
    Words,
}

impl LineMarks {
    /// Returns the separator between old and new text.
    pub(crate) fn arrow(self) -> &'static str {
        match self {
            Self::Signs => " → ",
            Self::Words => " becomes ",
        }
    }
}

impl TerminalStyle {
    /// Creates a style without colours.
    pub fn plain() -> Self {
        Self {
            title: "",
            path: "",
            minus: "",
            minus_token: "",
            plus: "",
            plus_token: "",
            keyword: "",
            literal: "",
            error: "",
            dim: "",
            reset: "",
            marks: LineMarks::Signs,
            width: None,
            is_brief: false,
        }
    }

    /// Creates a style with the colours of git.
    pub fn coloured() -> Self {
        Self {
            title: "\x1b[1m",
            path: "\x1b[36m",
            minus: "\x1b[31m",
            minus_token: "\x1b[1;7;31m",
            plus: "\x1b[32m",
            plus_token: "\x1b[1;7;32m",
            keyword: "\x1b[34m",
            literal: "\x1b[33m",
            error: "\x1b[1;31m",
            dim: "\x1b[2m",
            reset: "\x1b[0m",
            ..Self::plain()
        }
    }

    /// Creates a style with words in place of colours, signs and columns.
    pub fn spoken() -> Self {
        Self { marks: LineMarks::Words, ..Self::plain() }
    }

    /// Returns the style for a terminal of `width` columns.
    #[must_use]
    pub fn with_width(self, width: Option<usize>) -> Self {
        Self { width: width.map(|columns| columns.max(MIN_WIDTH)), ..self }
    }

    /// Returns the style that shows only the answer.
    #[must_use]
    pub fn with_brief(self, is_brief: bool) -> Self {
        Self { is_brief, ..self }
    }

    /// Returns the escape sequences before and after the word for a verdict.
    pub fn verdict_escapes(&self, verdict: Verdict) -> (&'static str, &'static str) {
        let colour = match verdict {
            Verdict::Pass => self.plus,
            Verdict::Fail => self.minus,
            Verdict::Unresolved(_) | Verdict::Flaky => self.dim,
        };
        (colour, self.reset)
    }

    /// Wraps a line of prose at word boundaries; continuation lines are indented by `hang` columns. Text in backticks is
    /// not broken. Do not use this for commands, code and paths: they must be copyable.
    pub(crate) fn wrap(&self, indent_width: usize, line: &str) -> String {
        let Some(width) = self.width else { return format!("{line}\n") };
        let indent = " ".repeat(indent_width.min(width / 2));
        let options = Options::new(width)
            .subsequent_indent(&indent)
            .word_separator(WordSeparator::Custom(split_words))
            .word_splitter(WordSplitter::NoHyphenation);
        textwrap::fill(line, options.break_words(false)) + "\n"
    }

    /// Returns true if the style has colours.
    pub(crate) fn has_colours(&self) -> bool {
        !self.reset.is_empty()
    }

    /// Replaces all control characters except the colours of this style. Untrusted files, messages and names may
    /// contain other escape sequences.
    pub fn sanitise(&self, text: &str) -> String {
        let Self { title, path, minus, minus_token, plus, plus_token, .. } = self;
        let Self { keyword, literal, error, dim, reset, .. } = self;
        let style_escapes = [
            title,
            path,
            minus,
            minus_token,
            plus,
            plus_token,
            keyword,
            literal,
            error,
            dim,
            reset,
        ];
        let mut parts = text.split('\x1b');
        let mut out = sanitise_text(parts.next().unwrap_or_default());
        for part in parts {
            let code = style_escapes.iter().filter_map(|code| code.strip_prefix('\x1b'));
            let style_escapes = code
                .filter(|code| !code.is_empty() && part.starts_with(code))
                .max_by_key(|code| code.len());
            out.push(if style_escapes.is_some() { '\x1b' } else { char::REPLACEMENT_CHARACTER });
            out.push_str(&sanitise_text(part));
        }
        out
    }

    /// Truncates the last cell of a row to `max_chars` characters and to the space after the first `offset` columns.
    pub(crate) fn fit_cell(&self, offset: usize, text: &str, max_chars: usize) -> String {
        let available = self.width.map_or(max_chars, |width| width.saturating_sub(offset));
        truncate(text, available.clamp(MIN_CELL_CHARS, max_chars))
    }
}

/// Splits a line into words with their trailing spaces; text in backticks is one word.
fn split_words(line: &str) -> Box<dyn Iterator<Item = Word<'_>> + '_> {
    let mut rest = line;
    Box::new(std::iter::from_fn(move || {
        let (word, after) = rest.split_at(first_word_end(rest));
        rest = after;
        (!word.is_empty()).then(|| Word::from(word))
    }))
}

/// Returns the end of the first word and its trailing spaces.
fn first_word_end(text: &str) -> usize {
    let (mut is_code, mut was_space) = (false, false);
    for (at, c) in text.char_indices() {
        if was_space && c != ' ' {
            return at;
        }
        if c == '`' {
            is_code = !is_code && text[at + 1..].contains('`');
        }
        was_space = c == ' ' && !is_code;
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prose_wraps_at_words_with_indent() {
        let style = TerminalStyle::coloured().with_width(Some(30));
        let line = format!(
            "{}Why:{} two threads read the sum before either writes",
            style.title, style.reset
        );
        insta::assert_snapshot!(style.wrap(5, &line).replace('\x1b', "ESC"), @r"
        ESC[1mWhy:ESC[0m two threads read the sum
             before either writes
        ");
    }

    #[test]
    fn word_wider_than_the_screen_is_not_broken() {
        let style = TerminalStyle::plain().with_width(Some(24));
        let wrapped = style.wrap(2, "see src/main/java/org/example/till/Till.java now");
        assert_eq!(
            wrapped, "see\n  src/main/java/org/example/till/Till.java\n  now\n",
            "{wrapped}"
        );
    }

    #[test]
    fn command_in_backticks_is_not_broken() {
        let style = TerminalStyle::plain().with_width(Some(24));
        let wrapped = style.wrap(2, "or let `git log --oneline -n 7` list them; a ` is one");
        assert_eq!(
            wrapped, "or let\n  `git log --oneline -n 7`\n  list them; a ` is one\n",
            "{wrapped}"
        );
    }

    #[test]
    fn only_style_escape_sequences_are_kept() {
        let text = "\x1b[1mtill\x1b[0m \x1b[2J\x1b]0;x\x07\r\n\tsum\x1b";
        assert_eq!(
            TerminalStyle::coloured().sanitise(text),
            "\x1b[1mtill\x1b[0m \u{fffd}[2J\u{fffd}]0;x\u{fffd}\n\tsum\u{fffd}"
        );
        assert!(!TerminalStyle::plain().sanitise(text).contains('\x1b'));
    }

    #[test]
    fn lines_are_not_wrapped_without_a_terminal() {
        let line = "word ".repeat(60);
        assert_eq!(
            TerminalStyle::plain().wrap(2, line.trim_end()),
            format!("{}\n", line.trim_end())
        );
    }
}
