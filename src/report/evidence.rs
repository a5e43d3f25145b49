//! What a test, a compiler or a command said, as evidence for what is told.

use super::Style;
use super::harmless::harmless;
use crate::model::counted;
use std::fmt::Write as _;

/// So many lines of it are shown.
const MOST: usize = 15;

/// Its beginning, and how many lines are left out.
pub(super) fn evidence(text: &str, style: &Style) -> String {
    let Style { dim, reset, .. } = style;
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
    fn what_is_left_out_is_counted() {
        let said = |lines: usize| evidence(&"said\n".repeat(lines), &Style::plain());
        assert_eq!(said(15), "  | said\n".repeat(15));
        assert_eq!(said(16), "  | said\n".repeat(15) + "  | … 1 more line\n");
        assert!(said(40).ends_with("  | … 25 more lines\n"));
        assert_eq!(said(0), "");
    }
}
