//! Untrusted text in Markdown. Code contains no mentions, references, closing keywords, images or HTML, so all
//! untrusted text is formatted as code.

/// Maximum length of a code span in characters: a line of a test's message or of a commit message.
const MOST_SPAN: usize = 300;

/// Formats text as a code span on one line.
pub(super) fn code(text: &str) -> String {
    let text: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut text = escape_and_truncate(&text, MOST_SPAN);
    if text.is_empty() {
        text.push('\u{2014}');
    }
    let fence = "`".repeat(longest_run(&text) + 1);
    // Markdown strips one space on each side. The spaces separate backticks at the ends from the fence.
    let pad = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{fence}{pad}{text}{pad}{fence}")
}

/// Formats text as a fenced block of at most `most_lines` lines and `most_chars` characters.
pub(super) fn block(language: &str, text: &str, most_lines: usize, most_chars: usize) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let shown = lines.iter().take(most_lines).copied().collect::<Vec<_>>().join("\n");
    let mut shown = self::escape_and_truncate(&shown, most_chars);
    let hidden = lines.len().saturating_sub(shown.lines().count());
    if hidden > 0 {
        shown = format!("{shown}\n… {hidden} more {}", if hidden == 1 { "line" } else { "lines" });
    }
    let fence = "`".repeat((longest_run(&shown) + 1).max(3));
    format!("{fence}{language}\n{shown}\n{fence}")
}

/// Escapes control characters and bidirectional formatting characters, which can hide other code (CVE-2021-42574).
pub(super) fn visible(text: &str) -> String {
    escape_and_truncate(text, usize::MAX)
}

/// Escapes as [`visible`] and truncates to `most` characters. An escape sequence counts with its full length and is
/// never cut in two.
pub(super) fn escape_and_truncate(text: &str, most: usize) -> String {
    let mut out = String::with_capacity(text.len().min(most));
    let (mut length, mut before_last) = (0, 0);
    for c in text.chars().filter(|c| *c != '\r') {
        let wide = if is_hidden(c) { c.escape_unicode().count() } else { 1 };
        if length + wide > most {
            out.truncate(before_last);
            out.push('…');
            break;
        }
        length += wide;
        if is_hidden(c) {
            out.extend(c.escape_unicode());
        } else {
            out.push(c);
        }
        // Reserves one character for the ellipsis.
        if length < most {
            before_last = out.len();
        }
    }
    out
}

fn is_hidden(c: char) -> bool {
    (c.is_control() && c != '\n' && c != '\t')
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

/// Returns the length of the longest run of backticks.
fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_code_span_holds_whatever_it_is_given() {
        assert_eq!(code("a.B#c"), "`a.B#c`");
        assert_eq!(code("a `b` c"), "``a `b` c``");
        assert_eq!(code("`"), "`` ` ``");
        assert_eq!(code("@all fixes #1\n<img>"), "`@all fixes #1 <img>`");
        assert_eq!(code(""), "`—`");
    }

    #[test]
    fn what_would_be_obeyed_is_shown() {
        assert_eq!(code("a\u{202e}b\u{1b}[2J"), "`a\\u{202e}b\\u{1b}[2J`");
    }

    #[test]
    fn escapes_are_counted_and_never_cut_in_two() {
        let zero_width = "\u{200b}".repeat(12_000);
        assert!(block("diff", &zero_width, 10, 12_000).chars().count() < 12_050);
        assert_eq!(escape_and_truncate("a\u{200b}b", 10), "a\\u{200b}b");
        assert_eq!(escape_and_truncate("a\u{200b}b", 9), "a…");
        assert_eq!(escape_and_truncate("abc", 3), "abc");
        assert_eq!(escape_and_truncate("abcd", 3), "ab…");
    }

    #[test]
    fn a_block_ends_where_we_say() {
        let hostile = "```\n# heading\n````\n@all";
        assert_eq!(block("diff", hostile, 10, 100), format!("`````diff\n{hostile}\n`````"));
        assert_eq!(block("", "a\nb\nc", 2, 100), "```\na\nb\n… 1 more line\n```");
    }

    proptest! {
        #[test]
        fn no_text_gets_out_of_a_span(text in "[`\\\\ @#<a\n]{0,40}") {
            let span = code(&text);
            let fence = span.len() - span.trim_start_matches('`').len();
            let inner = &span[fence..span.len() - fence];
            prop_assert!(!inner.contains(&"`".repeat(fence)) && !inner.contains('\n'));
        }

        #[test]
        fn no_line_of_a_block_ends_it(text in "[`~ a\n]{0,60}") {
            let block = block("diff", &text, 100, 1000);
            let fence = block.lines().next().unwrap().trim_end_matches("diff").to_owned();
            let count = block.lines().filter(|line| line.trim().starts_with(&fence)).count();
            prop_assert_eq!(count, 2);
        }
    }
}
