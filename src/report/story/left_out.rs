//! What was not told, and why: a line each for the log.

use std::fmt;

/// What there is to be on GitHub.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Telling {
    /// The fix pull request.
    FixPull,
    /// Suggestions in the changed lines.
    Suggestions,
    /// The check run.
    CheckRun,
    /// The comment.
    Comment,
    /// Which pull request brought the culprit.
    CulpritsPull,
    /// That fix pull requests are closed which nobody needs.
    Closing,
}

impl Telling {
    fn named(self) -> &'static str {
        match self {
            Self::FixPull => "a fix pull request",
            Self::Suggestions => "suggestions",
            Self::CheckRun => "a check run",
            Self::Comment => "a comment",
            Self::CulpritsPull => "the culprit's pull request",
            Self::Closing => "closing pull requests",
        }
    }
}

/// What was left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LeftOut {
    /// The token may not do it, or GitHub did not; with what GitHub says.
    Denied(Telling, String),
    /// The culprit is not named by a commit.
    CulpritUnnamed,
    /// The repository does not have the culprit.
    CulpritUnknown,
    /// The culprit did not come before what failed.
    CulpritElsewhere,
    /// All of it: the run does not say which commit it is about.
    RunUnnamed,
    /// All of it: the run is about another commit than this one.
    RunElsewhere(String),
}

impl fmt::Display for LeftOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Denied(what, why) => write!(f, "{}: {why}", what.named()),
            Self::CulpritUnnamed => f.write_str("the culprit: the run names no commit"),
            Self::CulpritUnknown => {
                f.write_str("the culprit: the repository does not have that commit")
            }
            Self::CulpritElsewhere => {
                f.write_str("the culprit: that commit is not in the history of what failed")
            }
            Self::RunUnnamed => f.write_str("the run names no commit"),
            Self::RunElsewhere(head) => write!(f, "the run is about another commit than {head}"),
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
        a fix pull request: GitHub says no
        suggestions: GitHub says no
        a check run: GitHub says no
        a comment: GitHub says no
        the culprit's pull request: GitHub says no
        closing pull requests: GitHub says no
        the culprit: the run names no commit
        the culprit: the repository does not have that commit
        the culprit: that commit is not in the history of what failed
        the run names no commit
        the run is about another commit than ab11f313e4
        ");
    }
}
