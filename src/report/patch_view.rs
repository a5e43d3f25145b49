//! Patches for people: file and line, and the changed tokens within the changed lines.

use super::harmless::{harmless, one_line};
use super::style::Marks;
use super::{Style, lines_view};
use crate::model::counted;
use similar::{ChangeTag, TextDiff};
use std::fmt::Write as _;
use std::path::Path;

/// Part of a patch that concerns one file.
pub(super) struct FilePart<'a> {
    pub(super) name: String,
    /// The change to the file as a whole: new, deleted, renamed.
    pub(super) fate: Option<String>,
    pub(super) hunks: Vec<HunkPart<'a>>,
}

/// Adjacent lines of a patch.
pub(super) struct HunkPart<'a> {
    /// First line in the old version, counted from 1.
    pub(super) line: usize,
    pub(super) lines: Vec<&'a str>,
}

/// Line with its changed tokens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct MarkedLine {
    /// `-`, `+`, or a space for an unchanged line.
    pub(super) sign: char,
    pub(super) spans: Vec<Span>,
}

/// Part of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) text: String,
    /// True if these tokens changed.
    pub(super) is_changed: bool,
}

/// Maximum size of a replacement whose changed tokens are marked, in bytes.
const MOST_MARKED: usize = 20_000;

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
    pub fn of(patch: &str) -> Self {
        let files = parse(patch);
        let place = |file: &FilePart<'_>| {
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
pub(super) fn show_titled(
    (title, size): (&str, &str),
    patch: &str,
    style: &Style,
    most: usize,
    file_name: &str,
) -> String {
    let text = show(patch, style, most, file_name);
    let heading = format!("{}{title}{} {size}", style.title, style.reset);
    let width = |text: &str| text.chars().count();
    if let Some(place) = only_place(patch, &Style { path: "", reset: "", ..*style })
        && let Some((shown, lines)) = text.split_once('\n')
        && style.width.is_none_or(|all| width(title) + width(size) + width(&place) + 3 <= all)
    {
        return format!("{heading}{shown}\n{lines}");
    }
    format!("{heading}\n{text}")
}

/// Returns the place that a patch changes, if there is only one.
fn only_place(patch: &str, style: &Style) -> Option<String> {
    let files = parse(patch);
    let [file] = &files[..] else { return None };
    let is_only = file.hunks.iter().flat_map(places).count() <= 1;
    is_only.then(|| heading(file, file.hunks.first(), style).trim().to_owned())
}

/// Shows at most `most` changed lines of a unified diff; `file_name` is the file with all of them.
pub(super) fn show(patch: &str, style: &Style, most: usize, file_name: &str) -> String {
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
                lines_view::show(&lines, is_java, style, &mut out);
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
fn heading(file: &FilePart<'_>, hunk: Option<&HunkPart<'_>>, style: &Style) -> String {
    let Style { path, reset, marks, .. } = style;
    let between = match marks {
        Marks::Signs => ":",
        Marks::Words => ", line ",
    };
    let line = hunk.map(first_change);
    let line = line.map_or(String::new(), |line| format!("{between}{line}"));
    // The change to the file as a whole is shown only if no lines are.
    let fate = file.fate.as_ref().filter(|_| file.hunks.is_empty());
    let fate = fate.map_or(String::new(), |fate| format!(" ({})", one_line(fate)));
    format!("  {path}{}{line}{reset}{fate}\n", one_line(&file.name))
}

/// Parses a unified diff, file by file.
pub(super) fn parse(patch: &str) -> Vec<FilePart<'_>> {
    let mut files: Vec<FilePart<'_>> = Vec::new();
    let mut in_hunk = false;
    for line in patch.lines() {
        if let Some(names) = line.strip_prefix("diff --git ") {
            files.push(FilePart { name: new_name(names), fate: None, hunks: Vec::new() });
            in_hunk = false;
        } else if let Some(header) = line.strip_prefix("@@ -") {
            let number = header.split([',', ' ']).next().and_then(|number| number.parse().ok());
            if let Some(file) = files.last_mut() {
                file.hunks.push(HunkPart { line: number.unwrap_or(1), lines: Vec::new() });
            }
            in_hunk = true;
        } else if !in_hunk && let Some(fate) = fate(line) {
            files
                .iter_mut()
                .next_back()
                .into_iter()
                .for_each(|file| file.fate = Some(fate.clone()));
        } else if in_hunk
            && let Some(hunk) = files.last_mut().and_then(|file| file.hunks.last_mut())
        {
            hunk.lines.push(line);
        }
    }
    files
}

/// Parses a header line that describes a change to the file as a whole.
fn fate(line: &str) -> Option<String> {
    let described = |(start, words): (&str, &str)| {
        line.strip_prefix(start).map(|rest| format!("{words}{rest}"))
    };
    let fates = [
        ("new file mode ", "new, mode "),
        ("deleted file mode ", "deleted, mode "),
        ("rename from ", "was "),
        ("copy from ", "copy of "),
        ("new mode ", "mode becomes "),
        ("GIT binary patch", "binary"),
    ];
    let binary = line.starts_with("Binary files ").then(|| "binary".to_owned());
    fates.into_iter().find_map(described).or(binary)
}

/// Returns the new file name in a `diff --git` line.
fn new_name(names: &str) -> String {
    match names.split_once(" \"b/") {
        Some((_, quoted)) => unquoted(quoted.trim_end_matches('"')),
        None => names.split_once(" b/").map_or(names, |(_, name)| name).to_owned(),
    }
}

/// Decodes a file name that git quoted.
fn unquoted(name: &str) -> String {
    let (mut bytes, mut rest) = (Vec::new(), name.bytes());
    while let Some(byte) = rest.next() {
        let escaped = if byte == b'\\' { rest.next() } else { None };
        bytes.push(match escaped {
            None => byte,
            Some(b'n') => b'\n',
            Some(b't') => b'\t',
            Some(b'r') => b'\r',
            Some(first @ b'0'..=b'3') => {
                let digit = |byte: Option<u8>| byte.unwrap_or(b'0').wrapping_sub(b'0') & 7;
                ((first - b'0') << 6) | (digit(rest.next()) << 3) | digit(rest.next())
            }
            Some(other) => other,
        });
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

impl FilePart<'_> {
    /// Returns `path:line` of the first change, or the change to the file as a whole if no line changes.
    pub(super) fn place(&self) -> String {
        match (self.hunks.first(), &self.fate) {
            (None, Some(fate)) => format!("{} ({fate})", self.name),
            (first, _) => format!("{}:{}", self.name, first.map_or(1, first_change)),
        }
    }
}

/// Returns the first changed line, in the old version.
fn first_change(hunk: &HunkPart<'_>) -> usize {
    let before = hunk.lines.iter().take_while(|line| line.starts_with(' ')).count();
    // A new file begins with line 1; the diff says 0.
    (hunk.line + before).max(1)
}

/// Splits a hunk into places: runs of changed lines with only blank lines between them.
fn places<'a>(hunk: &HunkPart<'a>) -> Vec<HunkPart<'a>> {
    let (mut all, mut line) = (Vec::<HunkPart<'a>>::new(), hunk.line);
    let mut is_near = false;
    for text in &hunk.lines {
        let is_changed = text.starts_with(['-', '+', '\\']);
        let is_more = is_near && (is_changed || text.trim().is_empty());
        match all.last_mut().filter(|_| is_more) {
            Some(place) => place.lines.push(text),
            None if is_changed => all.push(HunkPart { line, lines: vec![text] }),
            None => {}
        }
        is_near = is_changed || is_more;
        line += usize::from(!text.starts_with(['+', '\\']));
    }
    all
}

/// Returns runs of deleted lines, each with the inserted lines that replace it.
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

/// Returns the lines of a hunk with their changed tokens, deleted lines before the lines that replace them.
pub(super) fn marked_lines(hunk: &HunkPart<'_>) -> Vec<MarkedLine> {
    let mut lines = Vec::new();
    let mut rest = &hunk.lines[..];
    while let Some((first, others)) = rest.split_first() {
        let run = rest.iter().take_while(|line| line.starts_with(['-', '+', '\\'])).count();
        if run == 0 {
            lines.push(MarkedLine::unmarked(' ', first.get(1..).unwrap_or_default()));
            rest = others;
            continue;
        }
        for (minus, plus) in changed_runs(&rest[..run]) {
            lines.extend(marked_run(&minus, &plus));
        }
        rest = &rest[run..];
    }
    lines
}

impl MarkedLine {
    /// Returns the line without its sign.
    pub(super) fn text(&self) -> String {
        self.spans.iter().map(|span| &*span.text).collect()
    }

    fn unmarked(sign: char, text: &str) -> Self {
        Self { sign, spans: vec![Span { text: harmless(text), is_changed: false }] }
    }
}

/// Splits a text into words, white space, operators and single other characters.
fn tokens(text: &str) -> Vec<&str> {
    let kind = |c: char| match c {
        _ if c.is_alphanumeric() || c == '_' || c == '$' => 1,
        '\n' => 0,
        _ if c.is_whitespace() => 2,
        '<' | '>' | '=' | '!' | '&' | '|' | '+' | '-' | '*' | '/' | '%' | '^' => 3,
        _ => 0,
    };
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let is_alone = |c: char| kind(c) != kind(first) || kind(first) == 0;
        let next = rest.char_indices().skip(1).find(|(_, c)| is_alone(*c)).map(|(at, _)| at);
        let end = character(rest).or(next).unwrap_or(rest.len());
        let (token, after) = rest.split_at(end);
        tokens.push(token);
        rest = after;
    }
    tokens
}

/// Returns the length of the character literal or escape sequence at the start of a text.
fn character(text: &str) -> Option<usize> {
    let length_of = |text: &str| match text.strip_prefix('\\') {
        Some(escaped) => escaped.chars().next().map(|c| 1 + c.len_utf8()),
        None => text.chars().next().map(char::len_utf8),
    };
    match text.strip_prefix('\'') {
        Some(quoted) => {
            let length = length_of(quoted)?;
            quoted.get(length..)?.starts_with('\'').then_some(length + 2)
        }
        None => text.starts_with('\\').then(|| length_of(text)).flatten(),
    }
}

/// Marks the changed tokens of deleted lines and of the lines that replace them.
fn marked_run(minus: &[&str], plus: &[&str]) -> Vec<MarkedLine> {
    let (old, new) = (minus.join("\n"), plus.join("\n"));
    // Pure deletions and insertions have no token-level difference.
    if minus.is_empty() || plus.is_empty() || old.len() + new.len() > MOST_MARKED {
        let minus = minus.iter().map(|line| MarkedLine::unmarked('-', line));
        return minus.chain(plus.iter().map(|line| MarkedLine::unmarked('+', line))).collect();
    }
    let (before, after) = (tokens(&old), tokens(&new));
    let diff = TextDiff::from_slices(&before, &after);
    let mut lines = Vec::new();
    for (sign, tag, side) in [('-', ChangeTag::Delete, minus), ('+', ChangeTag::Insert, plus)] {
        let of_side =
            diff.iter_all_changes().filter(|one| [tag, ChangeTag::Equal].contains(&one.tag()));
        let mut line = MarkedLine { sign, spans: Vec::new() };
        for change in of_side {
            let is_changed = change.tag() == tag && !change.value().trim().is_empty();
            for (at, text) in change.value().split('\n').enumerate() {
                if at > 0 {
                    lines
                        .push(std::mem::replace(&mut line, MarkedLine { sign, spans: Vec::new() }));
                }
                if !text.is_empty() {
                    line.spans.push(Span { text: harmless(text), is_changed });
                }
            }
        }
        if !side.is_empty() {
            lines.push(line);
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(patch: &str, style: &Style, most: usize) -> String {
        super::show(patch, style, most, "fix.patch")
    }

    const PATCH: &str = "diff --git a/src/A.java b/src/A.java\nindex 1..2 100644\n--- a/src/A.java\n+++ b/src/A.java\n@@ -10,3 +10,3 @@ class A {\n     int a;\n-    if (x < 3) {\n+    if (x <= 3) {\n     }\n";

    #[test]
    fn the_place_and_both_lines_are_shown() {
        let shown = show(PATCH, &Style::plain(), 10);
        assert_eq!(
            shown,
            "  src/A.java:11\n    -     if (x [-<-] 3) {\n    +     if (x {+<=+} 3) {\n"
        );
    }

    #[test]
    fn unchanged_lines_are_kept_between_changed_ones() {
        let files = parse(PATCH);
        let lines = marked_lines(&files[0].hunks[0]);
        let shown = |line: &MarkedLine| {
            let mark = |span: &Span| {
                if span.is_changed { format!("[{}]", span.text) } else { span.text.clone() }
            };
            format!("{}{}", line.sign, line.spans.iter().map(mark).collect::<String>())
        };
        let expected = ["     int a;", "-    if (x [<] 3) {", "+    if (x [<=] 3) {", "     }"];
        assert_eq!(lines.iter().map(shown).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn each_place_is_shown_with_its_line() {
        let patch = "diff --git a/A.java b/A.java\n--- a/A.java\n+++ b/A.java\n@@ -10,8 +10,9 @@\n     a;\n-    b;\n\
                     +    bb;\n \n+    bc;\n     c;\n     d;\n-    e;\n+    ee;\n     f;\n";
        let shown = show(patch, &Style::plain(), 10);
        let places: Vec<&str> = shown.lines().filter(|line| line.contains("A.java:")).collect();
        assert_eq!(places, ["  A.java:11", "  A.java:15"]);
    }

    #[test]
    fn files_that_do_not_fit_are_counted() {
        let other = |number: usize| PATCH.replace("src/A.java", &format!("src/A{number}.java"));
        let many: String = (0..100).map(other).collect();
        let shown = show(&many, &Style::plain(), 4);
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
        let shown = show(&(0..20).map(renamed).collect::<String>(), &Style::plain(), 4);
        assert!(shown.ends_with("    … 16 files not named: fix.patch\n"), "{shown}");
        assert_eq!(shown.lines().count(), 5);
    }

    #[test]
    fn a_name_that_git_quotes_is_shown_as_it_is() {
        let quoted = PATCH.replace(
            "a/src/A.java b/src/A.java",
            r#""a/Br\303\266tchen \"1\".java" "b/Br\303\266tchen \"1\".java""#,
        );
        assert_eq!(parse(&quoted)[0].name, "Brötchen \"1\".java");
    }

    #[test]
    fn each_hunk_is_shown_with_its_line() {
        let two = format!("{PATCH}@@ -40,2 +40,1 @@\n     int b;\n-    int c;\n");
        let shown = show(&two, &Style::plain(), 9);
        assert!(shown.ends_with("  src/A.java:41\n    -     int c;\n"), "{shown}");
        assert!(!show(&two, &Style::plain(), 2).contains(":41"));
    }

    #[test]
    fn a_change_to_a_file_without_lines_is_described() {
        let patch = "diff --git a/a.txt b/b.txt\nsimilarity index 100%\nrename from a.txt\nrename to b.txt\n\
                     diff --git a/run b/run\nold mode 100644\nnew mode 100755\n";
        assert_eq!(PatchSummary::of(patch).location.as_deref(), Some("b.txt"));
        let shown = show(patch, &Style::plain(), 9);
        assert_eq!(shown, "  b.txt (was a.txt)\n  run (mode becomes 100755)\n");
    }

    #[test]
    fn an_operator_is_one_token() {
        assert_eq!(tokens("a_1 >= b);\n"), ["a_1", " ", ">=", " ", "b", ")", ";", "\n"]);
    }

    #[test]
    fn a_character_is_one_token() {
        assert_eq!(tokens(r"c=='\f'"), ["c", "==", r"'\f'"]);
        assert_eq!(tokens(r#"'x'"a\nb""#), ["'x'", "\"", "a", r"\n", "b", "\""]);
        assert_eq!(tokens("don't"), ["don", "'", "t"]);
        assert_eq!(tokens("'\\"), ["'", "\\"]);
    }

    #[test]
    fn what_does_not_fit_is_counted() {
        assert!(
            show(PATCH, &Style::plain(), 1)
                .ends_with("-     if (x < 3) {\n    … 1 more changed line: fix.patch\n")
        );
        let long = PATCH.replace("-    if (x < 3) {\n", &"-    old();\n".repeat(40));
        let shown = show(&long, &Style::plain(), 14);
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
        assert!(!show(&hostile, &Style::plain(), 10).contains('\u{1b}'));
    }
}
