//! Reasons for unpublished items, as lines of a log.

use std::fmt;

/// Item to publish on GitHub.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputKind {
    /// Fix pull request.
    FixPull,
    /// Labels of the fix pull request.
    Labels,
    /// Suggested changes on the lines of the pull request.
    Suggestions,
    /// Check run.
    CheckRun,
    /// Comment.
    Comment,
    /// Lookup of the pull request that contains the culprit.
    CulpritPull,
    /// Closing of fix pull requests that are no longer needed.
    Closing,
    /// Marking of comments that are outdated.
    OutdatedComment,
}

impl OutputKind {
    fn description(self) -> &'static str {
        match self {
            Self::FixPull => "fix pull request",
            Self::Labels => "labels of the fix pull request",
            Self::Suggestions => "suggested changes",
            Self::CheckRun => "check run",
            Self::Comment => "comment",
            Self::CulpritPull => "pull request of the culprit",
            Self::Closing => "closing of fix pull requests",
            Self::OutdatedComment => "marking of outdated comments",
        }
    }
}

/// Unpublished item, with the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SkippedOutput {
    /// The token lacks the permission, or GitHub refused; with GitHub's message.
    Denied(OutputKind, String),
    /// The run has no commit id of the culprit.
    NoCulpritId,
    /// The culprit is not in the repository.
    CulpritNotInRepository,
    /// The culprit is not an ancestor of the failing commit.
    CulpritNotAncestor,
    /// Nothing is published, because the run has no commit id of the failing version.
    NoRunCommit,
    /// Nothing is published, because the run is for another commit than this one.
    OtherRunCommit(String),
}

impl fmt::Display for SkippedOutput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Denied(what, why) => write!(f, "{}: {why}", what.description()),
            Self::NoCulpritId => f.write_str("culprit: the run has no commit id of it"),
            Self::CulpritNotInRepository => {
                f.write_str("culprit: its commit is not in this repository")
            }
            Self::CulpritNotAncestor => {
                f.write_str("culprit: its commit is not an ancestor of the failing commit")
            }
            Self::NoRunCommit => f.write_str("the run has no commit id of the failing version"),
            Self::OtherRunCommit(head) => {
                write!(f, "the run is for a different commit than {head}")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn skipped_output_is_named_with_its_reason() {
        let denied = [
            OutputKind::FixPull,
            OutputKind::Labels,
            OutputKind::Suggestions,
            OutputKind::CheckRun,
            OutputKind::Comment,
            OutputKind::CulpritPull,
            OutputKind::Closing,
            OutputKind::OutdatedComment,
        ];
        let denied = denied.map(|what| SkippedOutput::Denied(what, "GitHub says no".to_owned()));
        let other_outputs = [
            SkippedOutput::NoCulpritId,
            SkippedOutput::CulpritNotInRepository,
            SkippedOutput::CulpritNotAncestor,
            SkippedOutput::NoRunCommit,
            SkippedOutput::OtherRunCommit("ab11f313e4".to_owned()),
        ];
        let lines: Vec<String> =
            denied.into_iter().chain(other_outputs).map(|one| one.to_string()).collect();
        insta::assert_snapshot!(lines.join("\n"), @r"
        fix pull request: GitHub says no
        labels of the fix pull request: GitHub says no
        suggested changes: GitHub says no
        check run: GitHub says no
        comment: GitHub says no
        pull request of the culprit: GitHub says no
        closing of fix pull requests: GitHub says no
        marking of outdated comments: GitHub says no
        culprit: the run has no commit id of it
        culprit: its commit is not in this repository
        culprit: its commit is not an ancestor of the failing commit
        the run has no commit id of the failing version
        the run is for a different commit than ab11f313e4
        ");
    }
}
