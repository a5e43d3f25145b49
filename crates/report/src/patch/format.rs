//! Patches for people: file and line, and the changed tokens within the changed lines.

use super::marked_lines::{changed_runs, marked_run};
use super::unified_diff::{DiffHunk, FileDiff, first_change, parse};
use crate::TerminalStyle;
use crate::patch::highlighted_lines;
use crate::sanitize::one_line;
use crate::terminal::style::LineMarks;
use mend_model::counted;
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
        let files = parse(patch);
        let place = |file: &FileDiff<'_>| {
            let line = file.hunks.first().map(first_change);
            line.map_or_else(|| file.name.clone(), |line| format!("{}:{line}", file.name))
        };
        let lines = files.iter().flat_map(|file| &file.hunks).flat_map(|hunk| &hunk.lines);
        Self {
            location: files.first().map(place),
            lines: lines.filter(|line| line.starts_with(['-', '+'])).count(),
        }
    }
}

/// Shows a patch below a title and its size. If the patch changes only one place, the title line names it.
pub(crate) fn show_titled(
    (title, size): (&str, &str),
    patch: &str,
    style: &TerminalStyle,
    most: usize,
    file_name: &str,
) -> String {
    let text = show(patch, style, most, file_name);
    let heading = format!("{}{title}{} {size}", style.title, style.reset);
    let width = |text: &str| text.chars().count();
    if let Some(place) = only_place(patch, &TerminalStyle { path: "", reset: "", ..*style })
        && let Some((shown, lines)) = text.split_once('\n')
        && style.width.is_none_or(|all| width(title) + width(size) + width(&place) + 3 <= all)
    {
        return format!("{heading}{shown}\n{lines}");
    }
    format!("{heading}\n{text}")
}

/// Returns the place that a patch changes, if there is only one.
fn only_place(patch: &str, style: &TerminalStyle) -> Option<String> {
    let files = parse(patch);
    let [file] = &files[..] else { return None };
    let is_only = file.hunks.iter().flat_map(places).count() <= 1;
    is_only.then(|| heading(file, file.hunks.first(), style).trim().to_owned())
}

/// Shows at most `most` changed lines of a unified diff; `file_name` is the file with all of them.
pub(crate) fn show(patch: &str, style: &TerminalStyle, most: usize, file_name: &str) -> String {
    let mut out = String::new();
    let mut left = most;
    let (mut hidden, mut files) = (0, 0);
    for file in parse(patch) {
        if left == 0 {
            files += 1;
        } else {
            out.push_str(&heading(&file, file.hunks.first(), style));
            left -= usize::from(file.hunks.is_empty());
        }
        let is_java = Path::new(&file.name).extension().is_some_and(|kind| kind == "java");
        for (at, hunk) in file.hunks.iter().flat_map(places).enumerate() {
            if at > 0 && left > 0 {
                out.push_str(&heading(&file, Some(&hunk), style));
            }
            for (minus, plus) in changed_runs(&hunk.lines) {
                let shown = beginning(&minus, &plus, left);
                let lines = marked_run(&minus[..shown.0], &plus[..shown.1]);
                left -= lines.len();
                hidden += minus.len() + plus.len() - lines.len();
                highlighted_lines::show(&lines, is_java, style, &mut out);
            }
        }
    }
    let lines = (hidden > 0).then(|| counted(hidden, "more changed line"));
    let files = (files > 0).then(|| format!("{} not named", counted(files, "file")));
    let more: Vec<String> = lines.into_iter().chain(files).collect();
    if !more.is_empty() {
        let _ = writeln!(out, "    … {}: {file_name}", more.join(", "));
    }
    out
}

/// Returns the numbers of deleted and inserted lines shown if `most` fit: half of each if there are many of both.
fn beginning(minus: &[&str], plus: &[&str], most: usize) -> (usize, usize) {
    let of_plus = plus.len().min(most.saturating_sub(minus.len()).max(most / 2));
    let of_minus = minus.len().min(most - of_plus);
    (of_minus, of_plus)
}

/// Formats the file name and the first changed line of a hunk.
fn heading(file: &FileDiff<'_>, hunk: Option<&DiffHunk<'_>>, style: &TerminalStyle) -> String {
    let TerminalStyle { path, reset, marks, .. } = style;
    let between = match marks {
        LineMarks::Signs => ":",
        LineMarks::Words => ", line ",
    };
    let line = hunk.map(first_change);
    let line = line.map_or(String::new(), |line| format!("{between}{line}"));
    // The change to the file as a whole is shown only if no lines are.
    let fate = file.fate.as_ref().filter(|_| file.hunks.is_empty());
    let fate = fate.map_or(String::new(), |fate| format!(" ({})", one_line(fate)));
    format!("  {path}{}{line}{reset}{fate}\n", one_line(&file.name))
}

/// Splits a hunk into places: runs of changed lines with only blank lines between them.
fn places<'a>(hunk: &DiffHunk<'a>) -> Vec<DiffHunk<'a>> {
    let (mut all, mut line) = (Vec::<DiffHunk<'a>>::new(), hunk.line);
    let mut is_near = false;
    for text in &hunk.lines {
        let is_changed = text.starts_with(['-', '+', '\\']);
        let is_more = is_near && (is_changed || text.trim().is_empty());
        match all.last_mut().filter(|_| is_more) {
            Some(place) => place.lines.push(text),
            None if is_changed => all.push(DiffHunk { line, lines: vec![text] }),
            None => {}
        }
        is_near = is_changed || is_more;
        line += usize::from(!text.starts_with(['+', '\\']));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(patch: &str, style: &TerminalStyle, most: usize) -> String {
        super::show(patch, style, most, "fix.patch")
    }

    const PATCH: &str = "diff --git a/src/A.java b/src/A.java\nindex 1..2 100644\n--- a/src/A.java\n+++ b/src/A.java\n@@ -10,3 +10,3 @@ class A {\n     int a;\n-    if (x < 3) {\n+    if (x <= 3) {\n     }\n";

    #[test]
    fn the_place_and_both_lines_are_shown() {
        let shown = show(PATCH, &TerminalStyle::plain(), 10);
        assert_eq!(
            shown,
            "  src/A.java:11\n    -     if (x [-<-] 3) {\n    +     if (x {+<=+} 3) {\n"
        );
    }

    #[test]
    fn each_place_is_shown_with_its_line() {
        let patch = "diff --git a/A.java b/A.java\n--- a/A.java\n+++ b/A.java\n@@ -10,8 +10,9 @@\n     a;\n-    b;\n\
                     +    bb;\n \n+    bc;\n     c;\n     d;\n-    e;\n+    ee;\n     f;\n";
        let shown = show(patch, &TerminalStyle::plain(), 10);
        let places: Vec<&str> = shown.lines().filter(|line| line.contains("A.java:")).collect();
        assert_eq!(places, ["  A.java:11", "  A.java:15"]);
    }

    #[test]
    fn files_that_do_not_fit_are_counted() {
        let other = |number: usize| PATCH.replace("src/A.java", &format!("src/A{number}.java"));
        let many: String = (0..100).map(other).collect();
        let shown = show(&many, &TerminalStyle::plain(), 4);
        assert!(
            shown.ends_with("    … 196 more changed lines, 98 files not named: fix.patch\n"),
            "{shown}"
        );
        assert_eq!(shown.lines().count(), 7);
        let renamed = |number: usize| {
            format!(
                "diff --git a/A{number} b/B{number}\nrename from A{number}\nrename to B{number}\n"
            )
        };
        let shown = show(&(0..20).map(renamed).collect::<String>(), &TerminalStyle::plain(), 4);
        assert!(shown.ends_with("    … 16 files not named: fix.patch\n"), "{shown}");
        assert_eq!(shown.lines().count(), 5);
    }

    #[test]
    fn each_hunk_is_shown_with_its_line() {
        let two = format!("{PATCH}@@ -40,2 +40,1 @@\n     int b;\n-    int c;\n");
        let shown = show(&two, &TerminalStyle::plain(), 9);
        assert!(shown.ends_with("  src/A.java:41\n    -     int c;\n"), "{shown}");
        assert!(!show(&two, &TerminalStyle::plain(), 2).contains(":41"));
    }

    #[test]
    fn a_change_to_a_file_without_lines_is_described() {
        let patch = "diff --git a/a.txt b/b.txt\nsimilarity index 100%\nrename from a.txt\nrename to b.txt\n\
                     diff --git a/run b/run\nold mode 100644\nnew mode 100755\n";
        assert_eq!(PatchSummary::parse(patch).location.as_deref(), Some("b.txt"));
        let shown = show(patch, &TerminalStyle::plain(), 9);
        assert_eq!(shown, "  b.txt (was a.txt)\n  run (mode becomes 100755)\n");
    }

    #[test]
    fn what_does_not_fit_is_counted() {
        assert!(
            show(PATCH, &TerminalStyle::plain(), 1)
                .ends_with("-     if (x < 3) {\n    … 1 more changed line: fix.patch\n")
        );
        let long = PATCH.replace("-    if (x < 3) {\n", &"-    old();\n".repeat(40));
        let shown = show(&long, &TerminalStyle::plain(), 14);
        assert_eq!(
            (shown.matches("old();").count(), shown.matches("if (x").count()),
            (13, 1),
            "{shown}"
        );
        assert!(shown.ends_with("… 27 more changed lines: fix.patch\n"), "{shown}");
    }

    #[test]
    fn escape_sequences_of_a_source_file_do_not_reach_the_terminal() {
        let hostile = PATCH.replace("x < 3", "x\u{1b}[2J < 3");
        assert!(!show(&hostile, &TerminalStyle::plain(), 10).contains('\u{1b}'));
    }
}
