//! Why a fix pull request was closed.

use super::markdown::code;

/// A commit: its first digits and its page.
type Link = (String, String);

/// Why nobody needs a fix pull request any more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Closing {
    /// The branch is green again without it.
    Green {
        /// The branch.
        branch: String,
        /// The green commit.
        commit: Link,
    },
    /// Somebody took back what broke it.
    TakenBack {
        /// The commit that did.
        by: Link,
        /// What it took back.
        culprit: Link,
    },
}

/// The comment with which one is closed. It begins with `marker`, by which it is found again.
pub fn closing_comment(marker: &str, why: &Closing) -> String {
    let link = |(short, url): &Link| format!("[`{short}`]({url})");
    let why = match why {
        Closing::Green { branch, commit } => {
            format!("{} passes again at {} without this patch", code(branch), link(commit))
        }
        Closing::TakenBack { by, culprit } => {
            format!("{} took back {}, which broke the tests", link(by), link(culprit))
        }
    };
    format!(
        "{marker}\nClosed, as nobody needs it any more: {why}. If it is needed all the same, restore its branch if \
         that is gone, and reopen it: it stays open then.\n"
    )
}

/// The same in a line of plain text, for a summary or a log.
pub fn closing_line(pull: &str, why: &Closing) -> String {
    match why {
        Closing::Green { .. } => format!("Closed {pull}: the branch is green again.\n"),
        Closing::TakenBack { by, culprit } => {
            format!("Closed {pull}: {} took back {}, which broke the tests.\n", by.0, culprit.0)
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
        Closed, as nobody needs it any more: `main` passes again at [`ab11f313e4`](https://x/ab11f313e4) without this patch. If it is needed all the same, restore its branch if that is gone, and reopen it: it stays open then.
        Closed #9: the branch is green again.

        <!-- m -->
        Closed, as nobody needs it any more: [`ab11f313e4`](https://x/ab11f313e4) took back [`87914ddf3a`](https://x/87914ddf3a), which broke the tests. If it is needed all the same, restore its branch if that is gone, and reopen it: it stays open then.
        Closed #9: ab11f313e4 took back 87914ddf3a, which broke the tests.
        ");
    }
}
