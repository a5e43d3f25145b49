//! Pattern of a classic branch protection rule.
//!
//! GitHub documents the syntax as that of Ruby's `File.fnmatch` with `FNM_PATHNAME`: `*`, `?` and sets match no slash,
//! `**/` matches any folders, and a backslash quotes the next character.

use regex::Regex;
use std::iter::Peekable;
use std::str::Chars;

/// Returns true if a pattern matches the name of a branch. An invalid pattern matches nothing.
pub(super) fn matches_branch(pattern: &str, branch: &str) -> bool {
    let Some(text) = to_regex(pattern) else { return false };
    Regex::new(&text).is_ok_and(|regex| regex.is_match(branch))
}

/// Converts a pattern to a regular expression. Returns `None` if a set has no end.
fn to_regex(pattern: &str) -> Option<String> {
    let mut text = r"\A".to_owned();
    let mut rest = pattern;
    loop {
        while let Some(after) = rest.strip_prefix("**/") {
            text.push_str("(?:[^/]+/)*");
            rest = after;
        }
        let (segment, after) = split_segment(rest);
        text.push_str(&segment_to_regex(segment)?);
        let Some(after) = after else { break };
        text.push('/');
        rest = after;
    }
    text.push_str(r"\z");
    Some(text)
}

/// Returns the pattern up to the next slash, and the rest after the slash, if there is one.
fn split_segment(pattern: &str) -> (&str, Option<&str>) {
    pattern.split_once('/').map_or((pattern, None), |(segment, rest)| (segment, Some(rest)))
}

fn segment_to_regex(segment: &str) -> Option<String> {
    let mut text = String::new();
    let mut chars = segment.chars().peekable();
    while let Some(char) = chars.next() {
        match char {
            '*' => text.push_str("[^/]*"),
            '?' => text.push_str("[^/]"),
            '[' => text.push_str(&set_to_regex(&mut chars)?),
            '\\' => text.push_str(&escape(chars.next().unwrap_or('\\'))),
            char => text.push_str(&escape(char)),
        }
    }
    Some(text)
}

/// Converts the set after an opening bracket, such as `a-z]` or `^a-z]`.
fn set_to_regex(chars: &mut Peekable<Chars<'_>>) -> Option<String> {
    let mut text = "[".to_owned();
    if chars.next_if(|char| matches!(char, '!' | '^')).is_some() {
        text.push('^');
    }
    loop {
        match chars.next()? {
            ']' => break,
            '-' => text.push('-'),
            '\\' => text.push_str(&escape(chars.next()?)),
            char => text.push_str(&escape(char)),
        }
    }
    text.push(']');
    Some(text)
}

fn escape(char: char) -> String {
    regex::escape(&char.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pattern_matches_as_on_github() {
        let branch = "git-mend/87914ddf3a-dozen";
        for pattern in [
            "git-mend/*",
            "git-mend/**",
            "*/*",
            "**/*",
            "**/87914*",
            "git-mend/87914ddf3a-dozen",
            "git-????/*",
            "[f-h]it-mend/*",
            "git[!a-z]mend/*",
            "git[^a-z]mend/*",
            "git\\-mend/*",
            "**/git-mend/*",
            "**/**/*",
        ] {
            assert!(matches_branch(pattern, branch), "{pattern}");
        }
        for pattern in [
            "*",
            "**",
            "main",
            "git-mend",
            "git-mend/",
            "git-mend/*/*",
            "git?mend?87914ddf3a-dozen",
            "feature/**/*",
            "git[a-z]mend/*",
            "git-mend/[",
            "git-mend/\\*",
            "Git-mend/*",
            "it-mend/*",
            "",
        ] {
            assert!(!matches_branch(pattern, branch), "{pattern}");
        }
        assert!(matches_branch("*", "main") && matches_branch("**/*", "main"));
    }
}
