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
    /// Returns a section of the summary. Any program may have written the summary, so its text is quoted as code.
    fn section(&self, title: &str) -> Option<&str> {
        let (_, rest) = self.summary.split_once(&format!("### {title}\n"))?;
        let end = ["\n### ", "\n---\n"].iter().filter_map(|end| rest.find(end)).min();
        Some(rest[..end.unwrap_or(rest.len())].trim())
    }

    /// Returns the commit in the section about the culprit or the suspect, with its subject and its author.
    fn commit(&self, role: &str) -> Option<String> {
        let line = self.section(role)?.lines().next()?;
        Some(without_markup(line)).filter(|text| !text.is_empty())
    }

    /// Returns the first patch of a section.
    fn patch(&self, title: &str) -> Option<&str> {
        let section = self.section(title)?;
        let (before, rest) = section.split_once("```diff\n")?;
        let longer = before.len() - before.trim_end_matches('`').len();
        let fence = format!("\n{}", "`".repeat(3 + longer));
        rest.split_once(&fence).map(|(patch, _)| patch)
    }
}

/// Removes code spans and the addresses of links from a line of Markdown.
fn without_markup(line: &str) -> String {
    let mut text = String::new();
    let mut rest = line;
    while let Some((start, after)) = rest.split_once("](") {
        text.push_str(start);
        rest = after.split_once(')').map_or("", |(_, after)| after);
    }
    (text + rest).replace(['`', '['], "")
}

/// Sections about the culprit. A suspect is not confirmed.
const CULPRIT_ROLES: [&str; 2] = ["Culprit", "Suspect"];

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
            summary: "**x**\n\n### Culprit\n\n[`87914ddf3a`](https://x/c) `Tidy up @all` by `Bruno Teig`\n\n\
                Minimal culprit:\n\n````diff\n--- a/A.java\n-a ```\n+b\n````\n\n### Verification\n\n- 6 commits\n\
                - @all ```\n\n### Reproduce\n\nx"
                .to_owned(),
        };
        let untitled_check =
            KnownCheck { title: String::new(), url: None, summary: "@all".to_owned() };
        insta::assert_snapshot!(explain_reply("ab11f313e4", "<!-- m -->", &[check, untitled_check]), @r"
        <!-- m -->
        Results for `ab11f313e4`:

        **`a.B#c: culprit 87914ddf3a, fix available (2 tokens)`** ([details](https://x/1))

        Culprit: `87914ddf3a Tidy up @all by Bruno Teig`

        ````diff
        --- a/A.java
        -a ```
        +b
        ````

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
