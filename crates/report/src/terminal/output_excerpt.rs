//! Formats the output of a test, compiler or command as evidence below a message.

use crate::TerminalStyle;
use crate::sanitize::sanitise_text;
use mend_model::format_count;
use std::fmt::Write as _;

/// Maximum number of lines shown.
const MAX_LINES: usize = 15;

/// Formats the first lines of an output, and the number of the remaining ones.
pub(crate) fn format_output_excerpt(text: &str, style: &TerminalStyle) -> String {
    let TerminalStyle { dim, reset, .. } = style;
    let lines: Vec<&str> = text.trim().lines().collect();
    let (shown, hidden) = lines.split_at(lines.len().min(MAX_LINES));
    let mut out = String::new();
    for line in shown {
        let _ = writeln!(out, "  {dim}| {}{reset}", sanitise_text(line));
    }
    if !hidden.is_empty() {
        let _ = writeln!(out, "  {dim}| … {}{reset}", format_count(hidden.len(), "more line"));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn omitted_output_lines_are_counted() {
        let excerpt_of =
            |lines: usize| format_output_excerpt(&"said\n".repeat(lines), &TerminalStyle::plain());
        assert_eq!(excerpt_of(15), "  | said\n".repeat(15));
        assert_eq!(excerpt_of(16), "  | said\n".repeat(15) + "  | … 1 more line\n");
        assert!(excerpt_of(40).ends_with("  | … 25 more lines\n"));
        assert_eq!(excerpt_of(0), "");
    }
}
