//! Changed lines on the terminal: changed tokens are highlighted, and Java has syntax colours. Without colours, the marks
//! of `git diff --word-diff` enclose changed tokens.

use super::marked_lines::{MarkedLine, MarkedSpan};
use crate::TerminalStyle;
use crate::terminal::style::LineMarks;
use mend_java::{HighlightClass, painted};
use std::fmt::Write as _;
use std::ops::Range;

/// Maximum number of characters shown of a line, and of those before its first changed token.
const MOST: usize = 400;
const BEFORE: usize = 60;

/// Writes adjacent changed lines.
pub(crate) fn show(lines: &[MarkedLine], is_java: bool, style: &TerminalStyle, out: &mut String) {
    let lines: Vec<MarkedLine> = lines.iter().map(shortened).collect();
    // Completely new lines have one colour instead of syntax colours.
    let is_compared = lines.iter().flat_map(|line| &line.spans).any(|span| span.is_changed);
    let has_paint = is_java && is_compared && style.has_colours();
    for sign in ['-', '+'] {
        let side: Vec<&MarkedLine> = lines.iter().filter(|line| line.sign == sign).collect();
        match style.marks {
            LineMarks::Words => side.iter().for_each(|line| write_spoken_line(line, style, out)),
            LineMarks::Signs => ChangedSide::new(&side, has_paint).show(style, out),
        }
    }
}

/// Shortens a very long line, such as generated code: most of its unchanged text is left out.
fn shortened(line: &MarkedLine) -> MarkedLine {
    if line.spans.iter().map(|span| span.text.chars().count()).sum::<usize>() <= MOST {
        return line.clone();
    }
    let stays = line.spans.iter().take_while(|span| !span.is_changed);
    let stays: usize = stays.map(|span| span.text.chars().count()).sum();
    let is_marked = line.spans.iter().any(|span| span.is_changed);
    let mut skipped = if is_marked { stays.saturating_sub(BEFORE) } else { 0 };
    let mut left = MOST;
    let mut spans = vec![MarkedSpan {
        text: if skipped > 0 { "…" } else { "" }.to_owned(),
        is_changed: false,
    }];
    for MarkedSpan { text, is_changed } in &line.spans {
        let count = text.chars().count();
        let text: String = text.chars().skip(skipped).take(left).collect();
        skipped = skipped.saturating_sub(count);
        left -= text.chars().count();
        spans.push(MarkedSpan { text, is_changed: *is_changed });
    }
    spans.push(MarkedSpan { text: "…".to_owned(), is_changed: false });
    MarkedLine { sign: line.sign, spans }
}

/// Returns the marks around changed tokens: colours, or those of `git diff --word-diff`.
fn token_marks(sign: char, style: &TerminalStyle) -> (&'static str, &'static str) {
    match (sign, style.has_colours()) {
        ('-', true) => (style.minus_token, style.reset),
        (_, true) => (style.plus_token, style.reset),
        ('-', false) => ("[-", "-]"),
        (_, false) => ("{+", "+}"),
    }
}

/// Formats a line for a screen reader.
fn write_spoken_line(line: &MarkedLine, style: &TerminalStyle, out: &mut String) {
    let word = if line.sign == '-' { "removed:" } else { "added:" };
    let (open, close) = token_marks(line.sign, style);
    let mark = |span: &MarkedSpan| {
        if span.is_changed { format!("{open}{}{close}", span.text) } else { span.text.clone() }
    };
    let text: String = merged(&line.spans).iter().map(mark).collect();
    let _ = writeln!(out, "    {word:8} {}", text.trim());
}

/// Deleted or inserted lines.
struct ChangedSide<'a> {
    lines: &'a [&'a MarkedLine],
    /// Syntax classes by byte range in the joined lines.
    paints: Vec<(Range<usize>, HighlightClass)>,
}

impl<'a> ChangedSide<'a> {
    fn new(lines: &'a [&'a MarkedLine], has_paint: bool) -> Self {
        let texts: Vec<String> = lines.iter().map(|line| line.text()).collect();
        let paints = if has_paint { painted(&texts.join("\n")) } else { Vec::new() };
        Self { lines, paints }
    }

    fn show(&self, style: &TerminalStyle, out: &mut String) {
        let mut at = 0;
        for line in self.lines {
            let weak = if line.sign == '-' { style.minus } else { style.plus };
            let spans = merged(&line.spans);
            // A completely changed line needs no token marks.
            let has_word = |span: &MarkedSpan| span.text.contains(char::is_alphanumeric);
            let is_other = !spans.iter().any(|span| !span.is_changed && has_word(span));
            let needs_no_mark = is_other && !style.has_colours();
            let (open, close) =
                if needs_no_mark { ("", "") } else { token_marks(line.sign, style) };
            // Unchanged text has the colour of its line, or syntax colours.
            let has_paint = !self.paints.is_empty();
            let (begin, between, end) =
                if has_paint { (style.reset, "", "") } else { ("", weak, style.reset) };
            let _ = write!(out, "    {weak}{} {begin}", line.sign);
            for MarkedSpan { text, is_changed } in spans {
                if is_changed {
                    let _ = write!(out, "{open}{text}{close}{between}");
                } else if has_paint {
                    self.paint(at, &text, style, out);
                } else {
                    out.push_str(&text);
                }
                at += text.len();
            }
            at += 1;
            let _ = writeln!(out, "{end}");
        }
    }

    /// Writes part of a line with its syntax colours; `start` is its offset in the joined lines.
    fn paint(&self, start: usize, text: &str, style: &TerminalStyle, out: &mut String) {
        let mut at = 0;
        for (range, paint) in &self.paints {
            let from = range.start.saturating_sub(start).clamp(at, text.len());
            let to = range.end.saturating_sub(start).clamp(at, text.len());
            let (Some(before), Some(painted)) = (text.get(at..from), text.get(from..to)) else {
                continue;
            };
            if painted.is_empty() {
                continue;
            }
            let colour = match paint {
                HighlightClass::Keyword => style.keyword,
                HighlightClass::Literal => style.literal,
                HighlightClass::Comment => style.dim,
            };
            let _ = write!(out, "{before}{colour}{painted}{}", style.reset);
            at = to;
        }
        out.push_str(text.get(at..).unwrap_or_default());
    }
}

/// Merges adjacent spans of the same kind, and changed spans with only white space between them.
fn merged(spans: &[MarkedSpan]) -> Vec<MarkedSpan> {
    let mut merged: Vec<MarkedSpan> = Vec::new();
    for span in spans {
        match &mut merged[..] {
            [.., last] if last.is_changed == span.is_changed => last.text.push_str(&span.text),
            [.., before, blank] if span.is_changed && blank.text.trim().is_empty() => {
                before.text.push_str(&blank.text);
                before.text.push_str(&span.text);
                merged.pop();
            }
            _ => merged.push(span.clone()),
        }
    }
    merged
}

#[cfg(test)]
mod tests {
    use crate::TerminalStyle;
    use crate::patch::format;

    fn show(patch: &str, style: &TerminalStyle, most: usize) -> String {
        format::show(patch, style, most, "fix.patch")
    }

    const PATCH: &str = "diff --git a/src/A.java b/src/A.java\n--- a/src/A.java\n+++ b/src/A.java\n\
        @@ -10,3 +10,3 @@ class A {\n     int a;\n-    if (x < 3) return \"no\";\n+    if (x <= 3) return \"no\";\n     }\n";

    /// Replaces escape sequences by their names.
    fn named(text: &str) -> String {
        let TerminalStyle {
            minus,
            minus_token,
            plus,
            plus_token,
            keyword,
            literal,
            path,
            reset,
            ..
        } = TerminalStyle::coloured();
        let names = [
            (minus_token, "<-->"),
            (plus_token, "<++>"),
            (minus, "<->"),
            (plus, "<+>"),
            (keyword, "<word>"),
            (literal, "<text>"),
            (path, "<path>"),
            (reset, "</>"),
        ];
        names.iter().fold(text.to_owned(), |text, (code, name)| text.replace(code, name))
    }

    #[test]
    fn changed_tokens_are_highlighted_in_coloured_java() {
        insta::assert_snapshot!(named(&show(PATCH, &TerminalStyle::coloured(), 10)), @r#"
        <path>src/A.java:11</>
          <->- </>    <word>if</> (x <--><</> <text>3</>) <word>return</> <text>"no"</>;
          <+>+ </>    <word>if</> (x <++><=</> <text>3</>) <word>return</> <text>"no"</>;
        "#);
    }

    #[test]
    fn other_files_have_one_colour_per_line() {
        let shown = named(&show(&PATCH.replace("A.java", "a.xml"), &TerminalStyle::coloured(), 10));
        assert!(shown.contains("<->-     if (x <--><</><-> 3) return \"no\";</>"), "{shown}");
    }

    #[test]
    fn a_line_without_a_deleted_token_keeps_its_syntax_colours() {
        let patch = PATCH.replace("if (x <= 3)", "if (x)").replace("if (x < 3)", "if (x && y)");
        let shown = named(&show(&patch, &TerminalStyle::coloured(), 10));
        assert!(shown.contains("<+>+ </>    <word>if</> (x) <word>return</>"), "{shown}");
    }

    #[test]
    fn a_screen_reader_gets_removed_and_added_lines() {
        insta::assert_snapshot!(show(PATCH, &TerminalStyle::spoken(), 10), @r#"
        src/A.java, line 11
          removed: if (x [-<-] 3) return "no";
          added:   if (x {+<=+} 3) return "no";
        "#);
    }

    #[test]
    fn without_colours_marks_enclose_changed_tokens() {
        insta::assert_snapshot!(show(PATCH, &TerminalStyle::plain(), 10), @r#"
        src/A.java:11
          -     if (x [-<-] 3) return "no";
          +     if (x {+<=+} 3) return "no";
        "#);
        let more = PATCH.replace("x <= 3", "x != null && x <= 3");
        let shown = show(&more, &TerminalStyle::plain(), 10);
        assert!(shown.contains("(x {+!= null && x <=+} 3)"), "{shown}");
    }

    #[test]
    fn a_completely_changed_line_has_only_its_sign() {
        let patch = PATCH.replace("if (x < 3) return \"no\";", "open();\n-    close();");
        let patch = patch.replace("if (x <= 3) return \"no\";", "throw new Error();");
        insta::assert_snapshot!(show(&patch, &TerminalStyle::plain(), 10), @r"
        src/A.java:11
          -     open();
          -     close();
          +     throw new Error();
        ");
    }

    #[test]
    fn the_changed_part_of_a_very_long_line_is_shown() {
        let long = PATCH
            .replace("int a", &"long ".repeat(1000))
            .replace("if (", &format!("{}if (", "x, ".repeat(900)));
        let shown = show(&long, &TerminalStyle::plain(), 10);
        assert!(shown.lines().all(|line| line.chars().count() < 450), "{shown}");
        assert!(shown.contains("(x [-<-] 3)") && shown.contains("(x {+<=+} 3)"), "{shown}");
    }

    #[test]
    fn windows_line_ends_are_not_shown() {
        let shown = show(&PATCH.replace('\n', "\r\n"), &TerminalStyle::plain(), 10);
        assert!(!shown.contains('\r'), "{shown:?}");
        assert_eq!(shown, show(PATCH, &TerminalStyle::plain(), 10));
    }
}
