//! Arguments of the commands `bisect`, `validate`, `explore`, `fix` and `demo`, which build and test variants.

use super::values::{
    ExecutorChoice, JavaGranularityOption, SearchedFiles, parse_assignment, parse_build,
    parse_duration, parse_engine, parse_executor, parse_goal, parse_library_source, parse_model,
    parse_repeat, parse_scheduler, parse_technique,
};
use crate::run::{DownloadOptions, LibrarySource, Repeat, Technique};
use clap::Args;
use mend_engine::{BuildKind, EngineChoice, ModelSource, SchedulerKind};
use mend_report::RunGoal;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

/// Arguments of `git mend bisect`.
#[derive(Debug, Default, Args)]
#[command(after_help = "Examples:
  git mend bisect --good v1.4 --bad main --test shop.CartTest#total
  git mend bisect --good auto --test shop.CartTest
  git mend bisect --good v1.4 --schedules 500 --test shop.TillTest
  git mend bisect --good v1.4 -- mvn -q -o test -Dtest=CartTest

The command after `--` runs in a clean checkout of each version. Its exit codes are those of
`git bisect run`: 0 pass, 125 cannot be tested, other codes up to 127 fail, above 127 abort.

Exit codes:
  0    found what --goal asks for
  1    searched, none found
  2    usage error
  3    baseline check failed: good does not pass, or bad does not fail
  4    environment: no JDK, a missing library, or a broken build (says what to install)
  5    the test is too flaky for a certain result
  70   internal error; a report file is written
  130  interrupted; --resume continues the run")]
pub(crate) struct BisectArguments {
    /// A revision or folder where the test passes; `auto` walks back from bad until it passes
    #[arg(long, value_name = "REV")]
    pub(crate) good: Option<String>,
    #[command(flatten)]
    pub(crate) subject: SubjectArguments,
    /// What to search for: the minimal culprit, a minimal fix, or both [default: both]
    #[arg(long, value_parser = parse_goal, value_name = "culprit|fix|both")]
    pub(crate) goal: Option<RunGoal>,
    /// Count only failures whose text matches this regular expression [default: failures like the one of bad]
    #[arg(long, value_name = "REGEX")]
    pub(crate) symptom: Option<String>,
    /// Run each version under up to N thread schedules, for a test that fails only sometimes because of its threads; a
    /// version fails if one schedule does
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..1_000_000), conflicts_with = "cmd")]
    pub(crate) schedules: Option<u32>,
    /// Split the whole diff from good to bad into components, without searching for the culprit commit first
    #[arg(long)]
    pub(crate) no_history: bool,
    /// Follow only the first parent of merge commits
    #[arg(long)]
    pub(crate) first_parent: bool,
    /// A revision that cannot be tested; may be repeated
    #[arg(long, value_name = "REV")]
    pub(crate) skip: Vec<String>,
    /// Start from FILE, the output of `git bisect log`
    #[arg(long, value_name = "FILE")]
    pub(crate) log: Option<PathBuf>,
    /// Also search for further independent culprits
    #[arg(long)]
    pub(crate) all: bool,
    /// Files that can be part of the culprit; code excludes test code [default: code]
    #[arg(long, value_enum)]
    pub(crate) units: Option<SearchedFiles>,
    /// Run the baseline check, print the size of the diff, and stop
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// A command that tests a version, after `--`
    #[arg(last = true, value_name = "CMD", conflicts_with = "test")]
    pub(crate) cmd: Vec<OsString>,
}

/// Arguments of `git mend upgrade`.
#[derive(Debug, Default, Args)]
#[command(after_help = "Examples:
  git mend upgrade --good v1.4 --bad main --test 'shop.*Test'
  git mend upgrade --good HEAD~1 --test shop.CartTest#total
  git mend upgrade --good v1.4 --test shop.CartTest --library-source commons-io:commons-io=../io

The libraries are those that the build tool resolves, also the dependencies of dependencies. The
minimal set of upgrades that breaks the tests is found first, then the first published version of
each that fails. fix.patch sets the last version that passes, and keeps the other upgrades.

Exit codes:
  0    found
  1    the upgrades alone do not break the tests
  2    usage error
  3    baseline check failed: good does not pass, or bad does not fail
  4    environment: no JDK, a missing library, or a broken build (says what to install)
  5    the test is too flaky for a certain result
  70   internal error; a report file is written
  130  interrupted; --resume continues the run")]
pub(crate) struct UpgradeArguments {
    /// A revision or folder where the test passes, or auto to walk back until it passes
    #[arg(long, value_name = "REV|auto")]
    pub(crate) good: Option<String>,
    #[command(flatten)]
    pub(crate) subject: SubjectArguments,
    /// Count only failures whose text matches this regular expression [default: failures like the one of bad]
    #[arg(long, value_name = "REGEX")]
    pub(crate) symptom: Option<String>,
    /// A checkout of a library: if it is the culprit, its history is searched too; may be repeated
    #[arg(long, value_name = "G:A=DIR", value_parser = parse_library_source)]
    pub(crate) library_source: Vec<LibrarySource>,
}

/// Arguments of `git mend validate`.
#[derive(Debug, Default, Args)]
#[command(after_help = "Examples:
  git mend validate --pool patches --test shop.CartTest
  git mend validate --pool patches --test 'shop.*Test' --bad main --minimise

Each file or folder in the pool is one patch: a unified diff (*.patch, *.diff), a folder of
changed .java files, or a folder of changed .class files by package. A patch is plausible if
every test that failed passes with it, and every test that passed still passes.

Exit codes:
  0    at least one patch is plausible
  1    no patch is plausible
  2    usage error
  3    baseline check failed: no test fails without a patch
  4    environment: no JDK, a missing library, or a broken build (says what to install)
  5    the tests are flaky without a patch
  70   internal error; a report file is written
  130  interrupted; --resume continues the run")]
pub(crate) struct ValidateArguments {
    /// The folder with the patches
    #[arg(long, value_name = "DIR")]
    pub(crate) pool: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) subject: SubjectArguments,
    /// Minimise each plausible patch
    #[arg(long)]
    pub(crate) minimise: bool,
    /// Run all tests with each patch, even after one fails, to name every test that it breaks
    #[arg(long)]
    pub(crate) no_fail_fast: bool,
}

/// Arguments of `git mend test`.
#[derive(Debug, Default, Args)]
#[command(after_help = "Example:
  git mend test --test shop.CartTest --bad . --repeat 5

Exit codes:
  0    all tests pass
  1    a test fails, or the version does not compile
  2    usage error
  4    environment: no JDK, or a missing library (says what to install)
  70   internal error; a report file is written
  130  interrupted")]
pub(crate) struct TestArguments {
    #[command(flatten)]
    pub(crate) subject: SubjectArguments,
}

/// Arguments of `git mend explore`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  git mend explore --test shop.TillTest
  git mend explore --test shop.TillTest --schedules 5000 --seed 7
  git mend explore --test shop.TillTest --replay .git/mend/runs/<time>/schedule-1.json
  git mend explore --test shop.TillTest --symptom ci.log
  git mend explore --test shop.TillTest --expect-output till.txt
  git mend explore --test shop.TillTest --audit till.patch

One thread runs at a time, and the scheduler decides which. A failing schedule can therefore be
replayed. Schedules run one after the other: --jobs and --repeat have no effect. With --audit
the exit codes 0 and 1 are about the tests with the patch.

Exit codes:
  0    no failing schedule, data race or lock-order cycle found
  1    a failing schedule, a data race or a lock-order cycle found
  2    usage error
  4    environment: no JDK, a missing library, or a broken build; or the scheduler cannot control
       the threads of the test, or cannot check the patch of --audit
  70   internal error; a report file is written
  130  interrupted; --resume continues the run")]
pub(crate) struct ExploreArguments {
    #[command(flatten)]
    pub(crate) subject: SubjectArguments,
    /// Sample at most N schedules; sampling stops early after enough failures, and is skipped if dpor explores all
    /// relevant schedules in N/2 schedules
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..1_000_000))]
    pub(crate) schedules: u32,
    /// Schedulers to use: partial order sampling (pos), random priorities (pct), random steps (random), and dynamic
    /// partial order reduction (dpor), which explores all relevant schedules if there are few [default: all four]
    #[arg(long, value_name = "pos,pct,random,dpor", value_delimiter = ',', value_parser = parse_scheduler)]
    pub(crate) scheduler: Vec<SchedulerKind>,
    /// Replay the schedule in FILE, which an earlier run wrote
    #[arg(long, value_name = "FILE")]
    pub(crate) replay: Option<PathBuf>,
    /// Reproduce the failure whose stack trace is in FILE, such as the log of a CI job; other failures are only counted
    #[arg(long, value_name = "FILE", conflicts_with_all = ["replay", "audit"])]
    pub(crate) symptom: Option<PathBuf>,
    /// File with the output that the test should print; a schedule that passes but prints something else counts as
    /// failing
    #[arg(long, value_name = "FILE")]
    pub(crate) expect_output: Option<PathBuf>,
    /// Check PATCH instead: find a schedule that fails with it, or say how certain it is that none does
    #[arg(long, value_name = "PATCH", conflicts_with = "replay")]
    pub(crate) audit: Option<PathBuf>,
}

/// Arguments of `git mend fix`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  git mend fix --test 'shop.*Test'
  git mend fix --good v1.4 --test 'shop.*Test' --top 1 --apply
  git mend fix --technique concurrency --test shop.TillTest
  git mend fix --test 'shop.*Test' --generator 'python3 replay.py patches'

A fix makes failing tests pass, if possible all of them, and breaks no test that passed. The
result names the tests that still fail. Every fix shown was verified: applied to a clean
checkout, built from scratch and tested in a fresh JVM.

Exit codes:
  0    at least one fix found
  1    searched, none found
  2    usage error
  3    baseline check failed: bad does not fail, or good does not pass
  4    environment: no JDK, a missing library, or a broken build (says what to install)
  5    the test is too flaky for a certain result
  70   internal error; a report file is written
  130  interrupted; --resume continues the run")]
pub(crate) struct FixArguments {
    #[command(flatten)]
    pub(crate) subject: SubjectArguments,
    /// A version where the tests pass, to also try reverting the culprit; `auto` walks back until they pass
    #[arg(long, value_name = "REV|DIR|auto")]
    pub(crate) good: Option<String>,
    /// Goal of the search for the culprit: its minimal revert (fix), or also the minimal culprit (both) [default: fix]
    #[arg(long, value_parser = parse_goal, value_name = "fix|both", requires = "good")]
    pub(crate) goal: Option<RunGoal>,
    /// Techniques to use: revert the culprit (regression, needs --good), contract repair, concurrency repair [default:
    /// all that suit the failure]
    #[arg(long, value_name = "regression,contract,concurrency", value_delimiter = ',', value_parser = parse_technique)]
    pub(crate) technique: Vec<Technique>,
    /// File with the output that the test should print; a thread schedule that passes but prints something else counts
    /// as failing
    #[arg(long, value_name = "FILE")]
    pub(crate) expect_output: Option<PathBuf>,
    /// Apply the best fix to the work tree
    #[arg(long)]
    pub(crate) apply: bool,
    /// Create branch NAME with the best fix as a commit; it is not checked out
    #[arg(long, value_name = "NAME")]
    pub(crate) branch: Option<String>,
    /// Show at most N fixes
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) top: u16,
    /// Time limit for trying candidates, such as 90s or 10m; comparing and verifying fixes adds at most a quarter, or a
    /// minute
    #[arg(long, value_name = "TIME", default_value = "5m", value_parser = parse_duration)]
    pub(crate) budget: Duration,
    /// Try at most the N most promising candidates, so that slow and fast machines try the same ones
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) candidates: Option<u32>,
    #[command(flatten)]
    pub(crate) generator: GeneratorArguments,
}

/// External generator of patches.
#[derive(Clone, Debug, Args)]
pub(crate) struct GeneratorArguments {
    /// A program that offers further patches, such as 'python3 generate.py': it is started once, and exchanges lines of
    /// JSON (schema git-mend/generator/1) on its standard streams. Without this option no model is asked
    #[arg(long, value_name = "CMD")]
    pub(crate) generator: Option<String>,
    /// Run the generator without a sandbox: with network, your environment and your files
    #[arg(long)]
    pub(crate) trust_generator: bool,
    /// Time limit for each answer of the generator; --budget limits all together [default: 2m]
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub(crate) generator_timeout: Option<Duration>,
    /// Test at most N patches of the generator [default: 20]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) generator_candidates: Option<u16>,
}

/// Version and tests to run, and how to run them; shared by every command that tests variants.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct SubjectArguments {
    /// A revision or folder where the test fails [default: HEAD]
    #[arg(long, value_name = "REV")]
    pub(crate) bad: Option<String>,
    /// The test: pkg.Class, pkg.Class#method or a quoted glob; may be repeated
    #[arg(long, value_name = "SEL")]
    pub(crate) test: Vec<String>,
    /// Run each version N times; it is flaky if the runs disagree. `auto` repeats until the verdict has 99 %
    /// confidence, or reports that the failure rates of good and bad do not differ [default: 1]
    #[arg(long, value_name = "N|auto", value_parser = parse_repeat)]
    pub(crate) repeat: Option<Repeat>,
    /// Time limit for the tests of one version, such as 30s or 5m [default: 10m for good, 25m for a command; then four
    /// times the time of good plus 10s, which also limits each single test]
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub(crate) timeout: Option<Duration>,
    /// Number of commits or variants that are built and tested in parallel [default: half the cores; 1 for a command;
    /// the number of workers with --executor]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) jobs: Option<u16>,
    /// Random seed for schedules, generated tests and the verdicts that are cross-checked in a fresh JVM [default: 0]
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
    /// Class path of jars and folders, instead of the one of the build; entries are separated by `:`
    #[arg(long, value_name = "PATH", value_delimiter = ':')]
    pub(crate) classpath: Vec<PathBuf>,
    /// A source folder, instead of those of the build; may be repeated
    #[arg(long, value_name = "DIR")]
    pub(crate) source: Vec<PathBuf>,
    /// A folder of tests in package folders, added to every version; may be repeated
    #[arg(long, value_name = "DIR")]
    pub(crate) test_source: Vec<PathBuf>,
    /// An option for javac; may be repeated
    #[arg(long, value_name = "OPTION", allow_hyphen_values = true)]
    pub(crate) javac_option: Vec<String>,
    /// Build tool whose build files describe the project [default: auto]
    #[arg(long, value_parser = parse_build, value_name = "auto|maven|gradle|javac")]
    pub(crate) build: Option<BuildKind>,
    /// Where the project model comes from: the build tool, or the build files without running it; auto prefers the tool
    /// [default: auto]
    #[arg(long, value_parser = parse_model, value_name = "auto|tool|files")]
    pub(crate) model: Option<ModelSource>,
    /// Read the project model from FILE, written by `git mend doctor --record`, instead of from the build files
    #[arg(long, value_name = "FILE", conflicts_with = "build")]
    pub(crate) project: Option<PathBuf>,
    /// How to build and test variants: in a warm compiler and a warm JVM (resident), or in new processes (process)
    /// [default: auto]
    #[arg(long, value_parser = parse_engine, value_name = "auto|resident|process")]
    pub(crate) engine: Option<EngineChoice>,
    #[command(flatten)]
    pub(crate) executor: ExecutorArguments,
    /// How to split Java files into hunks: along the syntax tree, or by lines for comparison [default: ast]
    #[arg(long, value_enum)]
    pub(crate) java: Option<JavaGranularityOption>,
    #[command(flatten)]
    pub(crate) downloads: DownloadArguments,
    /// The run folder [default: .git/mend/runs/<time>]
    #[arg(long, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,
    /// Continue an unfinished run: the newest, or the one in --output
    #[arg(long)]
    pub(crate) resume: bool,
}

/// Server whose workers test variants.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct ExecutorArguments {
    /// Where variants are tested: on this machine, or on the workers of a server of the Bazel Remote Execution API;
    /// grpcs uses TLS [default: local]
    #[arg(long, value_parser = parse_executor, value_name = "local|grpc://HOST:PORT|grpcs://HOST:PORT")]
    pub(crate) executor: Option<ExecutorChoice>,
    /// Name of the instance on the executor
    #[arg(long, value_name = "NAME")]
    pub(crate) executor_instance: Option<String>,
    /// A property that the workers must have, such as `OSFamily=Linux`; may be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = parse_assignment)]
    pub(crate) executor_platform: Vec<(String, String)>,
    /// An environment variable of the workers, such as `JAVA_HOME=/opt/jdk`; may be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = parse_assignment)]
    pub(crate) executor_env: Vec<(String, String)>,
    /// File with headers for the executor, one `Name: value` in each line [default: those in the variable
    /// `GIT_MEND_EXECUTOR_CREDENTIALS`]
    #[arg(long, value_name = "FILE")]
    pub(crate) executor_headers: Option<PathBuf>,
    /// Maximum number of workers that are used at the same time [default: 16]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) executor_workers: Option<u16>,
    /// Time without an answer after which this machine runs the trials instead of the executor [default: 1m]
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub(crate) executor_timeout: Option<Duration>,
    /// A git-mend for the workers, if they have another operating system or processor than this machine
    #[arg(long, value_name = "FILE")]
    pub(crate) executor_program: Option<PathBuf>,
}

/// Downloads that are forbidden or allowed.
#[derive(Clone, Copy, Debug, Default, Args)]
pub(crate) struct DownloadArguments {
    /// Download nothing: neither libraries nor files that a partial clone lacks
    #[arg(long)]
    pub(crate) offline: bool,
    /// In a shallow clone, download as much older history as the run needs
    #[arg(long, conflicts_with = "offline")]
    pub(crate) fetch: bool,
}

impl DownloadArguments {
    /// Returns the options of a run. `is_offline` is what the settings say.
    pub(crate) fn to_options(self, is_offline: bool) -> DownloadOptions {
        let is_offline = self.offline || is_offline && !self.fetch;
        DownloadOptions { is_offline, fetches_history: self.fetch }
    }
}

/// Arguments of `git mend demo`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  git mend demo
  git mend demo --output bakery

It needs only git and a JDK. It prints the `git mend bisect` command that it runs.

Exit codes:
  0    the culprit and a fix were found
  2    usage error, such as a folder that already exists
  4    environment: no JDK, or no git (says what to install)
  70   internal error; a report file is written
  130  interrupted")]
pub(crate) struct DemoArguments {
    /// Create the repository in DIR, which must not exist yet
    #[arg(long, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,
}
