//! Changed lines on the terminal: the very tokens that changed stand out, and what is Java has its colours.

use super::Style;
use super::patch_view::{MarkedLine, Span};
use super::style::Marks;
use crate::java::{Paint, painted};
use std::fmt::Write as _;
use std::ops::Range;

/// So many characters of a line are shown, and so many of them before what changed in it.
const MOST: usize = 400;
const BEFORE: usize = 60;

/// Writes lines that stand together.
pub(super) fn show(lines: &[MarkedLine], is_java: bool, style: &Style, out: &mut String) {
    let lines: Vec<MarkedLine> = lines.iter().map(shortened).collect();
    // Where the lines are new as a whole, their own colour says more than those of their words.
    let is_compared = lines.iter().flat_map(|line| &line.spans).any(|span| span.is_changed);
    let has_paint = is_java && is_compared && !style.keyword.is_empty();
    for sign in ['-', '+'] {
        let side: Vec<&MarkedLine> = lines.iter().filter(|line| line.sign == sign).collect();
        match style.marks {
            Marks::Words => side.iter().for_each(|line| said(line, out)),
            Marks::Signs => Side::of(&side, has_paint).show(style, out),
        }
    }
}

/// A line that is very long, as machines write them, without most of what stays.
fn shortened(line: &MarkedLine) -> MarkedLine {
    if line.spans.iter().map(|span| span.text.chars().count()).sum::<usize>() <= MOST {
        return line.clone();
    }
    let stays = line.spans.iter().take_while(|span| !span.is_changed);
    let stays: usize = stays.map(|span| span.text.chars().count()).sum();
    let is_marked = line.spans.iter().any(|span| span.is_changed);
    let mut skipped = if is_marked { stays.saturating_sub(BEFORE) } else { 0 };
    let mut left = MOST;
    let mut spans =
        vec![Span { text: if skipped > 0 { "…" } else { "" }.to_owned(), is_changed: false }];
    for Span { text, is_changed } in &line.spans {
        let count = text.chars().count();
        let text: String = text.chars().skip(skipped).take(left).collect();
        skipped = skipped.saturating_sub(count);
        left -= text.chars().count();
        spans.push(Span { text, is_changed: *is_changed });
    }
    spans.push(Span { text: "…".to_owned(), is_changed: false });
    MarkedLine { sign: line.sign, spans }
}

/// A line for those who hear it, with the marks of `git diff --word-diff`.
fn said(line: &MarkedLine, out: &mut String) {
    let (word, open, close) = match line.sign {
        '-' => ("removed:", "[-", "-]"),
        _ => ("added:", "{+", "+}"),
    };
    let mark = |span: &Span| {
        if span.is_changed { format!("{open}{}{close}", span.text) } else { span.text.clone() }
    };
    let text: String = merged(&line.spans).iter().map(mark).collect();
    let _ = writeln!(out, "    {word:8} {}", text.trim());
}

/// The deleted lines, or the inserted ones.
struct Side<'a> {
    lines: &'a [&'a MarkedLine],
    /// What has a paint, in bytes of the lines joined.
    paints: Vec<(Range<usize>, Paint)>,
}

impl<'a> Side<'a> {
    fn of(lines: &'a [&'a MarkedLine], has_paint: bool) -> Self {
        let texts: Vec<String> = lines.iter().map(|line| line.text()).collect();
        let paints = if has_paint { painted(&texts.join("\n")) } else { Vec::new() };
        Self { lines, paints }
    }

    fn show(&self, style: &Style, out: &mut String) {
        let mut at = 0;
        for line in self.lines {
            let (weak, strong) = match line.sign {
                '-' => (style.minus, style.minus_token),
                _ => (style.plus, style.plus_token),
            };
            // Between the tokens that changed the line has one colour, or those of its words.
            let has_paint = !self.paints.is_empty();
            let (begin, between, end) =
                if has_paint { (style.reset, "", "") } else { ("", weak, style.reset) };
            let _ = write!(out, "    {weak}{} {begin}", line.sign);
            for Span { text, is_changed } in merged(&line.spans) {
                if is_changed {
                    let _ = write!(out, "{strong}{text}{}{between}", style.reset);
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

    /// Writes a stretch of a line, which begins at a byte of the lines joined, with what is painted in it.
    fn paint(&self, start: usize, text: &str, style: &Style, out: &mut String) {
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
                Paint::Keyword => style.keyword,
                Paint::Literal => style.literal,
                Paint::Comment => style.dim,
            };
            let _ = write!(out, "{before}{colour}{painted}{}", style.reset);
            at = to;
        }
        out.push_str(text.get(at..).unwrap_or_default());
    }
}

/// Neighbours that both changed, or both did not, as one.
fn merged(spans: &[Span]) -> Vec<Span> {
    let mut merged: Vec<Span> = Vec::new();
    for span in spans {
        match merged.last_mut() {
            Some(last) if last.is_changed == span.is_changed => last.text.push_str(&span.text),
            _ => merged.push(span.clone()),
        }
    }
    merged
}

#[cfg(test)]
mod tests {
    use crate::report::Style;
    use crate::report::patch_view::show;

    const PATCH: &str = "diff --git a/src/A.java b/src/A.java\n--- a/src/A.java\n+++ b/src/A.java\n\
        @@ -10,3 +10,3 @@ class A {\n     int a;\n-    if (x < 3) return \"no\";\n+    if (x <= 3) return \"no\";\n     }\n";

    /// The escape sequences by name.
    fn named(text: &str) -> String {
        let Style { minus, minus_token, plus, plus_token, keyword, literal, path, reset, .. } =
            Style::coloured();
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
    fn the_tokens_that_changed_stand_out_of_java_in_its_colours() {
        insta::assert_snapshot!(named(&show(PATCH, &Style::coloured(), 10)), @r#"
        <path>src/A.java:11</>
          <->- </>    <word>if</> (x <--><</> <text>3</>) <word>return</> <text>"no"</>;
          <+>+ </>    <word>if</> (x <++><=</> <text>3</>) <word>return</> <text>"no"</>;
        "#);
    }

    #[test]
    fn what_is_no_java_has_one_colour_a_line() {
        let shown = named(&show(&PATCH.replace("A.java", "a.xml"), &Style::coloured(), 10));
        assert!(shown.contains("<->-     if (x <--><</><-> 3) return \"no\";</>"), "{shown}");
    }

    #[test]
    fn where_a_token_is_gone_the_line_without_it_keeps_its_colours() {
        let patch = PATCH.replace("if (x <= 3)", "if (x)").replace("if (x < 3)", "if (x && y)");
        let shown = named(&show(&patch, &Style::coloured(), 10));
        assert!(shown.contains("<+>+ </>    <word>if</> (x) <word>return</>"), "{shown}");
    }

    #[test]
    fn who_listens_hears_what_was_removed_and_what_was_added() {
        insta::assert_snapshot!(show(PATCH, &Style::spoken(), 10), @r#"
        src/A.java, line 11
          removed: if (x [-<-] 3) return "no";
          added:   if (x {+<=+} 3) return "no";
        "#);
    }

    #[test]
    fn of_a_line_that_machines_wrote_the_changed_part_is_shown() {
        let long = PATCH
            .replace("int a", &"long ".repeat(1000))
            .replace("if (", &format!("{}if (", "x, ".repeat(900)));
        let shown = show(&long, &Style::plain(), 10);
        assert!(shown.lines().all(|line| line.chars().count() < 450), "{shown}");
        assert!(shown.contains("(x < 3)") && shown.contains("(x <= 3)"), "{shown}");
    }

    #[test]
    fn windows_line_ends_are_not_shown() {
        let shown = show(&PATCH.replace('\n', "\r\n"), &Style::plain(), 10);
        assert!(!shown.contains('\r'), "{shown:?}");
        assert_eq!(shown, show(PATCH, &Style::plain(), 10));
    }
}
