//! Texts about closed fix pull requests.

use crate::github::markdown::code;

/// Commit: its abbreviated id and the address of its page.
type Link = (String, String);

/// Reason why a fix pull request is no longer needed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Closing {
    /// The branch passes again without the fix.
    Green {
        /// The branch.
        branch: String,
        /// The passing commit.
        commit: Link,
    },
    /// A commit reverted the culprit.
    TakenBack {
        /// The reverting commit.
        by: Link,
        /// The reverted culprit.
        culprit: Link,
    },
}

/// Returns the comment on a closed fix pull request. It begins with `marker`, which identifies it later.
pub fn closing_comment(marker: &str, why: &Closing) -> String {
    let link = |(short, url): &Link| format!("[`{short}`]({url})");
    let why = match why {
        Closing::Green { branch, commit } => {
            format!("{} passes again at {} without it", code(branch), link(commit))
        }
        Closing::TakenBack { by, culprit } => {
            format!("{} reverted the culprit {}", link(by), link(culprit))
        }
    };
    format!(
        "{marker}\nClosed because this fix is no longer needed: {why}. To keep it, restore its branch if necessary and \
         reopen this pull request. git-mend will not close it again.\n"
    )
}

/// Returns the line about a closed fix pull request for a summary or a log: plain text.
pub fn closing_line(pull: &str, why: &Closing) -> String {
    match why {
        Closing::Green { .. } => format!("Closed {pull}: the branch passes again.\n"),
        Closing::TakenBack { by, culprit } => {
            format!("Closed {pull}: {} reverted the culprit {}.\n", by.0, culprit.0)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pull_request_that_is_closed_says_why() {
        let link = |short: &str| (short.to_owned(), format!("https://x/{short}"));
        let green = Closing::Green { branch: "main".to_owned(), commit: link("ab11f313e4") };
        let back = Closing::TakenBack { by: link("ab11f313e4"), culprit: link("87914ddf3a") };
        let told =
            |why| format!("{}{}", closing_comment("<!-- m -->", why), closing_line("#9", why));
        insta::assert_snapshot!([&green, &back].map(told).join("\n"), @r"
        <!-- m -->
        Closed because this fix is no longer needed: `main` passes again at [`ab11f313e4`](https://x/ab11f313e4) without it. To keep it, restore its branch if necessary and reopen this pull request. git-mend will not close it again.
        Closed #9: the branch passes again.

        <!-- m -->
        Closed because this fix is no longer needed: [`ab11f313e4`](https://x/ab11f313e4) reverted the culprit [`87914ddf3a`](https://x/87914ddf3a). To keep it, restore its branch if necessary and reopen this pull request. git-mend will not close it again.
        Closed #9: ab11f313e4 reverted the culprit 87914ddf3a.
        ");
    }
}
