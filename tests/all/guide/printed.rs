//! Comparison of the output on a page with the real output.

use regex::Regex;

/// Returns true if the output matches the page. `…` matches any text within a line; alone on a line (or as `...`), it
/// matches any number of lines.
pub(super) fn is_as_shown(shown: &str, printed: &str) -> bool {
    pattern(shown).is_match(&without_ends(printed))
}

fn pattern(shown: &str) -> Regex {
    let lines: String = without_ends(shown).lines().map(line_pattern).collect();
    Regex::new(&format!(r"\A{lines}\z")).unwrap()
}

fn line_pattern(line: &str) -> String {
    match line.trim() {
        "…" | "..." => r"(?:.*\n)*".to_owned(),
        _ => line.split('…').map(regex::escape).collect::<Vec<_>>().join(".*") + r"\n",
    }
}

/// Removes trailing spaces of lines and trailing empty lines.
fn without_ends(text: &str) -> String {
    let lines = text.trim_end().lines().map(|line| line.trim_end().to_owned() + "\n");
    if text.trim_end().is_empty() { String::new() } else { lines.collect() }
}

#[test]
fn what_differs_is_found_and_what_is_left_out_is_not() {
    let printed = "a change\n\nin 1.3 s\nnext: git apply /tmp/x/fix.patch\n";
    assert!(is_as_shown("a change\n\nin … s\nnext: git apply …/fix.patch", printed));
    assert!(is_as_shown("a change\n…\n", printed));
    assert!(is_as_shown("...\nin 1.3 s\n...\n", printed));
    assert!(is_as_shown("…\nnext: …\n…\n", printed), "none is any number of lines too");
    assert!(is_as_shown("", "\n"));
    assert!(!is_as_shown("a change\n", printed));
    assert!(!is_as_shown("a chance\n…", printed));
    assert!(!is_as_shown("…\nin 1.4 s\n…", printed));
    assert!(!is_as_shown("in (…) s", "in 1 s"), "brackets stand for themselves");
    assert!(!is_as_shown("…x", "a\nx"), "within a line nothing stands for its end");
}
