//! Wraps the lines of the guide pages.

use textwrap::Options;

/// Maximum line width of the guide pages.
const MAX_LINE_WIDTH: usize = 120;

/// Wraps a paragraph or list item. Its second and later lines start with `indent`.
pub(super) fn wrap(text: &str, indent: &str) -> String {
    textwrap::fill(text, Options::new(MAX_LINE_WIDTH).subsequent_indent(indent))
}
