//! Reasons for not opening a fix pull request, with their texts.

use std::fmt;

/// Reason for not opening a fix pull request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoPullReason {
    /// The fix does not qualify.
    UnsuitableFix(FixRefusal),
    /// The failing commit combines several pull requests.
    CombinedPulls,
    /// The failing commit is on no branch of the repository.
    NoBranch,
    /// The repository's settings disable fix pull requests.
    Disabled,
    /// The token lacks the permission.
    NoPermission,
    /// A pull request with this fix was merged.
    Merged(u64),
    /// A user closed a pull request with this fix.
    Closed(u64),
    /// An open pull request fixes the same culprit.
    SameCulprit(u64),
    /// A commit, given by its id, reverted the culprit.
    CulpritReverted(String),
    /// GitHub's error message.
    GitHub(String),
}

impl fmt::Display for NoPullReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnsuitableFix(refusal) => refusal.fmt(f),
            Self::CombinedPulls => f.write_str(
                "the failing commit combines several pull requests (merge queue or staging branch)",
            ),
            Self::NoBranch => f.write_str("the failing commit is on no branch of this repository"),
            Self::Disabled => f.write_str("the settings of this repository disable them"),
            Self::NoPermission => f.write_str("the token lacks the permission to open one"),
            Self::Merged(pull) => write!(f, "#{pull} with this fix was already merged"),
            Self::Closed(pull) => write!(f, "#{pull} with this fix was closed"),
            Self::SameCulprit(pull) => write!(f, "#{pull} already fixes the same culprit"),
            Self::CulpritReverted(commit) => write!(f, "{commit} reverted the culprit"),
            Self::GitHub(said) => f.write_str(said),
        }
    }
}

/// Reason to refuse a fix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FixRefusal {
    /// Invalid patch, or a patch that does not apply.
    DoesNotApply,
    /// Too many or too large files for a review.
    TooLarge,
    /// Forbidden change.
    ForbiddenChange(ForbiddenPath),
}

impl fmt::Display for FixRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::DoesNotApply => f.write_str("the fix does not apply to the failing commit"),
            Self::TooLarge => f.write_str("the fix is too large to review"),
            Self::ForbiddenChange(what) => write!(f, "the fix changes {}", what.description()),
        }
    }
}

/// Change that no published fix may make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ForbiddenPath {
    /// A path that leads, or may lead, outside the repository.
    OutsideRepository,
    /// `.git`, `.github` and names that start like them.
    GitFolder,
    /// A hidden file or folder.
    Hidden,
    /// A file that controls the build.
    BuildFile,
    /// A test, unless the settings allow it.
    Test,
    /// A script or an executable.
    Executable,
    /// The executable bit of a file.
    ExecutableBit,
    /// A symbolic link, a submodule or a folder.
    NotRegularFile,
    /// A file that the patch does not name.
    NotInPatch,
    /// A file name that is not UTF-8.
    NonUtf8Name,
    /// A file that is not UTF-8 text.
    NotText,
}

impl ForbiddenPath {
    fn description(self) -> &'static str {
        match self {
            Self::OutsideRepository => "a path that may lead outside the repository",
            Self::GitFolder => "a git or GitHub configuration file",
            Self::Hidden => "a hidden file",
            Self::BuildFile => "a build file",
            Self::Test => "a test",
            Self::Executable => "a script or an executable",
            Self::ExecutableBit => "the executable bit of a file",
            Self::NotRegularFile => "a symbolic link, a submodule or a folder",
            Self::NotInPatch => "a file that the patch does not name",
            Self::NonUtf8Name => "a file whose name is not UTF-8",
            Self::NotText => "a file that is not UTF-8 text",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_no_pull_reason_completes_the_sentence() {
        let forbidden_paths = [
            ForbiddenPath::OutsideRepository,
            ForbiddenPath::GitFolder,
            ForbiddenPath::Hidden,
            ForbiddenPath::BuildFile,
            ForbiddenPath::Test,
            ForbiddenPath::Executable,
            ForbiddenPath::ExecutableBit,
            ForbiddenPath::NotRegularFile,
            ForbiddenPath::NotInPatch,
            ForbiddenPath::NonUtf8Name,
            ForbiddenPath::NotText,
        ];
        let refusals = [FixRefusal::DoesNotApply, FixRefusal::TooLarge].into_iter();
        let refusals = refusals
            .chain(forbidden_paths.map(FixRefusal::ForbiddenChange))
            .map(NoPullReason::UnsuitableFix);
        let other_reasons = [
            NoPullReason::CombinedPulls,
            NoPullReason::NoBranch,
            NoPullReason::Disabled,
            NoPullReason::NoPermission,
            NoPullReason::Merged(7),
            NoPullReason::Closed(7),
            NoPullReason::SameCulprit(7),
            NoPullReason::CulpritReverted("ab11f313e4".to_owned()),
            NoPullReason::GitHub("GitHub says no".to_owned()),
        ];
        let sentence = |why: NoPullReason| format!("No fix pull request: {why}.");
        let sentences: Vec<String> = refusals.chain(other_reasons).map(sentence).collect();
        insta::assert_snapshot!(sentences.join("\n"), @r"
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
