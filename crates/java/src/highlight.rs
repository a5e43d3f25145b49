//! Syntax highlighting of Java text, which may be a part of a file.

use super::grammar::Grammar;
use std::ops::Range;
use std::sync::OnceLock;
use tree_sitter_highlight::{Highlight, HighlightConfiguration, HighlightEvent, Highlighter};

/// Highlighting class of a byte range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HighlightClass {
    /// A keyword.
    Keyword,
    /// A string, a number, `true`, `false` or `null`.
    Literal,
    /// A comment.
    Comment,
}

/// Capture names of the grammar's query, with their highlighting classes.
const HIGHLIGHT_NAMES: [(&str, HighlightClass); 7] = [
    ("keyword", HighlightClass::Keyword),
    ("type.builtin", HighlightClass::Keyword),
    ("string", HighlightClass::Literal),
    ("number", HighlightClass::Literal),
    ("constant.builtin", HighlightClass::Literal),
    ("boolean", HighlightClass::Literal),
    ("comment", HighlightClass::Comment),
];

/// Returns the highlighted byte ranges of a text, in order. Text that is not Java has few or none.
pub fn highlight_java(text: &str) -> Vec<(Range<usize>, HighlightClass)> {
    let mut ranges = Vec::new();
    let Some(query) = highlight_query() else { return ranges };
    let mut highlighter = Highlighter::new();
    let Ok(events) = highlighter.highlight(query, text.as_bytes(), None, None, |_| None) else {
        return ranges;
    };
    let mut open_classes: Vec<HighlightClass> = Vec::new();
    for event in events.map_while(Result::ok) {
        match event {
            HighlightEvent::HighlightStart(Highlight(name)) => {
                open_classes.push(HIGHLIGHT_NAMES[name].1);
            }
            HighlightEvent::HighlightEnd => drop(open_classes.pop()),
            HighlightEvent::Source { start, end } => {
                ranges.extend(open_classes.last().map(|paint| (start..end, *paint)));
            }
        }
    }
    ranges
}

/// Returns the grammar's own highlighting query; `None` if it is incompatible with the grammar.
fn highlight_query() -> Option<&'static HighlightConfiguration> {
    static QUERY: OnceLock<Option<HighlightConfiguration>> = OnceLock::new();
    let configuration = QUERY.get_or_init(|| {
        let (language, highlights) = (Grammar::get().language(), Grammar::HIGHLIGHT_QUERY);
        let mut query =
            HighlightConfiguration::new(language.clone(), "java", highlights, "", "").ok()?;
        query.configure(&HIGHLIGHT_NAMES.map(|(name, _)| name));
        Some(query)
    });
    configuration.as_ref()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn highlighted_texts(text: &str) -> Vec<(&str, HighlightClass)> {
        highlight_java(text).into_iter().map(|(range, paint)| (&text[range], paint)).collect()
    }

    #[test]
    fn keywords_and_literals_are_highlighted() {
        let expected = [
            ("return", HighlightClass::Keyword),
            ("\"a\"", HighlightClass::Literal),
            ("12", HighlightClass::Literal),
            ("// b", HighlightClass::Comment),
        ];
        assert_eq!(highlighted_texts("  return f(\"a\", x >= 12); // b"), expected);
    }

    #[test]
    fn invalid_java_is_not_highlighted() {
        assert!(highlighted_texts("}}} <<< ((").is_empty());
        assert!(highlighted_texts("").is_empty());
    }
}
