//! Formats changed lines for the terminal: changed tokens are highlighted, and Java has syntax colours. Without
//! colours, the marks of `git diff --word-diff` enclose changed tokens.

use super::marked_lines::{MarkedLine, MarkedSpan};
use crate::TerminalStyle;
use crate::terminal::style::LineMarks;
use mend_java::{HighlightClass, highlight_java};
use std::fmt::Write as _;
use std::ops::Range;

/// Maximum number of characters shown of a line, and of those before its first changed token.
const MAX_LINE_CHARS: usize = 400;
const MAX_CHARS_BEFORE_CHANGE: usize = 60;

/// Writes adjacent changed lines.
pub(crate) fn write_lines(
    lines: &[MarkedLine],
    is_java: bool,
    style: &TerminalStyle,
    out: &mut String,
) {
    let lines: Vec<MarkedLine> = lines.iter().map(shorten_line).collect();
    // Completely new lines have one colour instead of syntax colours.
    let has_changed_tokens = lines.iter().flat_map(|line| &line.spans).any(|span| span.is_changed);
    let has_syntax_colours = is_java && has_changed_tokens && style.has_colours();
    for sign in ['-', '+'] {
        let side: Vec<&MarkedLine> = lines.iter().filter(|line| line.sign == sign).collect();
        match style.marks {
            LineMarks::Words => side.iter().for_each(|line| write_spoken_line(line, style, out)),
            LineMarks::Signs => ChangedSide::new(&side, has_syntax_colours).write_lines(style, out),
        }
    }
}

/// Shortens a very long line, for example of generated code, by omitting most of its unchanged text.
fn shorten_line(line: &MarkedLine) -> MarkedLine {
    if line.spans.iter().map(|span| span.text.chars().count()).sum::<usize>() <= MAX_LINE_CHARS {
        return line.clone();
    }
    let leading_spans = line.spans.iter().take_while(|span| !span.is_changed);
    let leading_spans: usize = leading_spans.map(|span| span.text.chars().count()).sum();
    let is_marked = line.spans.iter().any(|span| span.is_changed);
    let mut skipped =
        if is_marked { leading_spans.saturating_sub(MAX_CHARS_BEFORE_CHANGE) } else { 0 };
    let mut remaining_chars = MAX_LINE_CHARS;
    let mut spans = vec![MarkedSpan {
        text: if skipped > 0 { "…" } else { "" }.to_owned(),
        is_changed: false,
    }];
    for MarkedSpan { text, is_changed } in &line.spans {
        let count = text.chars().count();
        let text: String = text.chars().skip(skipped).take(remaining_chars).collect();
        skipped = skipped.saturating_sub(count);
        remaining_chars -= text.chars().count();
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
    let prefix = if line.sign == '-' { "removed:" } else { "added:" };
    let (open, close) = token_marks(line.sign, style);
    let mark = |span: &MarkedSpan| {
        if span.is_changed { format!("{open}{}{close}", span.text) } else { span.text.clone() }
    };
    let text: String = merge_spans(&line.spans).iter().map(mark).collect();
    let _ = writeln!(out, "    {prefix:8} {}", text.trim());
}

/// Deleted or inserted lines.
struct ChangedSide<'a> {
    lines: &'a [&'a MarkedLine],
    /// Syntax classes by byte range in the joined lines.
    highlights: Vec<(Range<usize>, HighlightClass)>,
}

impl<'a> ChangedSide<'a> {
    fn new(lines: &'a [&'a MarkedLine], has_syntax_colours: bool) -> Self {
        let texts: Vec<String> = lines.iter().map(|line| line.text()).collect();
        let highlights =
            if has_syntax_colours { highlight_java(&texts.join("\n")) } else { Vec::new() };
        Self { lines, highlights }
    }

    fn write_lines(&self, style: &TerminalStyle, out: &mut String) {
        let mut offset = 0;
        for line in self.lines {
            let line_colour = if line.sign == '-' { style.minus } else { style.plus };
            let spans = merge_spans(&line.spans);
            // A completely changed line needs no token marks.
            let has_word = |span: &MarkedSpan| span.text.contains(char::is_alphanumeric);
            let is_fully_changed = !spans.iter().any(|span| !span.is_changed && has_word(span));
            let needs_no_mark = is_fully_changed && !style.has_colours();
            let (open, close) =
                if needs_no_mark { ("", "") } else { token_marks(line.sign, style) };
            // Unchanged text has the colour of its line, or syntax colours.
            let has_syntax_colours = !self.highlights.is_empty();
            let (begin, between, end) = if has_syntax_colours {
                (style.reset, "", "")
            } else {
                ("", line_colour, style.reset)
            };
            let _ = write!(out, "    {line_colour}{} {begin}", line.sign);
            for MarkedSpan { text, is_changed } in spans {
                if is_changed {
                    let _ = write!(out, "{open}{text}{close}{between}");
                } else if has_syntax_colours {
                    self.write_highlighted(offset, &text, style, out);
                } else {
                    out.push_str(&text);
                }
                offset += text.len();
            }
            offset += 1;
            let _ = writeln!(out, "{end}");
        }
    }

    /// Writes part of a line with its syntax colours; `start` is its offset in the joined lines.
    fn write_highlighted(&self, start: usize, text: &str, style: &TerminalStyle, out: &mut String) {
        let mut offset = 0;
        for (range, class) in &self.highlights {
            let from = range.start.saturating_sub(start).clamp(offset, text.len());
            let to = range.end.saturating_sub(start).clamp(offset, text.len());
            let (Some(before), Some(painted)) = (text.get(offset..from), text.get(from..to)) else {
                continue;
            };
            if painted.is_empty() {
                continue;
            }
            let colour = match class {
                HighlightClass::Keyword => style.keyword,
                HighlightClass::Literal => style.literal,
                HighlightClass::Comment => style.dim,
            };
            let _ = write!(out, "{before}{colour}{painted}{}", style.reset);
            offset = to;
        }
        out.push_str(text.get(offset..).unwrap_or_default());
    }
}

/// Merges adjacent spans of the same kind, and changed spans with only white space between them.
fn merge_spans(spans: &[MarkedSpan]) -> Vec<MarkedSpan> {
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

    fn format_sample(patch: &str, style: &TerminalStyle, most: usize) -> String {
        format::format_patch(patch, style, most, "fix.patch")
    }

    const SAMPLE_PATCH: &str = "diff --git a/src/A.java b/src/A.java\n--- a/src/A.java\n+++ b/src/A.java\n\
        @@ -10,3 +10,3 @@ class A {\n     int a;\n-    if (x < 3) return \"no\";\n+    if (x <= 3) return \"no\";\n     }\n";

    /// Replaces escape sequences by their names.
    fn name_escape_sequences(text: &str) -> String {
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
    fn coloured_java_highlights_changed_tokens() {
        insta::assert_snapshot!(name_escape_sequences(&format_sample(SAMPLE_PATCH, &TerminalStyle::coloured(), 10)), @r#"
        <path>src/A.java:11</>
          <->- </>    <word>if</> (x <--><</> <text>3</>) <word>return</> <text>"no"</>;
          <+>+ </>    <word>if</> (x <++><=</> <text>3</>) <word>return</> <text>"no"</>;
        "#);
    }

    #[test]
    fn other_files_have_one_colour_per_line() {
        let text = name_escape_sequences(&format_sample(
            &SAMPLE_PATCH.replace("A.java", "a.xml"),
            &TerminalStyle::coloured(),
            10,
        ));
        assert!(text.contains("<->-     if (x <--><</><-> 3) return \"no\";</>"), "{text}");
    }

    #[test]
    fn line_without_deleted_token_keeps_syntax_colours() {
        let patch =
            SAMPLE_PATCH.replace("if (x <= 3)", "if (x)").replace("if (x < 3)", "if (x && y)");
        let text = name_escape_sequences(&format_sample(&patch, &TerminalStyle::coloured(), 10));
        assert!(text.contains("<+>+ </>    <word>if</> (x) <word>return</>"), "{text}");
    }

    #[test]
    fn screen_reader_gets_removed_and_added_lines() {
        insta::assert_snapshot!(format_sample(SAMPLE_PATCH, &TerminalStyle::spoken(), 10), @r#"
        src/A.java, line 11
          removed: if (x [-<-] 3) return "no";
          added:   if (x {+<=+} 3) return "no";
        "#);
    }

    #[test]
    fn plain_style_encloses_changed_tokens_in_marks() {
        insta::assert_snapshot!(format_sample(SAMPLE_PATCH, &TerminalStyle::plain(), 10), @r#"
        src/A.java:11
          -     if (x [-<-] 3) return "no";
          +     if (x {+<=+} 3) return "no";
        "#);
        let more = SAMPLE_PATCH.replace("x <= 3", "x != null && x <= 3");
        let text = format_sample(&more, &TerminalStyle::plain(), 10);
        assert!(text.contains("(x {+!= null && x <=+} 3)"), "{text}");
    }

    #[test]
    fn fully_changed_line_has_only_its_sign() {
        let patch = SAMPLE_PATCH.replace("if (x < 3) return \"no\";", "open();\n-    close();");
        let patch = patch.replace("if (x <= 3) return \"no\";", "throw new Error();");
        insta::assert_snapshot!(format_sample(&patch, &TerminalStyle::plain(), 10), @r"
        src/A.java:11
          -     open();
          -     close();
          +     throw new Error();
        ");
    }

    #[test]
    fn long_line_is_shortened_to_its_changed_part() {
        let long = SAMPLE_PATCH
            .replace("int a", &"long ".repeat(1000))
            .replace("if (", &format!("{}if (", "x, ".repeat(900)));
        let text = format_sample(&long, &TerminalStyle::plain(), 10);
        assert!(text.lines().all(|line| line.chars().count() < 450), "{text}");
        assert!(text.contains("(x [-<-] 3)") && text.contains("(x {+<=+} 3)"), "{text}");
    }

    #[test]
    fn windows_line_ends_are_not_shown() {
        let text = format_sample(&SAMPLE_PATCH.replace('\n', "\r\n"), &TerminalStyle::plain(), 10);
        assert!(!text.contains('\r'), "{text:?}");
        assert_eq!(text, format_sample(SAMPLE_PATCH, &TerminalStyle::plain(), 10));
    }
}
