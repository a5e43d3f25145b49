//! Items that were not published, with the reason: one log line each.

use std::fmt;

/// Item to publish on GitHub.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Telling {
    /// The fix pull request.
    FixPull,
    /// Suggested changes on the lines of the pull request.
    Suggestions,
    /// The check run.
    CheckRun,
    /// The comment.
    Comment,
    /// Lookup of the pull request that contains the culprit.
    CulpritsPull,
    /// Closing of fix pull requests that are no longer needed.
    Closing,
}

impl Telling {
    fn named(self) -> &'static str {
        match self {
            Self::FixPull => "fix pull request",
            Self::Suggestions => "suggested changes",
            Self::CheckRun => "check run",
            Self::Comment => "comment",
            Self::CulpritsPull => "pull request of the culprit",
            Self::Closing => "closing of fix pull requests",
        }
    }
}

/// Unpublished item, with the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LeftOut {
    /// The token lacks the permission, or GitHub refused; with GitHub's message.
    Denied(Telling, String),
    /// The run has no commit id of the culprit.
    CulpritUnnamed,
    /// The culprit is not in the repository.
    CulpritUnknown,
    /// The culprit is not an ancestor of the failing commit.
    CulpritElsewhere,
    /// Everything: the run has no commit id of the failing version.
    RunUnnamed,
    /// Everything: the run is for a different commit than this one.
    RunElsewhere(String),
}

impl fmt::Display for LeftOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Denied(what, why) => write!(f, "{}: {why}", what.named()),
            Self::CulpritUnnamed => f.write_str("culprit: the run has no commit id of it"),
            Self::CulpritUnknown => f.write_str("culprit: its commit is not in this repository"),
            Self::CulpritElsewhere => {
                f.write_str("culprit: its commit is not an ancestor of the failing commit")
            }
            Self::RunUnnamed => f.write_str("the run has no commit id of the failing version"),
            Self::RunElsewhere(head) => write!(f, "the run is for a different commit than {head}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_left_out_is_named_with_its_reason() {
        let denied = [
            Telling::FixPull,
            Telling::Suggestions,
            Telling::CheckRun,
            Telling::Comment,
            Telling::CulpritsPull,
            Telling::Closing,
        ];
        let denied = denied.map(|what| LeftOut::Denied(what, "GitHub says no".to_owned()));
        let others = [
            LeftOut::CulpritUnnamed,
            LeftOut::CulpritUnknown,
            LeftOut::CulpritElsewhere,
            LeftOut::RunUnnamed,
            LeftOut::RunElsewhere("ab11f313e4".to_owned()),
        ];
        let told: Vec<String> =
            denied.into_iter().chain(others).map(|one| one.to_string()).collect();
        insta::assert_snapshot!(told.join("\n"), @r"
        fix pull request: GitHub says no
        suggested changes: GitHub says no
        check run: GitHub says no
        comment: GitHub says no
        pull request of the culprit: GitHub says no
        closing of fix pull requests: GitHub says no
        culprit: the run has no commit id of it
        culprit: its commit is not in this repository
        culprit: its commit is not an ancestor of the failing commit
        the run has no commit id of the failing version
        the run is for a different commit than ab11f313e4
        ");
    }
}
