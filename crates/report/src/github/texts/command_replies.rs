//! Replies to commands in comments.

use crate::github::markdown::{code_block, code_span};
use crate::github::texts::forgery_warning;

/// Maximum size of the quoted verification section, in lines and characters.
const MAX_QUOTED_LINES: usize = 12;
const MAX_QUOTED_CHARS: usize = 2_000;

/// Maximum number of check runs in a reply.
const MAX_CHECK_RUNS: usize = 10;

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
pub fn explain_reply(commit: &str, marker: &str, checks: &[KnownCheck]) -> String {
    if checks.is_empty() {
        return format!(
            "{marker}\nThere is no search for {} yet. To start one, write `/mend retry` on a line of its own.\n",
            code_span(commit)
        );
    }
    let check_texts: Vec<String> = checks.iter().take(MAX_CHECK_RUNS).map(format_check).collect();
    format!(
        "{marker}\nResults for {}:\n\n{}\n\n{}\n",
        code_span(commit),
        check_texts.join("\n\n"),
        forgery_warning()
    )
}

/// Formats a check run: its title, a link to its page, and its verification section.
fn format_check(check: &KnownCheck) -> String {
    let title = code_span(&check.title);
    let line = match &check.url {
        Some(url) => format!("**{title}** ([details]({url}))"),
        None => format!("**{title}**"),
    };
    match verification_text(&check.summary) {
        Some(text) => {
            format!("{line}\n\n{}", code_block("", text, MAX_QUOTED_LINES, MAX_QUOTED_CHARS))
        }
        None => line,
    }
}

/// Returns the verification section of a summary. Any program may have written the summary, so the section is quoted
/// verbatim.
fn verification_text(summary: &str) -> Option<&str> {
    let (_, rest) = summary.split_once("### Verification\n")?;
    let end = ["\n###", "\n---"].iter().filter_map(|end| rest.find(end)).min();
    Some(rest[..end.unwrap_or(rest.len())].trim())
}

/// Returns the reply to users without write access. It begins with `marker`, which identifies it later.
pub fn permission_reply(marker: &str) -> String {
    format!(
        "{marker}\nOnly users with write access to this repository can give commands, because commands start searches and \
         create branches. Please ask one of them.\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn explain_reply_shows_results_and_verification() {
        let check = KnownCheck {
            title: "a.B#c: culprit 87914ddf3a, fix available (2 tokens)".to_owned(),
            url: Some("https://x/1".to_owned()),
            summary: "**x**\n\n### Verification\n\n- 6 commits\n- @all ```\n\n### Reproduce\n\nx"
                .to_owned(),
        };
        let untitled_check =
            KnownCheck { title: String::new(), url: None, summary: "@all".to_owned() };
        insta::assert_snapshot!(explain_reply("ab11f313e4", "<!-- m -->", &[check, untitled_check]), @r"
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
        assert!(explain_reply("ab", "<!-- m -->", &[]).contains("`/mend retry`"));
    }
}
