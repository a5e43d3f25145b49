//! Replies to commands in comments.

use crate::github::markdown::{block, code};
use crate::github::texts::forgeable;

/// Maximum size of the quoted verification section, in lines and characters.
const MOST_LINES: usize = 12;
const MOST_CHARS: usize = 2_000;

/// Maximum number of check runs in a reply.
const MOST_CHECKS: usize = 10;

/// Content of a git-mend check run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownCheck {
    /// Title of the check run.
    pub title: String,
    /// Address of the check run's page.
    pub url: Option<String>,
    /// Summary of the check run, in Markdown.
    pub summary: String,
}

/// Returns the reply to `/mend explain`: the results known for a commit. It begins with `marker`, which identifies it
/// later.
pub fn known_of(commit: &str, marker: &str, checks: &[KnownCheck]) -> String {
    if checks.is_empty() {
        return format!(
            "{marker}\nThere is no search for {} yet. To start one, write `/mend retry` on a line of its own.\n",
            code(commit)
        );
    }
    let told: Vec<String> = checks.iter().take(MOST_CHECKS).map(format_check).collect();
    format!("{marker}\nResults for {}:\n\n{}\n\n{}\n", code(commit), told.join("\n\n"), forgeable())
}

/// Formats a check run: its title, a link to its page, and its verification section.
fn format_check(check: &KnownCheck) -> String {
    let title = code(&check.title);
    let line = match &check.url {
        Some(url) => format!("**{title}** ([details]({url}))"),
        None => format!("**{title}**"),
    };
    match checked(&check.summary) {
        Some(text) => format!("{line}\n\n{}", block("", text, MOST_LINES, MOST_CHARS)),
        None => line,
    }
}

/// Returns the verification section of a summary. Any program may have written the summary, so the section is quoted
/// verbatim.
fn checked(summary: &str) -> Option<&str> {
    let (_, rest) = summary.split_once("### Verification\n")?;
    let end = ["\n###", "\n---"].iter().filter_map(|end| rest.find(end)).min();
    Some(rest[..end.unwrap_or(rest.len())].trim())
}

/// Returns the reply to users without write access. It begins with `marker`, which identifies it later.
pub fn refusal(marker: &str) -> String {
    format!(
        "{marker}\nOnly users with write access to this repository can give commands, because commands start searches and \
         create branches. Please ask one of them.\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reply_shows_the_results_and_their_verification() {
        let check = KnownCheck {
            title: "a.B#c: culprit 87914ddf3a, fix available (2 tokens)".to_owned(),
            url: Some("https://x/1".to_owned()),
            summary: "**x**\n\n### Verification\n\n- 6 commits\n- @all ```\n\n### Reproduce\n\nx"
                .to_owned(),
        };
        let bare = KnownCheck { title: String::new(), url: None, summary: "@all".to_owned() };
        insta::assert_snapshot!(known_of("ab11f313e4", "<!-- m -->", &[check, bare]), @r"
        <!-- m -->
        Results for `ab11f313e4`:

        **`a.B#c: culprit 87914ddf3a, fix available (2 tokens)`** ([details](https://x/1))

        ````
        - 6 commits
        - @all ```
        ````

        **`—`**

        <sub>The search executed code from this repository, and that code could forge a result. Review the fix before you merge it.</sub>
        ");
        assert!(known_of("ab", "<!-- m -->", &[]).contains("`/mend retry`"));
    }
}
