//! What is answered to commands in comments.

use super::markdown::{block, code};
use super::prose::forgeable;

/// How much is repeated of what was checked.
const MOST_LINES: usize = 12;
const MOST_CHARS: usize = 2_000;

/// How many checks are named.
const MOST_CHECKS: usize = 10;

/// What a check of ours says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownCheck {
    /// Its one line.
    pub title: String,
    /// Its page.
    pub url: Option<String>,
    /// Its Markdown.
    pub summary: String,
}

/// What is known of a commit. It begins with `marker`, by which it is found again.
pub fn known_of(commit: &str, marker: &str, checks: &[KnownCheck]) -> String {
    if checks.is_empty() {
        return format!(
            "{marker}\nNothing was searched on {} yet. `/mend retry` on a line of its own looks for what broke it.\n",
            code(commit)
        );
    }
    let told: Vec<String> = checks.iter().take(MOST_CHECKS).map(told).collect();
    format!(
        "{marker}\nThis is known of {}:\n\n{}\n\n{}\n",
        code(commit),
        told.join("\n\n"),
        forgeable()
    )
}

/// A check with its page, and how that was found out.
fn told(check: &KnownCheck) -> String {
    let title = code(&check.title);
    let line = match &check.url {
        Some(url) => format!("**{title}** ([all of it]({url}))"),
        None => format!("**{title}**"),
    };
    match checked(&check.summary) {
        Some(text) => format!("{line}\n\n{}", block("", text, MOST_LINES, MOST_CHARS)),
        None => line,
    }
}

/// The part of a summary that says what was checked. Any program may have written it, so it is shown as it is.
fn checked(summary: &str) -> Option<&str> {
    let (_, rest) = summary.split_once("### What was checked\n")?;
    let end = ["\n###", "\n---"].iter().filter_map(|end| rest.find(end)).min();
    Some(rest[..end.unwrap_or(rest.len())].trim())
}

/// The answer to those who may not command. It begins with `marker`, by which it is found again.
pub fn refusal(marker: &str) -> String {
    format!(
        "{marker}\nCommands are for people who may write to this repository, as they start searches and make branches. \
         Please ask one of them.\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_says_what_is_known_and_how_it_was_found_out() {
        let check = KnownCheck {
            title: "a.B#c fails since 87914ddf3a; a patch of 2 tokens mends it".to_owned(),
            url: Some("https://x/1".to_owned()),
            summary: "**x**\n\n### What was checked\n\n- 6 commits\n- @all ```\n\n### See for yourself\n\nx".to_owned(),
        };
        let bare = KnownCheck { title: String::new(), url: None, summary: "@all".to_owned() };
        insta::assert_snapshot!(known_of("ab11f313e4", "<!-- m -->", &[check, bare]), @r"
        <!-- m -->
        This is known of `ab11f313e4`:

        **`a.B#c fails since 87914ddf3a; a patch of 2 tokens mends it`** ([all of it](https://x/1))

        ````
        - 6 commits
        - @all ```
        ````

        **`—`**

        <sub>The search ran the code of this repository, which could make up a verdict: read the patch before you merge it.</sub>
        ");
        assert!(known_of("ab", "<!-- m -->", &[]).contains("`/mend retry`"));
    }
}
