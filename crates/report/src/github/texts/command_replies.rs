//! Replies to commands in comments.

use crate::github::filters;
use askama::Template;

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

impl KnownCheck {
    /// Returns the verification section of the summary. Any program may have written the summary, so the section is
    /// quoted verbatim.
    fn verification_text(&self) -> Option<&str> {
        let (_, rest) = self.summary.split_once("### Verification\n")?;
        let end = ["\n###", "\n---"].iter().filter_map(|end| rest.find(end)).min();
        Some(rest[..end.unwrap_or(rest.len())].trim())
    }
}

/// Reply to `/mend explain`.
#[derive(Template)]
#[template(path = "explain_reply.md")]
struct ExplainReply<'a> {
    commit: &'a str,
    marker: &'a str,
    checks: &'a [KnownCheck],
}

/// Returns the reply to `/mend explain`: the results known for a commit. It begins with `marker`, which identifies it
/// later.
pub fn explain_reply(commit: &str, marker: &str, checks: &[KnownCheck]) -> String {
    format!("{}\n", ExplainReply { commit, marker, checks })
}

/// Reply to users without write access.
#[derive(Template)]
#[template(path = "permission_reply.md")]
struct PermissionReply<'a> {
    marker: &'a str,
}

/// Returns the reply to users without write access. It begins with `marker`, which identifies it later.
pub fn permission_reply(marker: &str) -> String {
    format!("{}\n", PermissionReply { marker })
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
