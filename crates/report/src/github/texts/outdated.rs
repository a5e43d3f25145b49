//! Texts of comments whose failure no longer exists.

use super::closing::{ClosingReason, CommitLink};
use askama::Template;
use std::fmt;

/// Maximum length of a comment on GitHub, in characters.
const MAX_COMMENT_CHARS: usize = 65_535;

/// Reason why a comment is outdated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OutdatedReason {
    /// The failure of the branch ended.
    Settled(ClosingReason),
    /// The pull request was merged, after a combination with others had failed.
    PullMerged,
    /// A merge group with the pull request passes at this commit.
    MergeGroupPasses(CommitLink),
}

impl fmt::Display for OutdatedReason {
    /// Formats the reason as plain text.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Settled(reason) => reason.fmt(f),
            Self::PullMerged => f.write_str("its pull request was merged"),
            Self::MergeGroupPasses(commit) => write!(f, "a merge group passes at {}", commit.0),
        }
    }
}

/// Outdated comment.
#[derive(Template)]
#[template(path = "outdated_comment.md")]
struct OutdatedComment<'a> {
    marker: &'a str,
    reason: &'a OutdatedReason,
    /// Former text, or `None` if the comment would be too long.
    former: Option<&'a str>,
}

/// Returns the text of an outdated comment: the reason, and the former text, folded. `former` begins with the former
/// marker. A former text that is too long is only in GitHub's history of the comment.
pub fn outdated_comment(marker: &str, reason: &OutdatedReason, former: &str) -> String {
    let former = former.split_once('\n').map_or("", |(_, text)| text).trim();
    let format = |former: Option<&str>| format!("{}\n", OutdatedComment { marker, reason, former });
    let full = format(Some(former));
    if full.chars().count() <= MAX_COMMENT_CHARS { full } else { format(None) }
}

/// Returns the line about an outdated comment for a summary or a log: plain text.
pub fn outdated_line(comment: &str, reason: &OutdatedReason) -> String {
    format!("Marked {comment} as outdated: {reason}.\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn link(short: &str) -> CommitLink {
        (short.to_owned(), format!("https://x/{short}"))
    }

    #[test]
    fn outdated_texts_name_the_reason_and_fold_the_former_result() {
        let passes =
            ClosingReason::BranchPasses { branch: "main".to_owned(), commit: link("ab11f313e4") };
        let reverted =
            ClosingReason::CulpritReverted { by: link("ab11f313e4"), culprit: link("87914ddf3a") };
        let reasons = [
            OutdatedReason::Settled(passes),
            OutdatedReason::Settled(reverted),
            OutdatedReason::PullMerged,
            OutdatedReason::MergeGroupPasses(link("ab11f313e4")),
        ];
        let former = "<!-- former -->\n**`a.B#c` fails.**\n\n<details>\n\nx\n\n</details>\n";
        let render = |reason: &OutdatedReason| {
            let text = outdated_comment("<!-- m -->", reason, former);
            format!("{text}{}", outdated_line("https://x/1", reason))
        };
        insta::assert_snapshot!(reasons.each_ref().map(render).join("\n"), @r"
        <!-- m -->
        Outdated: `main` passes again at [`ab11f313e4`](https://x/ab11f313e4).

        <details><summary>Former result</summary>

        **`a.B#c` fails.**

        <details>

        x

        </details>

        </details>
        Marked https://x/1 as outdated: the branch passes again.

        <!-- m -->
        Outdated: [`ab11f313e4`](https://x/ab11f313e4) reverted the culprit [`87914ddf3a`](https://x/87914ddf3a).

        <details><summary>Former result</summary>

        **`a.B#c` fails.**

        <details>

        x

        </details>

        </details>
        Marked https://x/1 as outdated: ab11f313e4 reverted the culprit 87914ddf3a.

        <!-- m -->
        Outdated: this pull request was merged.

        <details><summary>Former result</summary>

        **`a.B#c` fails.**

        <details>

        x

        </details>

        </details>
        Marked https://x/1 as outdated: its pull request was merged.

        <!-- m -->
        Outdated: a merge group with this pull request passes at [`ab11f313e4`](https://x/ab11f313e4).

        <details><summary>Former result</summary>

        **`a.B#c` fails.**

        <details>

        x

        </details>

        </details>
        Marked https://x/1 as outdated: a merge group passes at ab11f313e4.
        ");
    }

    #[test]
    fn former_result_is_omitted_if_the_comment_would_be_too_long() {
        let long = |count: usize| format!("<!-- former -->\n{}", "é".repeat(count));
        let text =
            |count| outdated_comment("<!-- m -->", &OutdatedReason::PullMerged, &long(count));
        assert!(text(65_000).contains("éé") && text(65_000).chars().count() <= MAX_COMMENT_CHARS);
        assert_eq!(text(65_500), "<!-- m -->\nOutdated: this pull request was merged.\n");
    }
}
