//! Parses commands in comments, such as `/mend fix` on a line of its own. Quoted text and code contain no commands.

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// First word of a command.
const PREFIX: &str = "/mend";

/// Command in a comment.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CommentCommand {
    /// Replies with the existing results: the culprit and its evidence.
    Explain,
    /// Searches again.
    Retry,
    /// Searches and opens a pull request with the fix.
    Fix,
    /// Searches the dependency updates first.
    Upgrade,
    /// Stops the running jobs of this pull request.
    Stop,
}

impl CommentCommand {
    /// All commands.
    pub const ALL: [Self; 5] = [Self::Explain, Self::Retry, Self::Fix, Self::Upgrade, Self::Stop];

    /// Returns the word after `/mend`, which is also the identifier of a check run's button.
    pub fn name(self) -> &'static str {
        match self {
            Self::Explain => "explain",
            Self::Retry => "retry",
            Self::Fix => "fix",
            Self::Upgrade => "upgrade",
            Self::Stop => "stop",
        }
    }

    /// Parses the word after `/mend`.
    pub fn from_word(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|command| command.name().eq_ignore_ascii_case(name))
    }

    /// Returns the first command in a comment.
    pub fn find(markdown: &str) -> Option<Self> {
        let prose = CommentProse::parse(markdown);
        prose.paragraphs.iter().find_map(|paragraph| prose.find_command(markdown, paragraph))
    }
}

/// Parts of a comment that can contain commands.
#[derive(Default)]
struct CommentProse {
    /// Top-level paragraphs.
    paragraphs: Vec<Range<usize>>,
    /// Code, links, images and HTML in these paragraphs.
    excluded: Vec<Range<usize>>,
}

impl CommentProse {
    fn parse(markdown: &str) -> Self {
        let mut prose = Self::default();
        let mut depth = 0_usize;
        for (event, range) in Parser::new_ext(markdown, Options::ENABLE_TABLES).into_offset_iter() {
            match event {
                Event::Start(Tag::Paragraph) if depth == 0 => {
                    prose.paragraphs.push(range);
                    depth += 1;
                }
                Event::Start(Tag::Link { .. } | Tag::Image { .. }) => {
                    prose.excluded.push(range);
                    depth += 1;
                }
                Event::Start(_) => depth += 1,
                Event::End(TagEnd::Paragraph | _) => depth = depth.saturating_sub(1),
                Event::Code(_) | Event::InlineHtml(_) => prose.excluded.push(range),
                _ => {}
            }
        }
        prose
    }

    fn find_command(&self, markdown: &str, paragraph: &Range<usize>) -> Option<CommentCommand> {
        let mut start = paragraph.start;
        let text = markdown.get(paragraph.clone())?;
        text.split_inclusive('\n').find_map(|line| {
            let line_start = start;
            start += line.len();
            let is_excluded = self.excluded.iter().any(|range| range.contains(&line_start));
            if is_excluded { None } else { parse_line(line) }
        })
    }
}

/// Parses a line that consists of `/mend` and one word.
fn parse_line(line: &str) -> Option<CommentCommand> {
    let mut words = line.split_whitespace();
    let has_prefix = words.next()?.eq_ignore_ascii_case(PREFIX);
    let command = CommentCommand::from_word(words.next()?)?;
    (has_prefix && words.next().is_none()).then_some(command)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn command_on_its_own_line_is_found() {
        for (text, command) in [
            ("/mend fix", CommentCommand::Fix),
            ("/mend explain\r\n", CommentCommand::Explain),
            ("Please:\n\n/Mend Retry\n\nThanks.", CommentCommand::Retry),
            ("Enough of it.\n  /mend   stop  \nThanks.", CommentCommand::Stop),
            ("/mend why\n/mend fix\n/mend stop", CommentCommand::Fix),
            ("/mend upgrade", CommentCommand::Upgrade),
            ("> it fails\n\n/mend explain", CommentCommand::Explain),
        ] {
            assert_eq!(CommentCommand::find(text), Some(command), "{text:?}");
        }
    }

    #[test]
    fn quoted_or_inline_commands_are_ignored() {
        for text in [
            "",
            "/mend",
            "/mend why",
            "/mend fix it",
            "write /mend fix to mend it",
            "/mender fix",
            "\\/mend fix",
            "> /mend fix",
            "> it fails\n/mend fix",
            "- /mend fix",
            "# /mend fix",
            "    /mend fix",
            "```\n/mend fix\n```",
            "~~~\n/mend fix",
            "`/mend fix`",
            "`a\n/mend fix\nb`",
            "<!--\n/mend fix\n-->",
            "<pre>\n/mend fix\n</pre>",
            "[a\n/mend fix\nb](https://example.org)",
            "| a |\n|---|\n| /mend fix |",
        ] {
            assert_eq!(CommentCommand::find(text), None, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn no_comment_is_too_odd_to_be_read(text in "\\PC*|([>` ~\\-*#\\[\\]()<!/\\\\\n]|/mend fix)*") {
            let _ = CommentCommand::find(&text);
        }

        #[test]
        fn quoting_a_comment_takes_every_command_away(text in "([>` ~\\-\n]|/mend fix|\n/mend explain\n|a)*") {
            let quoted = format!("> {}", text.replace('\n', "\n> "));
            prop_assert_eq!(CommentCommand::find(&quoted), None);
        }

        #[test]
        fn fencing_a_comment_takes_every_command_away(text in "([> ~\\-\n]|/mend fix|\n/mend explain\n|a)*") {
            let fenced = format!("```\n{text}\n```\n");
            prop_assert_eq!(CommentCommand::find(&fenced), None);
        }
    }
}
