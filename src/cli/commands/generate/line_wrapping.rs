//! Line wrapping of the guide pages.

use textwrap::Options;

/// Maximum line width of the guide pages.
const WIDTH: usize = 120;

/// Wraps a paragraph or list item; its second and later lines start with `indent`.
pub(super) fn wrap(text: &str, indent: &str) -> String {
    textwrap::fill(text, Options::new(WIDTH).subsequent_indent(indent))
}
