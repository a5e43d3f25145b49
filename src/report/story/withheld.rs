//! Why a patch is not offered as a pull request.

use std::fmt;

/// Why there is no pull request, where there could be one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Withheld {
    /// The patch is not one that is offered.
    Refused(Refusal),
    /// What fails is several pull requests together.
    PutTogether,
    /// What fails is on no branch of the repository.
    NoBranch,
    /// The repository's settings.
    NotWanted,
    /// The token may not make one.
    NotAllowed,
    /// One was merged.
    Merged(u64),
    /// Somebody closed one.
    Closed(u64),
    /// Another one is there.
    SameCulprit(u64),
    /// The culprit is no longer there; by which commit.
    TakenBack(String),
    /// What GitHub says.
    Forge(String),
}

impl fmt::Display for Withheld {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(refusal) => refusal.fmt(f),
            Self::PutTogether => f.write_str("what fails was put together of pull requests"),
            Self::NoBranch => f.write_str("what fails is on no branch of this repository"),
            Self::NotWanted => f.write_str("the settings of this repository ask for none"),
            Self::NotAllowed => f.write_str("the token may not make one"),
            Self::Merged(pull) => write!(f, "#{pull} brought this patch already"),
            Self::Closed(pull) => write!(f, "somebody closed #{pull}"),
            Self::SameCulprit(pull) => write!(f, "#{pull} mends what the same commit broke"),
            Self::TakenBack(commit) => write!(f, "{commit} took back what broke it"),
            Self::Forge(said) => f.write_str(said),
        }
    }
}

/// What speaks against a patch itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// It is none, or does not fit.
    DoesNotApply,
    /// It touches more files than anybody reviews, or larger ones.
    TooLarge,
    /// It touches what it may not.
    Touches(Forbidden),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::DoesNotApply => f.write_str("the patch does not fit the commit"),
            Self::TooLarge => f.write_str("the patch is too large to be reviewed"),
            Self::Touches(what) => write!(f, "the patch touches {}", what.told()),
        }
    }
}

/// What no patch may touch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Forbidden {
    /// It leads out of the repository, or may.
    Elsewhere,
    /// `.git`, `.github` and what begins like them.
    OfGit,
    /// A hidden file or folder.
    Hidden,
    /// What decides what a build does.
    OfBuild,
    /// Tests, unless somebody asked.
    Test,
    /// A script or a program.
    Runnable,
    /// The right to run a file.
    RightToRun,
    /// A link, a module or a folder.
    NoFile,
    /// Something that the patch does not name.
    Unnamed,
    /// A name that cannot be shown.
    OddName,
    /// What nobody can read.
    NoText,
}

impl Forbidden {
    fn told(self) -> &'static str {
        match self {
            Self::Elsewhere => "a path that leads elsewhere",
            Self::OfGit => "a file of git or GitHub",
            Self::Hidden => "a hidden file",
            Self::OfBuild => "a file of the build",
            Self::Test => "a test",
            Self::Runnable => "a file that may be run",
            Self::RightToRun => "the right to be run of a file",
            Self::NoFile => "what is no file",
            Self::Unnamed => "a file that it does not name",
            Self::OddName => "a file with a name that is no UTF-8",
            Self::NoText => "what is no text in UTF-8",
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
        let told = |why: Withheld| format!("No pull request was made: {why}.");
        let all: Vec<String> = refusals.chain(others).map(told).collect();
        insta::assert_snapshot!(all.join("\n"), @r"
        No pull request was made: the patch does not fit the commit.
        No pull request was made: the patch is too large to be reviewed.
        No pull request was made: the patch touches a path that leads elsewhere.
        No pull request was made: the patch touches a file of git or GitHub.
        No pull request was made: the patch touches a hidden file.
        No pull request was made: the patch touches a file of the build.
        No pull request was made: the patch touches a test.
        No pull request was made: the patch touches a file that may be run.
        No pull request was made: the patch touches the right to be run of a file.
        No pull request was made: the patch touches what is no file.
        No pull request was made: the patch touches a file that it does not name.
        No pull request was made: the patch touches a file with a name that is no UTF-8.
        No pull request was made: the patch touches what is no text in UTF-8.
        No pull request was made: what fails was put together of pull requests.
        No pull request was made: what fails is on no branch of this repository.
        No pull request was made: the settings of this repository ask for none.
        No pull request was made: the token may not make one.
        No pull request was made: #7 brought this patch already.
        No pull request was made: somebody closed #7.
        No pull request was made: #7 mends what the same commit broke.
        No pull request was made: ab11f313e4 took back what broke it.
        No pull request was made: GitHub says no.
        ");
    }
}
