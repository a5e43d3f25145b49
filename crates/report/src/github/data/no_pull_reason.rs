//! Reasons for not opening a fix pull request.

use std::fmt;

/// Reason for not opening a fix pull request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Withheld {
    /// The fix does not qualify.
    Refused(Refusal),
    /// The failing commit combines several pull requests.
    PutTogether,
    /// The failing commit is on no branch of the repository.
    NoBranch,
    /// The repository's settings disable fix pull requests.
    NotWanted,
    /// The token lacks the permission.
    NotAllowed,
    /// A pull request with this fix was merged.
    Merged(u64),
    /// A user closed a pull request with this fix.
    Closed(u64),
    /// An open pull request fixes the same culprit.
    SameCulprit(u64),
    /// This commit reverted the culprit.
    TakenBack(String),
    /// GitHub's error message.
    Forge(String),
}

impl fmt::Display for Withheld {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(refusal) => refusal.fmt(f),
            Self::PutTogether => f.write_str(
                "the failing commit combines several pull requests (merge queue or staging branch)",
            ),
            Self::NoBranch => f.write_str("the failing commit is on no branch of this repository"),
            Self::NotWanted => f.write_str("the settings of this repository disable them"),
            Self::NotAllowed => f.write_str("the token lacks the permission to open one"),
            Self::Merged(pull) => write!(f, "#{pull} with this fix was already merged"),
            Self::Closed(pull) => write!(f, "#{pull} with this fix was closed"),
            Self::SameCulprit(pull) => write!(f, "#{pull} already fixes the same culprit"),
            Self::TakenBack(commit) => write!(f, "{commit} reverted the culprit"),
            Self::Forge(said) => f.write_str(said),
        }
    }
}

/// Reason to refuse a fix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// It is not a patch, or it does not apply.
    DoesNotApply,
    /// It changes too many or too large files for a review.
    TooLarge,
    /// It changes something that no published fix may change.
    Touches(Forbidden),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::DoesNotApply => f.write_str("the fix does not apply to the failing commit"),
            Self::TooLarge => f.write_str("the fix is too large to review"),
            Self::Touches(what) => write!(f, "the fix changes {}", what.told()),
        }
    }
}

/// Change that no published fix may make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Forbidden {
    /// A path that leads, or may lead, outside the repository.
    Elsewhere,
    /// `.git`, `.github` and names that start like them.
    OfGit,
    /// A hidden file or folder.
    Hidden,
    /// A file that controls the build.
    OfBuild,
    /// A test, unless the settings allow it.
    Test,
    /// A script or an executable.
    Runnable,
    /// The executable bit of a file.
    RightToRun,
    /// A symbolic link, a submodule or a folder.
    NoFile,
    /// A file that the patch does not name.
    Unnamed,
    /// A file name that is not UTF-8.
    OddName,
    /// A file that is not UTF-8 text.
    NoText,
}

impl Forbidden {
    fn told(self) -> &'static str {
        match self {
            Self::Elsewhere => "a path that may lead outside the repository",
            Self::OfGit => "a git or GitHub configuration file",
            Self::Hidden => "a hidden file",
            Self::OfBuild => "a build file",
            Self::Test => "a test",
            Self::Runnable => "a script or an executable",
            Self::RightToRun => "the executable bit of a file",
            Self::NoFile => "a symbolic link, a submodule or a folder",
            Self::Unnamed => "a file that the patch does not name",
            Self::OddName => "a file whose name is not UTF-8",
            Self::NoText => "a file that is not UTF-8 text",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_reason_completes_the_sentence() {
        let touched = [
            Forbidden::Elsewhere,
            Forbidden::OfGit,
            Forbidden::Hidden,
            Forbidden::OfBuild,
            Forbidden::Test,
            Forbidden::Runnable,
            Forbidden::RightToRun,
            Forbidden::NoFile,
            Forbidden::Unnamed,
            Forbidden::OddName,
            Forbidden::NoText,
        ];
        let refusals = [Refusal::DoesNotApply, Refusal::TooLarge].into_iter();
        let refusals = refusals.chain(touched.map(Refusal::Touches)).map(Withheld::Refused);
        let others = [
            Withheld::PutTogether,
            Withheld::NoBranch,
            Withheld::NotWanted,
            Withheld::NotAllowed,
            Withheld::Merged(7),
            Withheld::Closed(7),
            Withheld::SameCulprit(7),
            Withheld::TakenBack("ab11f313e4".to_owned()),
            Withheld::Forge("GitHub says no".to_owned()),
        ];
        let told = |why: Withheld| format!("No fix pull request: {why}.");
        let all: Vec<String> = refusals.chain(others).map(told).collect();
        insta::assert_snapshot!(all.join("\n"), @r"
        No fix pull request: the fix does not apply to the failing commit.
        No fix pull request: the fix is too large to review.
        No fix pull request: the fix changes a path that may lead outside the repository.
        No fix pull request: the fix changes a git or GitHub configuration file.
        No fix pull request: the fix changes a hidden file.
        No fix pull request: the fix changes a build file.
        No fix pull request: the fix changes a test.
        No fix pull request: the fix changes a script or an executable.
        No fix pull request: the fix changes the executable bit of a file.
        No fix pull request: the fix changes a symbolic link, a submodule or a folder.
        No fix pull request: the fix changes a file that the patch does not name.
        No fix pull request: the fix changes a file whose name is not UTF-8.
        No fix pull request: the fix changes a file that is not UTF-8 text.
        No fix pull request: the failing commit combines several pull requests (merge queue or staging branch).
        No fix pull request: the failing commit is on no branch of this repository.
        No fix pull request: the settings of this repository disable them.
        No fix pull request: the token lacks the permission to open one.
        No fix pull request: #7 with this fix was already merged.
        No fix pull request: #7 with this fix was closed.
        No fix pull request: #7 already fixes the same culprit.
        No fix pull request: ab11f313e4 reverted the culprit.
        No fix pull request: GitHub says no.
        ");
    }
}
