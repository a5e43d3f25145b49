//! Texts about closed fix pull requests.

use askama::Template;
use std::fmt;

/// Commit: its abbreviated id and the address of its page.
pub type CommitLink = (String, String);

/// Reason why a fix pull request is no longer needed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClosingReason {
    /// The branch passes again without the fix.
    BranchPasses {
        /// Name of the branch.
        branch: String,
        /// Passing commit.
        commit: CommitLink,
    },
    /// A commit reverted the culprit.
    CulpritReverted {
        /// Reverting commit.
        by: CommitLink,
        /// Reverted culprit.
        culprit: CommitLink,
    },
}

/// Comment on a closed fix pull request.
#[derive(Template)]
#[template(path = "closing_comment.md")]
struct ClosingComment<'a> {
    marker: &'a str,
    reason: &'a ClosingReason,
}

/// Returns the comment on a closed fix pull request. It begins with `marker`, which identifies it later.
pub fn closing_comment(marker: &str, reason: &ClosingReason) -> String {
    format!("{}\n", ClosingComment { marker, reason })
}

/// Returns the line about a closed fix pull request for a summary or a log: plain text.
pub fn closing_line(pull: &str, reason: &ClosingReason) -> String {
    format!("Closed {pull}: {reason}.\n")
}

impl fmt::Display for ClosingReason {
    /// Formats the reason as plain text.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BranchPasses { .. } => f.write_str("the branch passes again"),
            Self::CulpritReverted { by, culprit } => {
                write!(f, "{} reverted the culprit {}", by.0, culprit.0)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closing_texts_name_the_reason() {
        let link = |short: &str| (short.to_owned(), format!("https://x/{short}"));
        let branch_passes =
            ClosingReason::BranchPasses { branch: "main".to_owned(), commit: link("ab11f313e4") };
        let culprit_reverted =
            ClosingReason::CulpritReverted { by: link("ab11f313e4"), culprit: link("87914ddf3a") };
        let render =
            |why| format!("{}{}", closing_comment("<!-- m -->", why), closing_line("#9", why));
        insta::assert_snapshot!([&branch_passes, &culprit_reverted].map(render).join("\n"), @r"
        <!-- m -->
        Closed because this fix is no longer needed: `main` passes again at [`ab11f313e4`](https://x/ab11f313e4) without it. To keep it, restore its branch if necessary and reopen this pull request. git-mend will not close it again.
        Closed #9: the branch passes again.

        <!-- m -->
        Closed because this fix is no longer needed: [`ab11f313e4`](https://x/ab11f313e4) reverted the culprit [`87914ddf3a`](https://x/87914ddf3a). To keep it, restore its branch if necessary and reopen this pull request. git-mend will not close it again.
        Closed #9: ab11f313e4 reverted the culprit 87914ddf3a.
        ");
    }
}
