//! A patch as people read it: file and line, and within changed lines the very tokens that changed.

use super::Palette;
use similar::{ChangeTag, TextDiff};
use std::fmt::Write as _;

/// One file's part of a patch.
struct FilePart<'a> {
    name: String,
    hunks: Vec<HunkPart<'a>>,
}

struct HunkPart<'a> {
    /// The first line in the old version, counted from 1.
    line: usize,
    lines: Vec<&'a str>,
}

/// What there is to say of a unified diff in one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatchSummary {
    /// The first line that it changes, `path:line`.
    pub location: Option<String>,
    /// Lines deleted plus inserted.
    pub lines: usize,
}

impl PatchSummary {
    /// Reads a unified diff as git writes it.
    pub fn of(patch: &str) -> Self {
        let files = parse(patch);
        let place = |file: &FilePart<'_>| {
            let line = file.hunks.first().map_or(1, first_change);
            format!("{}:{line}", file.name)
        };
        let lines = files.iter().flat_map(|file| &file.hunks).flat_map(|hunk| &hunk.lines);
        Self {
            location: files.first().map(place),
            lines: lines.filter(|line| line.starts_with(['-', '+'])).count(),
        }
    }
}

/// Shows at most `most` changed lines of a unified diff.
pub(super) fn show(patch: &str, palette: &Palette, most: usize) -> String {
    let mut out = String::new();
    let mut left = most;
    let mut hidden = 0;
    for file in parse(patch) {
        let first =
            file.hunks.first().map_or(String::new(), |hunk| format!(":{}", first_change(hunk)));
        let _ = writeln!(out, "  {}{}{first}{}", palette.path, file.name, palette.reset);
        for hunk in &file.hunks {
            for (minus, plus) in changed_runs(&hunk.lines) {
                let count = minus.len() + plus.len();
                if count > left {
                    hidden += count;
                    left = 0;
                    continue;
                }
                left -= count;
                show_run(&minus, &plus, palette, &mut out);
            }
        }
    }
    if hidden > 0 {
        let _ = writeln!(out, "    … {hidden} more changed lines");
    }
    out
}

fn parse(patch: &str) -> Vec<FilePart<'_>> {
    let mut files: Vec<FilePart<'_>> = Vec::new();
    let mut in_hunk = false;
    for line in patch.lines() {
        if let Some(names) = line.strip_prefix("diff --git ") {
            let name = names.split_once(" b/").map_or(names, |(_, name)| name);
            files.push(FilePart { name: name.trim_end_matches('"').to_owned(), hunks: Vec::new() });
            in_hunk = false;
        } else if let Some(header) = line.strip_prefix("@@ -") {
            let number = header.split([',', ' ']).next().and_then(|number| number.parse().ok());
            if let Some(file) = files.last_mut() {
                file.hunks.push(HunkPart { line: number.unwrap_or(1), lines: Vec::new() });
            }
            in_hunk = true;
        } else if in_hunk
            && let Some(hunk) = files.last_mut().and_then(|file| file.hunks.last_mut())
        {
            hunk.lines.push(line);
        }
    }
    files
}

fn first_change(hunk: &HunkPart<'_>) -> usize {
    hunk.line + hunk.lines.iter().take_while(|line| line.starts_with(' ')).count()
}

/// The runs of deleted lines, each with the inserted lines that take their place.
fn changed_runs<'a>(lines: &[&'a str]) -> Vec<(Vec<&'a str>, Vec<&'a str>)> {
    let mut runs: Vec<(Vec<&str>, Vec<&str>)> = Vec::new();
    let mut is_open = false;
    for line in lines {
        let (sign, text) = line.split_at_checked(1).unwrap_or((" ", ""));
        match sign {
            "-" => {
                if !is_open || runs.last().is_some_and(|(_, plus)| !plus.is_empty()) {
                    runs.push((Vec::new(), Vec::new()));
                }
                runs.iter_mut().next_back().into_iter().for_each(|run| run.0.push(text));
                is_open = true;
            }
            "+" => {
                if !is_open {
                    runs.push((Vec::new(), Vec::new()));
                }
                runs.iter_mut().next_back().into_iter().for_each(|run| run.1.push(text));
                is_open = true;
            }
            "\\" => {}
            _ => is_open = false,
        }
    }
    runs
}

fn show_run(minus: &[&str], plus: &[&str], palette: &Palette, out: &mut String) {
    let (old, new) = (minus.join("\n"), plus.join("\n"));
    let diff = TextDiff::from_unicode_words(old.as_str(), new.as_str());
    let mark = |wanted: ChangeTag, strong: &str, weak: &str| {
        let mut text = String::new();
        for change in diff.iter_all_changes() {
            let value = plain(change.value());
            if change.tag() == wanted && !change.value().trim().is_empty() {
                let _ = write!(text, "{strong}{value}{}{weak}", palette.reset);
            } else if change.tag() == wanted || change.tag() == ChangeTag::Equal {
                text.push_str(&value);
            }
        }
        text
    };
    let both = [
        ('-', palette.minus, palette.minus_token, ChangeTag::Delete, minus),
        ('+', palette.plus, palette.plus_token, ChangeTag::Insert, plus),
    ];
    for (sign, weak, strong, tag, lines) in both {
        if lines.is_empty() {
            continue;
        }
        for line in mark(tag, strong, weak).split('\n') {
            let _ = writeln!(out, "    {weak}{sign} {line}{}", palette.reset);
        }
    }
}

/// Text of a file as a terminal may have it: control characters other than tab and line break are shown,
/// not obeyed.
fn plain(text: &str) -> String {
    text.chars()
        .filter(|c| *c != '\r')
        .map(|c| if c.is_control() && c != '\t' && c != '\n' { '\u{fffd}' } else { c })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATCH: &str = "diff --git a/src/A.java b/src/A.java\nindex 1..2 100644\n--- a/src/A.java\n+++ b/src/A.java\n@@ -10,3 +10,3 @@ class A {\n     int a;\n-    if (x < 3) {\n+    if (x <= 3) {\n     }\n";

    #[test]
    fn the_place_and_both_lines_are_shown() {
        let shown = show(PATCH, &Palette::plain(), 10);
        assert_eq!(shown, "  src/A.java:11\n    -     if (x < 3) {\n    +     if (x <= 3) {\n");
    }

    #[test]
    fn what_does_not_fit_is_counted() {
        assert!(show(PATCH, &Palette::plain(), 1).ends_with("… 2 more changed lines\n"));
    }

    #[test]
    fn escape_sequences_of_a_source_file_do_not_reach_the_terminal() {
        let hostile = PATCH.replace("x < 3", "x\u{1b}[2J < 3");
        assert!(!show(&hostile, &Palette::plain(), 10).contains('\u{1b}'));
    }
}
