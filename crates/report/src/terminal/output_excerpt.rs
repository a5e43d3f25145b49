//! Output of a test, compiler or command, shown as evidence below a message.

use crate::TerminalStyle;
use crate::sanitize::harmless;
use mend_model::counted;
use std::fmt::Write as _;

/// Maximum number of lines shown.
const MOST: usize = 15;

/// Formats the first lines of an output, and the number of the others.
pub(crate) fn evidence(text: &str, style: &TerminalStyle) -> String {
    let TerminalStyle { dim, reset, .. } = style;
    let lines: Vec<&str> = text.trim().lines().collect();
    let (shown, hidden) = lines.split_at(lines.len().min(MOST));
    let mut out = String::new();
    for line in shown {
        let _ = writeln!(out, "  {dim}| {}{reset}", harmless(line));
    }
    if !hidden.is_empty() {
        let _ = writeln!(out, "  {dim}| … {}{reset}", counted(hidden.len(), "more line"));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn omitted_lines_are_counted() {
        let shown = |lines: usize| evidence(&"said\n".repeat(lines), &TerminalStyle::plain());
        assert_eq!(shown(15), "  | said\n".repeat(15));
        assert_eq!(shown(16), "  | said\n".repeat(15) + "  | … 1 more line\n");
        assert!(shown(40).ends_with("  | … 25 more lines\n"));
        assert_eq!(shown(0), "");
    }
}
