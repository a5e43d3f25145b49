//! Everything that can go wrong in a way the user is told about: the words, the remedy and the exit
//! code stand here and nowhere else.

use super::{Secrets, lasting};
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

/// The program's exit codes, as scripts rely on them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// Found what was asked for.
    Found = 0,
    /// Searched, and there is none.
    NotFound = 1,
    /// The command line or its input is wrong.
    Usage = 2,
    /// The premise is false: good does not pass, or bad does not fail.
    Premise = 3,
    /// Something is missing on this machine, or the build is broken.
    Environment = 4,
    /// The test is flaky beyond the asked certainty.
    Flaky = 5,
    /// Our own fault.
    Internal = 70,
    /// Interrupted.
    Interrupted = 130,
}

/// One of the two versions that a run compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The version that passes.
    Good,
    /// The version that fails.
    Bad,
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Good => "good",
            Self::Bad => "bad",
        })
    }
}

/// What the user is told when a run cannot go on. `Display` is the one line that says what is wrong;
/// [`Problem::remedy`] says what to do next and [`Problem::output`] shows the evidence.
#[derive(Debug, thiserror::Error)]
pub enum Problem {
    /// The folder belongs to no repository.
    #[error("{} is not inside a git repository", .0.display())]
    NotARepository(PathBuf),
    /// A revision that names nothing.
    #[error("`{spec}` names no commit here{}", did_you_mean(.near))]
    UnknownRevision {
        /// As the user wrote it.
        spec: String,
        /// Names like it, best first.
        near: Vec<String>,
    },
    /// A repository of a kind that cannot be read.
    #[error("this repository {what}, which git-mend cannot read")]
    UnsupportedRepository {
        /// Completes "this repository …".
        what: String,
        /// What to do about it.
        remedy: String,
    },
    /// Objects that the range needs are not here.
    #[error("this is a {kind} clone, and the range needs history or files that it lacks")]
    IncompleteClone {
        /// `shallow` or `partial`.
        kind: &'static str,
        /// The command that brings the rest.
        remedy: String,
    },
    /// Nothing differs.
    #[error("good and bad are the same outside the tests: there is no change to take apart")]
    IdenticalTrees,
    /// A selector that matches no test.
    #[error("`{selector}` matches no test{}", did_you_mean(.near))]
    NoSuchTest {
        /// As the user wrote it.
        selector: String,
        /// Tests with names like it, best first.
        near: Vec<String>,
    },
    /// The command line contradicts itself or lacks something.
    #[error("{message}")]
    Usage {
        /// One line.
        message: String,
        /// What to type instead.
        remedy: String,
    },
    /// The good version fails too.
    #[error("the premise is false: good ({revision}) does not pass")]
    GoodDoesNotPass {
        /// What good is.
        revision: String,
        /// What the test said.
        output: String,
    },
    /// The good version does not end.
    #[error("the premise is false: good ({revision}) does not end within {}", lasting(*.limit))]
    GoodDoesNotEnd {
        /// What good is.
        revision: String,
        /// How long it was waited for.
        limit: Duration,
        /// What the test said, and which it was.
        output: String,
    },
    /// The bad version passes.
    #[error("the premise is false: bad ({revision}) does not fail")]
    BadDoesNotFail {
        /// What bad is.
        revision: String,
        /// What the test said.
        output: String,
    },
    /// Good fails and bad passes.
    #[error("the premise is false: good fails and bad passes; are they swapped?")]
    Swapped,
    /// Good has no line of descent to bad, and where they part the test fails.
    #[error(
        "the test fails at {merge_base}, where good and bad part: good was mended on its own side"
    )]
    GoodWasMended {
        /// The commit where they part.
        merge_base: String,
    },
    /// No commit before bad passes.
    #[error(
        "no good commit found: the test passes at none of the {tried} commits tried before {bad}"
    )]
    NoGoodCommit {
        /// What bad is.
        bad: String,
        /// How many were tried.
        tried: usize,
    },
    /// No usable JDK.
    #[error("no JDK found: {detail}")]
    NoJdk {
        /// What was looked for.
        detail: String,
    },
    /// The JDK is too old for what is asked.
    #[error("{what} needs JDK {needed} or newer, and this is {found}")]
    JdkTooOld {
        /// What was asked.
        what: &'static str,
        /// The oldest feature release that will do.
        needed: u32,
        /// The version of the JDK.
        found: String,
    },
    /// A program that must be there is not.
    #[error("cannot run `{program}`: {reason}")]
    ProgramMissing {
        /// As it was called.
        program: String,
        /// What the system said.
        reason: String,
    },
    /// A version that must build does not.
    #[error("{side} ({revision}) does not build")]
    BuildBroken {
        /// Which of the two.
        side: Side,
        /// What it is.
        revision: String,
        /// What the compiler said.
        output: String,
        /// Libraries that the build file names and that are not on this machine.
        missing: Vec<String>,
    },
    /// No source folder was found.
    #[error("no Java sources found in {looked}")]
    NoSources {
        /// Where they were looked for.
        looked: String,
    },
    /// A library that the user names is not there.
    #[error("{} names {library}, which is not there", .file.display())]
    LibraryMissing {
        /// The file that names it.
        file: PathBuf,
        /// As it is written there.
        library: String,
    },
    /// The user's command cannot be run.
    #[error("the command cannot be run on {side}: it exited with {code}")]
    CommandBroken {
        /// Which of the two.
        side: Side,
        /// 126 or 127.
        code: i32,
        /// What it printed.
        output: String,
    },
    /// The user's command asked to stop.
    #[error("the command stopped the run: it exited with {code}")]
    CommandStopped {
        /// Above 127.
        code: i32,
        /// What it printed.
        output: String,
    },
    /// No room left.
    #[error("the disk is full: cannot write {}", .path.display())]
    DiskFull {
        /// What was being written.
        path: PathBuf,
    },
    /// A baseline that does not repeat.
    #[error("{side} is flaky: it passed {passed} of {runs} times")]
    FlakyBaseline {
        /// Which of the two.
        side: Side,
        /// How many runs passed.
        passed: usize,
        /// How many there were.
        runs: usize,
    },
    /// Good and bad fail equally often, as far as can be told.
    #[error(
        "no culprit, it is noise: the test fails in {good} of {runs} runs of good and in {bad} of {runs} of bad"
    )]
    Noise {
        /// How many runs of good failed.
        good: usize,
        /// How many runs of bad failed.
        bad: usize,
        /// How many runs there were of each.
        runs: usize,
    },
    /// A flaky test that would take more runs than there may be.
    #[error("the test is too flaky: after {runs} runs the search is not certain")]
    RunsSpent {
        /// How many there were.
        runs: usize,
    },
    /// A patch that a clean checkout does not bear out.
    #[error("{what} was found, but a clean checkout does not confirm it")]
    NotConfirmed {
        /// The patch.
        what: String,
        /// What the test said there.
        output: String,
    },
    /// Tests whose threads cannot be held up one by one.
    #[error("the tests do not run under control: {why}")]
    NotControlled {
        /// What stands in the way.
        why: String,
        /// What the JVM printed.
        output: String,
    },
    /// A patch with which other things run than without it.
    #[error("schedules cannot judge the patch: {why}")]
    NotComparable {
        /// What is not as before.
        why: String,
    },
    /// GitHub does not do what was asked.
    #[error("{message}")]
    Forge {
        /// What was to be done, and what GitHub says.
        message: String,
        /// What to do about it.
        remedy: String,
    },
    /// Somebody asked to stop.
    #[error("interrupted")]
    Interrupted,
    /// Our own fault, or a system error that has no remedy of its own.
    #[error("{0:#}")]
    Internal(anyhow::Error),
}

fn did_you_mean(near: &[String]) -> String {
    if near.is_empty() { String::new() } else { format!("; did you mean {}?", near.join(", ")) }
}

impl Problem {
    /// The code that the program ends with.
    pub fn exit(&self) -> Exit {
        match self {
            Self::NotARepository(_)
            | Self::UnknownRevision { .. }
            | Self::IdenticalTrees
            | Self::NoSuchTest { .. }
            | Self::Usage { .. } => Exit::Usage,
            Self::GoodDoesNotPass { .. }
            | Self::GoodDoesNotEnd { .. }
            | Self::BadDoesNotFail { .. }
            | Self::Swapped
            | Self::GoodWasMended { .. }
            | Self::NoGoodCommit { .. } => Exit::Premise,
            Self::UnsupportedRepository { .. }
            | Self::IncompleteClone { .. }
            | Self::NoJdk { .. }
            | Self::JdkTooOld { .. }
            | Self::ProgramMissing { .. }
            | Self::BuildBroken { .. }
            | Self::NoSources { .. }
            | Self::LibraryMissing { .. }
            | Self::CommandBroken { .. }
            | Self::CommandStopped { .. }
            | Self::NotControlled { .. }
            | Self::NotComparable { .. }
            | Self::Forge { .. }
            | Self::DiskFull { .. } => Exit::Environment,
            Self::FlakyBaseline { .. }
            | Self::Noise { .. }
            | Self::RunsSpent { .. }
            | Self::NotConfirmed { .. } => Exit::Flaky,
            Self::Interrupted => Exit::Interrupted,
            Self::Internal(_) => Exit::Internal,
        }
    }

    /// What to do next, in one line.
    pub fn remedy(&self) -> String {
        match self {
            Self::NotARepository(_) => {
                "run it inside a clone, name one with -C DIR, or give two folders as --good and --bad".into()
            }
            Self::UnknownRevision { .. } => "`git log --oneline` lists commits, `git tag` tags".into(),
            Self::UnsupportedRepository { remedy, .. }
            | Self::IncompleteClone { remedy, .. }
            | Self::Forge { remedy, .. }
            | Self::Usage { remedy, .. } => remedy.clone(),
            Self::IdenticalTrees => "check --good and --bad; add `--units all` if the change is in test code".into(),
            Self::NoSuchTest { .. } => "write --test pkg.Class, --test pkg.Class#method or a glob".into(),
            Self::GoodDoesNotPass { .. } => {
                "name an older --good, or let `--good auto` look for one; if the symptom differs, narrow --test".into()
            }
            Self::GoodDoesNotEnd { .. } => {
                "allow more with --timeout, such as --timeout 30m, or narrow --test to tests that end".into()
            }
            Self::BadDoesNotFail { .. } => {
                "check --bad and --test; if the test fails only sometimes, use --repeat auto".into()
            }
            Self::Swapped => "exchange --good and --bad".into(),
            Self::GoodWasMended { .. } => "name a --good that is an ancestor of --bad".into(),
            Self::NoGoodCommit { .. } => "name a commit that passed with --good".into(),
            Self::NoJdk { .. } => {
                "install a JDK 8 or newer (on Debian: apt-get install default-jdk-headless) or set JAVA_HOME".into()
            }
            Self::JdkTooOld { needed, .. } => {
                format!("set JAVA_HOME to a JDK {needed} or newer; `git mend doctor` lists those that are here")
            }
            Self::ProgramMissing { program, .. } if program.contains('/') => {
                format!("see that `{program}` is committed and executable: commands run in a clean checkout")
            }
            Self::ProgramMissing { program, .. } => format!("install `{program}` and see that PATH leads to it"),
            Self::BuildBroken { missing, output, .. } if !missing.is_empty() && may_lack_libraries(output) => {
                format!("not on this machine: {}; download them, or name the jars with --classpath", missing.join(", "))
            }
            Self::BuildBroken { side: Side::Bad, .. } => {
                "to find what broke the build, give the build itself: git mend bisect --good REV -- mvn -q test-compile; if it builds by hand, name jars with --classpath, folders with --source".into()
            }
            Self::BuildBroken { .. } => {
                "see that it builds by hand; name jars with --classpath, folders with --source, or give your own command after `--`".into()
            }
            Self::NoSources { .. } => "name the source folder with --source, or give your own command after `--`".into(),
            Self::LibraryMissing { file, .. } => format!("put it there, or correct {}", file.display()),
            Self::CommandBroken { .. } => {
                "the command runs in a clean checkout: name its files relative to the repository's root, and see that it is executable".into()
            }
            Self::CommandStopped { .. } => "exit codes above 127 stop a run; use 125 for \"cannot be tested\"".into(),
            Self::DiskFull { .. } => "free some room and run the same command with --resume".into(),
            Self::FlakyBaseline { .. } => "use --repeat auto, or narrow --test to the test that fails every time".into(),
            Self::Noise { .. } | Self::RunsSpent { .. } => {
                "mend what makes the test flaky first, or name with --symptom a failure that only bad shows".into()
            }
            Self::NotConfirmed { .. } => {
                "the test may depend on what ran before it, or on chance: use --repeat auto".into()
            }
            Self::NotControlled { .. } => {
                "narrow --test to a test whose threads only wait for each other; docs/schedules.md says what is controlled".into()
            }
            Self::NotComparable { .. } => {
                "name with --test a test whose threads run what the patch changes, with it and without it; where tests were \
                 not sampled, raise --schedules or leave --strategy out"
                    .into()
            }
            Self::Interrupted => "run the same command with --resume to go on".into(),
            Self::Internal(_) => "please report it with the file named below".into(),
        }
    }

    /// What a test, compiler or command said, where that is the evidence.
    pub fn output(&self) -> Option<&str> {
        match self {
            Self::GoodDoesNotPass { output, .. }
            | Self::GoodDoesNotEnd { output, .. }
            | Self::BadDoesNotFail { output, .. }
            | Self::BuildBroken { output, .. }
            | Self::CommandBroken { output, .. }
            | Self::CommandStopped { output, .. }
            | Self::NotConfirmed { output, .. }
            | Self::NotControlled { output, .. } => Some(output),
            _ => None,
        }
    }

    /// The same, with nothing secret in what a JVM said of its threads. What else is shown as evidence comes from outcomes,
    /// which have no secrets.
    #[must_use]
    pub fn hiding(self, secrets: &Secrets) -> Self {
        match self {
            Self::NotControlled { mut why, mut output } => {
                secrets.hide_in(&mut why);
                secrets.hide_in(&mut output);
                Self::NotControlled { why, output }
            }
            other => other,
        }
    }

    /// Why a file that a user names cannot be read, in words alone, for a message that goes on or ends with it.
    pub fn reason(error: &std::io::Error) -> String {
        let text = error.to_string();
        text.split(" (os error").next().unwrap_or_default().to_owned()
    }

    /// An input or output error on `path`, told apart by whether the disk is full.
    pub fn io(error: std::io::Error, path: impl Into<PathBuf>) -> Self {
        let path = path.into();
        match error.kind() {
            std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => {
                Self::DiskFull { path }
            }
            _ => Self::Internal(anyhow::Error::new(error).context(path.display().to_string())),
        }
    }
}

impl From<anyhow::Error> for Problem {
    fn from(error: anyhow::Error) -> Self {
        Self::Internal(error)
    }
}

/// Whether what a compiler said may come from libraries that are not there; what is not in English may.
fn may_lack_libraries(said: &str) -> bool {
    let signs = [
        " does not exist",
        "cannot access ",
        "class file for ",
        "module not found",
        "location: package",
    ];
    !said.contains(" error: ") || signs.iter().any(|sign| said.contains(sign))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn remedy(side: Side, said: &str) -> String {
        let (revision, missing) = ("HEAD".to_owned(), vec!["org.example:lib:1".to_owned()]);
        Problem::BuildBroken { side, revision, output: said.to_owned(), missing }.remedy()
    }

    #[test]
    fn libraries_are_to_blame_only_for_what_they_may_have_caused() {
        let lacking = "A.java:3: error: package org.example does not exist\n";
        let localised = "A.java:3: Fehler: Package org.example ist nicht vorhanden\n";
        for said in [lacking, localised] {
            assert!(remedy(Side::Bad, said).starts_with("not on this machine: org.example:lib:1"));
        }
        let own = "A.java:3: error: cannot find symbol\n  symbol:   variable l\n";
        assert!(remedy(Side::Bad, own).contains("git mend bisect --good REV -- mvn"));
        assert!(remedy(Side::Good, own).starts_with("see that it builds by hand"));
    }
}
