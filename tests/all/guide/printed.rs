//! Compares the output on a page with the real output.

use regex::Regex;

/// Returns true if the output matches the page. `…` matches any text within a line; alone on a line (or as `...`), it
/// matches any number of lines.
pub(super) fn matches_page(shown: &str, printed: &str) -> bool {
    output_pattern(shown).is_match(&trim_line_ends(printed))
}

fn output_pattern(shown: &str) -> Regex {
    let lines: String = trim_line_ends(shown).lines().map(line_pattern).collect();
    Regex::new(&format!(r"\A{lines}\z")).unwrap()
}

fn line_pattern(line: &str) -> String {
    match line.trim() {
        "…" | "..." => r"(?:.*\n)*".to_owned(),
        _ => line.split('…').map(regex::escape).collect::<Vec<_>>().join(".*") + r"\n",
    }
}

/// Removes trailing spaces of lines and trailing empty lines.
fn trim_line_ends(text: &str) -> String {
    let lines = text.trim_end().lines().map(|line| line.trim_end().to_owned() + "\n");
    if text.trim_end().is_empty() { String::new() } else { lines.collect() }
}

#[test]
fn output_patterns_match_with_ellipses() {
    let printed = "a change\n\nin 1.3 s\nnext: git apply /tmp/x/fix.patch\n";
    assert!(matches_page("a change\n\nin … s\nnext: git apply …/fix.patch", printed));
    assert!(matches_page("a change\n…\n", printed));
    assert!(matches_page("...\nin 1.3 s\n...\n", printed));
    assert!(matches_page("…\nnext: …\n…\n", printed), "none is any number of lines too");
    assert!(matches_page("", "\n"));
    assert!(!matches_page("a change\n", printed));
    assert!(!matches_page("a chance\n…", printed));
    assert!(!matches_page("…\nin 1.4 s\n…", printed));
    assert!(!matches_page("in (…) s", "in 1 s"), "brackets stand for themselves");
    assert!(!matches_page("…x", "a\nx"), "within a line nothing stands for its end");
}
