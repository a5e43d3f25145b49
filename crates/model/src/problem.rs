//! All errors that users see: the message, the help line and the exit code of each.

use super::exit_code::Exit;
use super::removed_packages::{RemovedPackage, find_removed_package};
use super::{MissingRequirements, Secrets, format_duration, list_first};
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

/// One of the two versions that a run compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GoodOrBad {
    /// The version that passes.
    Good,
    /// The version that fails.
    Bad,
}

impl fmt::Display for GoodOrBad {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Good => "good",
            Self::Bad => "bad",
        })
    }
}

/// Error that ends a run. `Display` is the message, [`Problem::remedy`] the help line, and
/// [`Problem::output`] the evidence.
#[derive(Debug, thiserror::Error)]
pub enum Problem {
    /// The folder is in no git repository.
    #[error("{} is not inside a git repository", .0.display())]
    NotARepository(PathBuf),
    /// The revision does not exist.
    #[error("unknown revision `{spec}`{}", suggestion_suffix(.near))]
    UnknownRevision {
        /// The revision as the user typed it.
        spec: String,
        /// Similar names, best match first.
        near: Vec<String>,
    },
    /// The repository has a format that git-mend does not support.
    #[error("cannot read this repository: it {what}")]
    UnsupportedRepository {
        /// Completes "this repository …".
        what: String,
        /// The help line.
        remedy: String,
    },
    /// The clone lacks objects that the range needs.
    #[error("this {kind} clone lacks history or files between good and bad")]
    IncompleteClone {
        /// `shallow` or `partial`.
        kind: &'static str,
        /// The command that fetches the missing objects.
        remedy: String,
    },
    /// Objects or references of the repository are missing or damaged.
    #[error("git cannot read this repository: {reason}")]
    UnreadableRepository {
        /// The error message of git, in one line.
        reason: String,
    },
    /// Missing objects cannot be downloaded from the remote of the clone.
    #[error("cannot download missing objects from remote `{remote}`: {reason}")]
    DownloadFailed {
        /// The name of the remote.
        remote: String,
        /// The error message of git, in one line.
        reason: String,
    },
    /// Good and bad have the same content.
    #[error("good and bad do not differ outside the tests: there is no change to search")]
    IdenticalTrees,
    /// The selector matches no test.
    #[error("no test matches `{selector}`{}", suggestion_suffix(.near))]
    NoSuchTest {
        /// The selector as the user typed it.
        selector: String,
        /// Tests with similar names, best match first.
        near: Vec<String>,
    },
    /// The command line is contradictory or incomplete.
    #[error("{message}")]
    Usage {
        /// The message, one line.
        message: String,
        /// The help line.
        remedy: String,
    },
    /// The test does not pass on good.
    #[error("baseline check failed: the test does not pass on good ({revision})")]
    GoodDoesNotPass {
        /// The revision of good.
        revision: String,
        /// The test output.
        output: String,
    },
    /// The selected tests do not compile on good, which itself compiles.
    #[error("baseline check failed: the selected tests do not compile on good ({revision})")]
    TestsNotCompiled {
        /// The revision of good.
        revision: String,
        /// The compile errors in code that the tests need.
        output: String,
        /// True if methods are selected and no whole class.
        selects_methods: bool,
    },
    /// The test times out on good.
    #[error("baseline check failed: the test on good ({revision}) timed out after {}", format_duration(*.limit))]
    GoodTimedOut {
        /// The revision of good.
        revision: String,
        /// The time limit.
        limit: Duration,
        /// The test that was running, and its output.
        output: String,
    },
    /// The test does not fail on bad.
    #[error("baseline check failed: the test does not fail on bad ({revision})")]
    BadDoesNotFail {
        /// The revision of bad.
        revision: String,
        /// The test output.
        output: String,
        /// True if it passes; false if no test ran.
        has_passed: bool,
    },
    /// The test fails on bad, but without the symptom.
    #[error("baseline check failed: the test fails on bad ({revision}), but not with the symptom")]
    SymptomMissing {
        /// The revision of bad.
        revision: String,
        /// The test output.
        output: String,
    },
    /// The test fails on good and passes on bad.
    #[error("baseline check failed: good fails and bad passes; are they swapped?")]
    Swapped,
    /// Good is no ancestor of bad, and the test already fails at their merge base.
    #[error(
        "the test already fails at {merge_base}, the merge base of good and bad: good was fixed on its own branch"
    )]
    MergeBaseFails {
        /// The merge base.
        merge_base: String,
    },
    /// The test passes at none of the commits that were tried before bad.
    #[error(
        "no good commit found: the test passes on none of the {tried} commits tried before {bad}"
    )]
    NoGoodCommit {
        /// The bad commit.
        bad: String,
        /// Number of commits that were tried.
        tried: usize,
    },
    /// There is no usable JDK.
    #[error("no JDK found: {detail}")]
    NoJdk {
        /// The search result in words.
        detail: String,
    },
    /// The JDK is too old for the requested feature.
    #[error("{what} needs JDK {needed} or newer, but this is JDK {found}")]
    JdkTooOld {
        /// The feature.
        what: &'static str,
        /// The oldest feature release that supports it.
        needed: u32,
        /// The version of the JDK.
        found: String,
    },
    /// A required program cannot be started.
    #[error("cannot run `{program}`: {reason}")]
    ProgramMissing {
        /// The program as it was called.
        program: String,
        /// The reason that the system gave.
        reason: String,
    },
    /// No sandbox works on this machine.
    #[error("no sandbox works on this machine")]
    NoSandbox {
        /// The option that runs the program without a sandbox.
        option: &'static str,
    },
    /// Good or bad does not build.
    #[error("{side} ({revision}) does not build")]
    BuildBroken {
        /// The side.
        side: GoodOrBad,
        /// Its revision.
        revision: String,
        /// The compiler output.
        output: String,
        /// What the build needs and this machine lacks.
        missing: MissingRequirements,
    },
    /// There is no source folder.
    #[error("no Java sources found in {looked}")]
    NoSources {
        /// The folders that were searched.
        looked: String,
    },
    /// A library that the user named does not exist.
    #[error("library {library} does not exist (named in {})", .file.display())]
    LibraryMissing {
        /// The file that names it.
        file: PathBuf,
        /// The library as written there.
        library: String,
    },
    /// Two versions need different versions of a library, and one of them is not on this machine.
    #[error(
        "library {library} is not on this machine, and {used} cannot replace it: the versions compared ask for different ones"
    )]
    LibraryReplaced {
        /// `group:artifact:version`.
        library: String,
        /// The version on this machine.
        used: String,
    },
    /// The build tool gives no project model.
    #[error("{tool} cannot read the build: {reason}")]
    BuildToolFailed {
        /// The build tool.
        tool: &'static str,
        /// Its message.
        reason: String,
    },
    /// The remote executor cannot be used.
    #[error("cannot use the executor {address}: {reason}")]
    ExecutorFailed {
        /// Its address.
        address: String,
        /// The message of the server, or of the connection.
        reason: String,
    },
    /// The user's command cannot be run.
    #[error("cannot run the command on {side}: it exited with code {code}")]
    CommandBroken {
        /// The side.
        side: GoodOrBad,
        /// 126 or 127.
        code: i32,
        /// The output of the command.
        output: String,
    },
    /// The user's command stopped the run.
    #[error("the command stopped the run: it exited with code {code}")]
    CommandStopped {
        /// The exit code, above 127.
        code: i32,
        /// The output of the command.
        output: String,
    },
    /// The disk is full.
    #[error("the disk is full: cannot write {}", .path.display())]
    DiskFull {
        /// The file that was being written.
        path: PathBuf,
    },
    /// The test gives different results on the same side.
    #[error("the test is flaky on {side}: it passed in {passed} of {runs} runs")]
    FlakyBaseline {
        /// The side.
        side: GoodOrBad,
        /// Number of runs that passed.
        passed: usize,
        /// Number of all runs.
        runs: usize,
    },
    /// The failure rates of good and bad do not differ significantly.
    #[error(
        "no culprit: the failure rates do not differ significantly (good {good}/{runs}, bad {bad}/{runs})"
    )]
    NoSignificantDifference {
        /// Number of failed runs on good.
        good: usize,
        /// Number of failed runs on bad.
        bad: usize,
        /// Number of runs on each side.
        runs: usize,
    },
    /// The flaky test needs more runs than the budget allows.
    #[error("the test is too flaky: {runs} runs were not enough for a reliable result")]
    RunBudgetExhausted {
        /// Number of runs.
        runs: usize,
    },
    /// The final check of a patch on a clean checkout failed.
    #[error("cannot verify {what}: on a clean checkout the test gives another result")]
    NotReproduced {
        /// The patch file.
        what: String,
        /// The test output on the clean checkout.
        output: String,
        /// True if the same version passed in one run and failed in another.
        is_flaky: bool,
    },
    /// The scheduler cannot control the threads of the tests.
    #[error("cannot control the threads of these tests: {why}")]
    UncontrolledThreads {
        /// The reason.
        why: String,
        /// The output of the JVM.
        output: String,
    },
    /// The patch changes which code runs, so schedules with and without it cannot be compared.
    #[error("cannot check this patch by exploring schedules: {why}")]
    IncomparableRuns {
        /// The difference.
        why: String,
    },
    /// GitHub refused a request.
    #[error("{message}")]
    GitHubError {
        /// The request, and the answer from GitHub.
        message: String,
        /// The help line.
        remedy: String,
    },
    /// The user interrupted the run.
    #[error("interrupted")]
    Interrupted,
    /// An internal error, or a system error without a specific help line.
    #[error("{0:#}")]
    Internal(anyhow::Error),
}

fn suggestion_suffix(suggestions: &[String]) -> String {
    if suggestions.is_empty() {
        String::new()
    } else {
        format!("; did you mean {}?", suggestions.join(", "))
    }
}

impl Problem {
    /// Returns the exit code of the program.
    pub fn exit(&self) -> Exit {
        match self {
            Self::NotARepository(_)
            | Self::UnknownRevision { .. }
            | Self::IdenticalTrees
            | Self::NoSuchTest { .. }
            | Self::Usage { .. } => Exit::Usage,
            Self::GoodDoesNotPass { .. }
            | Self::TestsNotCompiled { .. }
            | Self::GoodTimedOut { .. }
            | Self::BadDoesNotFail { .. }
            | Self::SymptomMissing { .. }
            | Self::Swapped
            | Self::MergeBaseFails { .. }
            | Self::NoGoodCommit { .. } => Exit::BadBaseline,
            Self::UnsupportedRepository { .. }
            | Self::IncompleteClone { .. }
            | Self::UnreadableRepository { .. }
            | Self::DownloadFailed { .. }
            | Self::NoJdk { .. }
            | Self::JdkTooOld { .. }
            | Self::ProgramMissing { .. }
            | Self::NoSandbox { .. }
            | Self::BuildBroken { .. }
            | Self::NoSources { .. }
            | Self::LibraryMissing { .. }
            | Self::LibraryReplaced { .. }
            | Self::BuildToolFailed { .. }
            | Self::ExecutorFailed { .. }
            | Self::CommandBroken { .. }
            | Self::CommandStopped { .. }
            | Self::UncontrolledThreads { .. }
            | Self::IncomparableRuns { .. }
            | Self::GitHubError { .. }
            | Self::DiskFull { .. } => Exit::Environment,
            Self::FlakyBaseline { .. }
            | Self::NoSignificantDifference { .. }
            | Self::RunBudgetExhausted { .. }
            | Self::NotReproduced { .. } => Exit::Flaky,
            Self::Interrupted => Exit::Interrupted,
            Self::Internal(_) => Exit::Internal,
        }
    }

    /// Returns the help line: what to do next.
    pub fn remedy(&self) -> String {
        match self {
            Self::NotARepository(_) => {
                "run it inside a clone, name one with -C DIR, or pass two folders as --good and --bad".into()
            }
            Self::UnknownRevision { .. } => "list commits with `git log --oneline`, tags with `git tag`".into(),
            Self::UnsupportedRepository { remedy, .. }
            | Self::IncompleteClone { remedy, .. }
            | Self::GitHubError { remedy, .. }
            | Self::Usage { remedy, .. } => remedy.clone(),
            Self::UnreadableRepository { .. } => {
                "`git fsck` lists the damage; `git fetch --refetch` downloads all objects again, or use a new clone".into()
            }
            Self::DownloadFailed { .. } => {
                "check the connection and your access to the remote with `git fetch`, then run it again".into()
            }
            Self::IdenticalTrees => "check --good and --bad; `git mend bisect --units all` also searches changes of test code".into(),
            Self::NoSuchTest { .. } => "use --test pkg.Class, --test pkg.Class#method or a quoted glob".into(),
            Self::GoodDoesNotPass { .. } => {
                "use an older commit as --good, or `--good auto` to search for one; if it fails for another reason, narrow --test".into()
            }
            Self::TestsNotCompiled { selects_methods: true, .. } => {
                "use a newer commit as --good, one that has what the test needs, or `--good auto` to search for it".into()
            }
            Self::TestsNotCompiled { .. } => {
                "select only the failing test, with --test pkg.Class#method: other members of its class are left out where they do not compile".into()
            }
            Self::GoodTimedOut { .. } => {
                "raise the limit, for example with --timeout 30m, or select fewer tests with --test".into()
            }
            Self::BadDoesNotFail { .. } => {
                "check --bad and --test; if the test fails intermittently, add `--repeat 5` (bisect also takes `auto`)".into()
            }
            Self::SymptomMissing { .. } => {
                "compare --symptom with the failure in the output; without it, the failure of bad counts".into()
            }
            Self::Swapped => "swap --good and --bad".into(),
            Self::MergeBaseFails { .. } => "use a --good that is an ancestor of --bad".into(),
            Self::NoGoodCommit { .. } => "name a commit where the test passes with --good REV".into(),
            Self::NoJdk { .. } => {
                "install JDK 8 or newer (on Debian: apt-get install default-jdk-headless) or set JAVA_HOME".into()
            }
            Self::JdkTooOld { needed, .. } => {
                format!("set JAVA_HOME to JDK {needed} or newer; `git mend doctor` lists the installed JDKs")
            }
            Self::ProgramMissing { program, .. } if program.contains('/') => {
                format!("make sure that `{program}` is committed and executable: commands run in a clean checkout")
            }
            Self::ProgramMissing { program, .. } => format!("install `{program}` and make sure that it is on PATH"),
            Self::NoSandbox { option } => format!(
                "install bubblewrap (on Debian: apt-get install bubblewrap), or add {option} if you trust the program"
            ),
            Self::BuildBroken { side, output, missing, .. } => broken_build_remedy(*side, output, missing),
            Self::NoSources { .. } => "name the source folder with --source, or give your own command after `--`".into(),
            Self::LibraryMissing { file, .. } => format!("restore that file, or correct {}", file.display()),
            Self::LibraryReplaced { .. } => {
                "let the build tool download it: install the tool, and omit --offline and --model files".into()
            }
            Self::ExecutorFailed { .. } => {
                "check the address, the instance, the headers and that workers are running, or omit --executor".into()
            }
            Self::BuildToolFailed { .. } => "make it work by hand, or use --model files to read the build files without it".into(),
            Self::CommandBroken { .. } => {
                "use paths relative to the root of the repository, and commit the command as executable: it runs in a clean checkout".into()
            }
            Self::CommandStopped { .. } => "the output shows why it was stopped; a command exits with 1 for a failing test, 125 for a version that cannot be tested".into(),
            Self::DiskFull { .. } => "free disk space, then run the same command with --resume".into(),
            Self::FlakyBaseline { .. } => "add `--repeat 5` (bisect also takes `auto`), or select only stable tests with --test".into(),
            Self::NoSignificantDifference { .. } | Self::RunBudgetExhausted { .. } => {
                "fix the flakiness first, or use --symptom to count only a failure that occurs only on bad".into()
            }
            Self::NotReproduced { .. } => {
                "the test may be flaky or depend on tests that ran before it: add `--repeat 5` (bisect also takes `auto`)".into()
            }
            Self::UncontrolledThreads { .. } => {
                "narrow --test to a test whose threads wait only for each other; see docs/schedules.md".into()
            }
            Self::IncomparableRuns { .. } => {
                "select a test whose threads run the changed code with and without the patch; if some tests had no \
                 schedules, raise --schedules or omit --scheduler"
                    .into()
            }
            Self::Interrupted => "run the same command with --resume to continue".into(),
            Self::Internal(_) => "report this with the file named below".into(),
        }
    }

    /// Returns the output of the test, compiler or command that is the evidence.
    pub fn output(&self) -> Option<&str> {
        match self {
            Self::GoodDoesNotPass { output, .. }
            | Self::TestsNotCompiled { output, .. }
            | Self::GoodTimedOut { output, .. }
            | Self::BadDoesNotFail { output, .. }
            | Self::SymptomMissing { output, .. }
            | Self::BuildBroken { output, .. }
            | Self::CommandBroken { output, .. }
            | Self::CommandStopped { output, .. }
            | Self::NotReproduced { output, .. }
            | Self::UncontrolledThreads { output, .. } => Some(output),
            _ => None,
        }
    }

    /// Redacts secrets in the JVM output of [`Problem::UncontrolledThreads`]. All other evidence comes from outcomes, which are
    /// redacted already.
    #[must_use]
    pub fn redact_secrets(self, secrets: &Secrets) -> Self {
        match self {
            Self::UncontrolledThreads { mut why, mut output } => {
                secrets.redact_in_place(&mut why);
                secrets.redact_in_place(&mut output);
                Self::UncontrolledThreads { why, output }
            }
            other => other,
        }
    }

    /// Returns the reason of an input or output error without its number, to be embedded in a message.
    pub fn io_error_reason(error: &std::io::Error) -> String {
        let text = error.to_string();
        text.split(" (os error").next().unwrap_or_default().to_owned()
    }

    /// Converts an input or output error on `path`: to [`Problem::DiskFull`] if the disk is full.
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

/// Maximum number of missing libraries that a remedy names.
const MAX_NAMED_LIBRARIES: usize = 4;

fn broken_build_remedy(side: GoodOrBad, output: &str, missing: &MissingRequirements) -> String {
    if let Some(version) = missing.java_version {
        return format!(
            "the build needs Java {version}: install JDK {version} or newer, or set JAVA_HOME to one"
        );
    }
    if !missing.libraries.is_empty() && may_be_missing_libraries(output) {
        return format!(
            "missing on this machine: {}; download them with your build tool, or name the jars with --classpath",
            list_first(&missing.libraries, MAX_NAMED_LIBRARIES)
        );
    }
    if let Some(RemovedPackage { name, removed_in }) = find_removed_package(output) {
        return format!(
            "Java {removed_in} removed {name} from the JDK: set JAVA_HOME to an older JDK, or name a jar that contains it with --classpath"
        );
    }
    match side {
        GoodOrBad::Good => {
            "check that it builds by hand; name jars with --classpath, folders with --source, or give your own command after `--`".into()
        }
        GoodOrBad::Bad => {
            "if it builds by hand, name missing jars with --classpath, folders with --source; else bisect your build command: git mend bisect --good REV -- mvn -q test-compile".into()
        }
    }
}

/// Returns true if missing libraries may have caused the compiler output. Output that is not English always may.
fn may_be_missing_libraries(compiler_output: &str) -> bool {
    let markers = [
        " does not exist",
        "cannot access ",
        "class file for ",
        "module not found",
        "location: package",
    ];
    !compiler_output.contains(" error: ")
        || markers.iter().any(|sign| compiler_output.contains(sign))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn build_broken_remedy(side: GoodOrBad, compiler_output: &str) -> String {
        let missing = MissingRequirements {
            libraries: vec!["org.example:lib:1".to_owned()],
            java_version: None,
        };
        let revision = "HEAD".to_owned();
        Problem::BuildBroken { side, revision, output: compiler_output.to_owned(), missing }
            .remedy()
    }

    #[test]
    fn missing_libraries_are_named_only_if_relevant() {
        let missing_package = "A.java:3: error: package org.example does not exist\n";
        let localised = "A.java:3: Fehler: Package org.example ist nicht vorhanden\n";
        for compiler_output in [missing_package, localised] {
            assert!(
                build_broken_remedy(GoodOrBad::Bad, compiler_output)
                    .starts_with("missing on this machine: org.example:lib:1")
            );
        }
        let unknown_symbol = "A.java:3: error: cannot find symbol\n  symbol:   variable l\n";
        assert!(
            build_broken_remedy(GoodOrBad::Bad, unknown_symbol)
                .contains("git mend bisect --good REV -- mvn")
        );
        assert!(
            build_broken_remedy(GoodOrBad::Good, unknown_symbol)
                .starts_with("check that it builds by hand")
        );
    }

    #[test]
    fn package_that_the_jdk_no_longer_contains_needs_an_older_jdk() {
        let old_package = "A.java:3: error: package javax.xml.bind does not exist\n";
        let build = |side| Problem::BuildBroken {
            side,
            revision: "HEAD".to_owned(),
            output: old_package.to_owned(),
            missing: MissingRequirements::default(),
        };
        for side in [GoodOrBad::Good, GoodOrBad::Bad] {
            let remedy = build(side).remedy();
            assert!(remedy.starts_with("Java 11 removed javax.xml.bind from the JDK"), "{remedy}");
        }
    }

    #[test]
    fn build_for_a_later_java_version_names_the_needed_jdk() {
        let problem = Problem::BuildBroken {
            side: GoodOrBad::Good,
            revision: "HEAD".to_owned(),
            output: "A.java:3: error: cannot find symbol".to_owned(),
            missing: MissingRequirements { libraries: Vec::new(), java_version: Some(21) },
        };
        let remedy = problem.remedy();
        assert!(remedy.starts_with("the build needs Java 21: install JDK 21"), "{remedy}");
    }
}
