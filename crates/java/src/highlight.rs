//! Highlighting of Java text that may be a part of a file.

use super::grammar::Grammar;
use std::ops::Range;
use std::sync::OnceLock;
use tree_sitter_highlight::{Highlight, HighlightConfiguration, HighlightEvent, Highlighter};

/// Highlighting class of a piece of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HighlightClass {
    /// A word of the language.
    Keyword,
    /// A text, a number, `true`, `null`.
    Literal,
    /// A comment.
    Comment,
}

/// The names in the grammar's query, by what they are to the eye.
const NAMES: [(&str, HighlightClass); 7] = [
    ("keyword", HighlightClass::Keyword),
    ("type.builtin", HighlightClass::Keyword),
    ("string", HighlightClass::Literal),
    ("number", HighlightClass::Literal),
    ("constant.builtin", HighlightClass::Literal),
    ("boolean", HighlightClass::Literal),
    ("comment", HighlightClass::Comment),
];

/// Returns the highlighted byte ranges of a text, in order. Text that is not Java has few or none.
pub fn painted(text: &str) -> Vec<(Range<usize>, HighlightClass)> {
    let mut painted = Vec::new();
    let Some(query) = query() else { return painted };
    let mut highlighter = Highlighter::new();
    let Ok(events) = highlighter.highlight(query, text.as_bytes(), None, None, |_| None) else {
        return painted;
    };
    let mut open: Vec<HighlightClass> = Vec::new();
    for event in events.map_while(Result::ok) {
        match event {
            HighlightEvent::HighlightStart(Highlight(name)) => open.push(NAMES[name].1),
            HighlightEvent::HighlightEnd => drop(open.pop()),
            HighlightEvent::Source { start, end } => {
                painted.extend(open.last().map(|paint| (start..end, *paint)));
            }
        }
    }
    painted
}

/// Returns the grammar's own highlighting query; `None` if it does not fit the grammar.
fn query() -> Option<&'static HighlightConfiguration> {
    static QUERY: OnceLock<Option<HighlightConfiguration>> = OnceLock::new();
    let made = QUERY.get_or_init(|| {
        let (language, highlights) = (Grammar::get().language(), Grammar::HIGHLIGHTS);
        let mut query =
            HighlightConfiguration::new(language.clone(), "java", highlights, "", "").ok()?;
        query.configure(&NAMES.map(|(name, _)| name));
        Some(query)
    });
    made.as_ref()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn highlighted_texts(text: &str) -> Vec<(&str, HighlightClass)> {
        painted(text).into_iter().map(|(range, paint)| (&text[range], paint)).collect()
    }

    #[test]
    fn a_line_out_of_a_method_has_its_words_and_literals() {
        let expected = [
            ("return", HighlightClass::Keyword),
            ("\"a\"", HighlightClass::Literal),
            ("12", HighlightClass::Literal),
            ("// b", HighlightClass::Comment),
        ];
        assert_eq!(highlighted_texts("  return f(\"a\", x >= 12); // b"), expected);
    }

    #[test]
    fn what_is_no_java_does_no_harm() {
        assert!(highlighted_texts("}}} <<< ((").is_empty());
        assert!(highlighted_texts("").is_empty());
    }
}
