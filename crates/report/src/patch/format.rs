//! Formats patches for the terminal: file and line, and the changed tokens within the changed lines.

use super::marked_lines::{mark_run, split_changed_runs};
use super::unified_diff::{DiffHunk, FileDiff, first_changed_line, parse_unified_diff};
use crate::TerminalStyle;
use crate::patch::highlighted_lines;
use crate::sanitize::sanitise_line;
use crate::terminal::style::LineMarks;
use mend_model::format_count;
use std::fmt::Write as _;
use std::path::Path;

/// Location and size of a unified diff.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatchSummary {
    /// First changed line as `path:line`, or the path alone if no line changes.
    pub location: Option<String>,
    /// Number of lines deleted plus inserted.
    pub lines: usize,
}

impl PatchSummary {
    /// Reads a unified diff as git writes it.
    pub fn parse(patch: &str) -> Self {
        let files = parse_unified_diff(patch);
        let location_of = |file: &FileDiff<'_>| {
            let line = file.hunks.first().map(first_changed_line);
            line.map_or_else(|| file.name.clone(), |line| format!("{}:{line}", file.name))
        };
        let lines = files.iter().flat_map(|file| &file.hunks).flat_map(|hunk| &hunk.lines);
        Self {
            location: files.first().map(location_of),
            lines: lines.filter(|line| line.starts_with(['-', '+'])).count(),
        }
    }
}

/// Shows a patch below a title and its size. If the patch changes only one place, the title line names it.
pub(crate) fn format_titled_patch(
    (title, size): (&str, &str),
    patch: &str,
    style: &TerminalStyle,
    max_lines: usize,
    file_name: &str,
) -> String {
    let text = format_patch(patch, style, max_lines, file_name);
    let heading = format!("{}{title}{} {size}", style.title, style.reset);
    let char_count = |text: &str| text.chars().count();
    if let Some(place) = single_location(patch, &TerminalStyle { path: "", reset: "", ..*style })
        && let Some((shown, lines)) = text.split_once('\n')
        && style
            .width
            .is_none_or(|all| char_count(title) + char_count(size) + char_count(&place) + 3 <= all)
    {
        return format!("{heading}{shown}\n{lines}");
    }
    format!("{heading}\n{text}")
}

/// Returns the location that a patch changes, if there is only one.
fn single_location(patch: &str, style: &TerminalStyle) -> Option<String> {
    let files = parse_unified_diff(patch);
    let [file] = &files[..] else { return None };
    let is_only = file.hunks.iter().flat_map(split_into_places).count() <= 1;
    is_only.then(|| format_heading(file, file.hunks.first(), style).trim().to_owned())
}

/// Formats at most `max_lines` changed lines of a unified diff. `file_name` is the file that contains all of them.
pub(crate) fn format_patch(
    patch: &str,
    style: &TerminalStyle,
    max_lines: usize,
    file_name: &str,
) -> String {
    let mut out = String::new();
    let mut remaining_lines = max_lines;
    let (mut hidden, mut hidden_files) = (0, 0);
    for file in parse_unified_diff(patch) {
        if remaining_lines == 0 {
            hidden_files += 1;
        } else {
            out.push_str(&format_heading(&file, file.hunks.first(), style));
            remaining_lines -= usize::from(file.hunks.is_empty());
        }
        let is_java = Path::new(&file.name).extension().is_some_and(|kind| kind == "java");
        for (at, hunk) in file.hunks.iter().flat_map(split_into_places).enumerate() {
            if at > 0 && remaining_lines > 0 {
                out.push_str(&format_heading(&file, Some(&hunk), style));
            }
            for (minus, plus) in split_changed_runs(&hunk.lines) {
                let shown_counts = shown_line_counts(&minus, &plus, remaining_lines);
                let hidden_lines = mark_run(&minus[..shown_counts.0], &plus[..shown_counts.1]);
                remaining_lines -= hidden_lines.len();
                hidden += minus.len() + plus.len() - hidden_lines.len();
                highlighted_lines::write_lines(&hidden_lines, is_java, style, &mut out);
            }
        }
    }
    let hidden_lines = (hidden > 0).then(|| format_count(hidden, "more changed line"));
    let hidden_files =
        (hidden_files > 0).then(|| format!("{} not named", format_count(hidden_files, "file")));
    let more: Vec<String> = hidden_lines.into_iter().chain(hidden_files).collect();
    if !more.is_empty() {
        let _ = writeln!(out, "    … {}: {file_name}", more.join(", "));
    }
    out
}

/// Returns the numbers of deleted and inserted lines to show, `max_lines` in total: half of each if there are many of
/// both.
fn shown_line_counts(minus: &[&str], plus: &[&str], max_lines: usize) -> (usize, usize) {
    let of_plus = plus.len().min(max_lines.saturating_sub(minus.len()).max(max_lines / 2));
    let of_minus = minus.len().min(max_lines - of_plus);
    (of_minus, of_plus)
}

/// Formats the file name and the first changed line of a hunk.
fn format_heading(
    file: &FileDiff<'_>,
    hunk: Option<&DiffHunk<'_>>,
    style: &TerminalStyle,
) -> String {
    let TerminalStyle { path, reset, marks, .. } = style;
    let separator = match marks {
        LineMarks::Signs => ":",
        LineMarks::Words => ", line ",
    };
    let line = hunk.map(first_changed_line);
    let line = line.map_or(String::new(), |line| format!("{separator}{line}"));
    // The change to the file as a whole is shown only if no lines change.
    let fate = file.file_change.as_ref().filter(|_| file.hunks.is_empty());
    let fate = fate.map_or(String::new(), |fate| format!(" ({})", sanitise_line(fate)));
    format!("  {path}{}{line}{reset}{fate}\n", sanitise_line(&file.name))
}

/// Splits a hunk into runs of changed lines with only blank lines between them.
fn split_into_places<'a>(hunk: &DiffHunk<'a>) -> Vec<DiffHunk<'a>> {
    let (mut all, mut line) = (Vec::<DiffHunk<'a>>::new(), hunk.line);
    let mut follows_change = false;
    for text in &hunk.lines {
        let is_changed = text.starts_with(['-', '+', '\\']);
        let is_more = follows_change && (is_changed || text.trim().is_empty());
        match all.last_mut().filter(|_| is_more) {
            Some(place) => place.lines.push(text),
            None if is_changed => all.push(DiffHunk { line, lines: vec![text] }),
            None => {}
        }
        follows_change = is_changed || is_more;
        line += usize::from(!text.starts_with(['+', '\\']));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn format_sample(patch: &str, style: &TerminalStyle, most: usize) -> String {
        super::format_patch(patch, style, most, "fix.patch")
    }

    const SAMPLE_PATCH: &str = "diff --git a/src/A.java b/src/A.java\nindex 1..2 100644\n--- a/src/A.java\n+++ b/src/A.java\n@@ -10,3 +10,3 @@ class A {\n     int a;\n-    if (x < 3) {\n+    if (x <= 3) {\n     }\n";

    #[test]
    fn location_and_both_lines_are_shown() {
        let text = format_sample(SAMPLE_PATCH, &TerminalStyle::plain(), 10);
        assert_eq!(
            text,
            "  src/A.java:11\n    -     if (x [-<-] 3) {\n    +     if (x {+<=+} 3) {\n"
        );
    }

    #[test]
    fn each_changed_place_is_shown_with_its_line() {
        let patch = "diff --git a/A.java b/A.java\n--- a/A.java\n+++ b/A.java\n@@ -10,8 +10,9 @@\n     a;\n-    b;\n\
                     +    bb;\n \n+    bc;\n     c;\n     d;\n-    e;\n+    ee;\n     f;\n";
        let text = format_sample(patch, &TerminalStyle::plain(), 10);
        let places: Vec<&str> = text.lines().filter(|line| line.contains("A.java:")).collect();
        assert_eq!(places, ["  A.java:11", "  A.java:15"]);
    }

    #[test]
    fn hidden_files_are_counted() {
        let other =
            |number: usize| SAMPLE_PATCH.replace("src/A.java", &format!("src/A{number}.java"));
        let many: String = (0..100).map(other).collect();
        let text = format_sample(&many, &TerminalStyle::plain(), 4);
        assert!(
            text.ends_with("    … 196 more changed lines, 98 files not named: fix.patch\n"),
            "{text}"
        );
        assert_eq!(text.lines().count(), 7);
        let renamed = |number: usize| {
            format!(
                "diff --git a/A{number} b/B{number}\nrename from A{number}\nrename to B{number}\n"
            )
        };
        let text =
            format_sample(&(0..20).map(renamed).collect::<String>(), &TerminalStyle::plain(), 4);
        assert!(text.ends_with("    … 16 files not named: fix.patch\n"), "{text}");
        assert_eq!(text.lines().count(), 5);
    }

    #[test]
    fn each_hunk_is_shown_with_its_line() {
        let two = format!("{SAMPLE_PATCH}@@ -40,2 +40,1 @@\n     int b;\n-    int c;\n");
        let text = format_sample(&two, &TerminalStyle::plain(), 9);
        assert!(text.ends_with("  src/A.java:41\n    -     int c;\n"), "{text}");
        assert!(!format_sample(&two, &TerminalStyle::plain(), 2).contains(":41"));
    }

    #[test]
    fn file_change_without_lines_is_described() {
        let patch = "diff --git a/a.txt b/b.txt\nsimilarity index 100%\nrename from a.txt\nrename to b.txt\n\
                     diff --git a/run b/run\nold mode 100644\nnew mode 100755\n";
        assert_eq!(PatchSummary::parse(patch).location.as_deref(), Some("b.txt"));
        let text = format_sample(patch, &TerminalStyle::plain(), 9);
        assert_eq!(text, "  b.txt (was a.txt)\n  run (mode becomes 100755)\n");
    }

    #[test]
    fn hidden_lines_are_counted() {
        assert!(
            format_sample(SAMPLE_PATCH, &TerminalStyle::plain(), 1)
                .ends_with("-     if (x < 3) {\n    … 1 more changed line: fix.patch\n")
        );
        let long = SAMPLE_PATCH.replace("-    if (x < 3) {\n", &"-    old();\n".repeat(40));
        let text = format_sample(&long, &TerminalStyle::plain(), 14);
        assert_eq!(
            (text.matches("old();").count(), text.matches("if (x").count()),
            (13, 1),
            "{text}"
        );
        assert!(text.ends_with("… 27 more changed lines: fix.patch\n"), "{text}");
    }

    #[test]
    fn escape_sequences_do_not_reach_the_terminal() {
        let hostile = SAMPLE_PATCH.replace("x < 3", "x\u{1b}[2J < 3");
        assert!(!format_sample(&hostile, &TerminalStyle::plain(), 10).contains('\u{1b}'));
    }
}
