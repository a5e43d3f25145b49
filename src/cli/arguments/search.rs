//! The command line of what tries variants.

use super::values::{
    JavaChoice, UnitsChoice, parse_build, parse_engine, parse_goal, parse_repeat, parse_sampler,
    parse_technique, parse_time,
};
use crate::engine::{Build, EngineChoice, Sampler};
use crate::report::Goal;
use crate::run::{Repeat, Technique};
use clap::Args;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

/// The arguments of `git mend bisect`.
#[derive(Debug, Default, Args)]
#[command(after_help = "Examples:
  git mend bisect --good v1.4 --bad main --test shop.CartTest#total
  git mend bisect --good auto --test shop.CartTest
  git mend bisect --good v1.4 -- mvn -q -o test -Dtest=CartTest

The command after `--` runs in a clean checkout; it exits with 0 if the test passes, 125 if the
version cannot be tested, and otherwise with 1 to 127 if it fails.")]
pub(in crate::cli) struct BisectArguments {
    /// A revision or folder where the test passes; `auto` looks back from bad for one
    #[arg(long, value_name = "REV")]
    pub(in crate::cli) good: Option<String>,
    #[command(flatten)]
    pub(in crate::cli) subject: SubjectArguments,
    /// What to look for [default: both]
    #[arg(long, value_parser = parse_goal, value_name = "culprit|fix|both")]
    pub(in crate::cli) goal: Option<Goal>,
    /// Count only failures whose text matches this regular expression
    #[arg(long, value_name = "REGEX")]
    pub(in crate::cli) symptom: Option<String>,
    /// Take the whole range apart at once instead of looking for the commit first
    #[arg(long)]
    pub(in crate::cli) no_history: bool,
    /// Walk along first parents only
    #[arg(long)]
    pub(in crate::cli) first_parent: bool,
    /// A revision that cannot be tested
    #[arg(long, value_name = "REV")]
    pub(in crate::cli) skip: Vec<String>,
    /// Start from what a `git bisect log` knows
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) log: Option<PathBuf>,
    /// Find every change that breaks it alone, not only the first
    #[arg(long)]
    pub(in crate::cli) all: bool,
    /// `all` makes test code part of the change that is taken apart [default: code]
    #[arg(long, value_enum)]
    pub(in crate::cli) units: Option<UnitsChoice>,
    /// Check good and bad, measure the change between them, and stop
    #[arg(long)]
    pub(in crate::cli) dry_run: bool,
    /// A command that judges a version, after `--`
    #[arg(last = true, value_name = "CMD", conflicts_with = "test")]
    pub(in crate::cli) cmd: Vec<OsString>,
}

/// The arguments of `git mend validate`.
#[derive(Debug, Default, Args)]
#[command(after_help = "Examples:
  git mend validate --pool patches --test shop.CartTest
  git mend validate --pool patches --test 'shop.*Test' --bad main --minimise

Each file or folder in the pool is one patch: a unified diff (*.patch, *.diff), a folder of changed
.java files, or a folder of changed .class files by package. A patch is plausible if every test that
failed passes with it, and every test that passed still does. Exits with 0 if one is, else with 1.")]
pub(in crate::cli) struct ValidateArguments {
    /// The folder with the patches
    #[arg(long, value_name = "DIR")]
    pub(in crate::cli) pool: Option<PathBuf>,
    #[command(flatten)]
    pub(in crate::cli) subject: SubjectArguments,
    /// Shrink each plausible patch to what is needed
    #[arg(long)]
    pub(in crate::cli) minimise: bool,
}

/// The arguments of `git mend explore`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  git mend explore --test shop.TillTest
  git mend explore --test shop.TillTest --schedules 5000 --seed 7
  git mend explore --test shop.TillTest --replay .git/mend/runs/<time>/schedule-1.json
  git mend explore --test shop.TillTest --expect-output till.txt
  git mend explore --test shop.TillTest --audit till.patch

One thread runs at a time, and the program decides which, so that a schedule that fails can be run again.
Exits with 1 if a schedule fails, if nothing orders two accesses, or if threads take locks in a circle;
with 0 if nothing of that was seen; with 4 if schedules cannot judge the patch of --audit.
Schedules are run one after the other, whatever --jobs says, and each comes to the same whenever it is run, so that
--repeat changes nothing.")]
pub(in crate::cli) struct ExploreArguments {
    #[command(flatten)]
    pub(in crate::cli) subject: SubjectArguments,
    /// Sample at most N schedules; fewer once enough have failed, and none where N/2 were all orders of steps that make
    /// a difference
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..1_000_000))]
    pub(in crate::cli) schedules: u32,
    /// What chooses the schedules: samples of partial orders, of priorities and of random steps; `all` runs all orders
    /// that can make a difference, where these are few [default: each of them]
    #[arg(long, value_name = "pos,pct,random,all", value_delimiter = ',', value_parser = parse_sampler)]
    pub(in crate::cli) strategy: Vec<Sampler>,
    /// Run the schedule in FILE again, which an earlier run wrote
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) replay: Option<PathBuf>,
    /// The output that the test prints, in FILE: a schedule that passes and prints something else fails
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) expect_output: Option<PathBuf>,
    /// Judge a patch instead: a schedule that fails with it, or how sure it is that none does
    #[arg(long, value_name = "PATCH", conflicts_with = "replay")]
    pub(in crate::cli) audit: Option<PathBuf>,
}

/// The arguments of `git mend fix`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  git mend fix --test 'shop.*Test'
  git mend fix --good v1.4 --test 'shop.*Test' --top 1 --apply
  git mend fix --technique concurrency --test shop.TillTest

A repair makes failing tests pass, all of them if one repair can, and breaks none that passed. Tests that still fail
are named. Each repair that is shown was applied to a clean checkout, built from scratch and tested in a fresh JVM.
Exits with 0 if there is one, else with 1.")]
pub(in crate::cli) struct FixArguments {
    #[command(flatten)]
    pub(in crate::cli) subject: SubjectArguments,
    /// A version that passes, so that undoing what broke it is tried too; `auto` looks for one
    #[arg(long, value_name = "REV|DIR|auto")]
    pub(in crate::cli) good: Option<String>,
    /// Which ways to a repair are tried [default: all that fit]
    #[arg(long, value_name = "regression,contract,concurrency", value_delimiter = ',', value_parser = parse_technique)]
    pub(in crate::cli) technique: Vec<Technique>,
    /// The output that the test prints, in FILE: a schedule of its threads that passes and prints something else fails
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) expect_output: Option<PathBuf>,
    /// Apply the best repair to the work tree
    #[arg(long)]
    pub(in crate::cli) apply: bool,
    /// Make a branch with the best repair as a commit; nothing is checked out
    #[arg(long, value_name = "NAME")]
    pub(in crate::cli) branch: Option<String>,
    /// Show at most N repairs
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..))]
    pub(in crate::cli) top: u16,
    /// How long candidates are tried, such as 90s or 10m
    #[arg(long, value_name = "TIME", default_value = "5m", value_parser = parse_time)]
    pub(in crate::cli) budget: Duration,
    /// Try at most the N most promising candidates: a slow machine then tries what a fast one does
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(in crate::cli) candidates: Option<u32>,
}

/// What is judged, and how: the same for every command that tries variants.
#[derive(Clone, Debug, Default, Args)]
pub(in crate::cli) struct SubjectArguments {
    /// A revision or folder where the test fails [default: HEAD]
    #[arg(long, value_name = "REV")]
    pub(in crate::cli) bad: Option<String>,
    /// The failing test: pkg.Class, pkg.Class#method or a glob
    #[arg(long, value_name = "SEL")]
    pub(in crate::cli) test: Vec<String>,
    /// Run each version N times for a verdict, flaky if the runs disagree. `auto` runs it until the
    /// verdict is certain to 99 %, and says so where all is noise [default: 1, which trusts each run]
    #[arg(long, value_name = "N|auto", value_parser = parse_repeat)]
    pub(in crate::cli) repeat: Option<Repeat>,
    /// Time limit for the tests of one version, such as 30s or 5m [default: 10m for good, 25m for a command; then
    /// four times what good took, and 10s, which holds for each test as well]
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    pub(in crate::cli) timeout: Option<Duration>,
    /// Judge N variants at once [default: half the cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(in crate::cli) jobs: Option<u16>,
    /// The seed of everything random: which schedules are run, which tests are generated, which verdicts are checked
    /// afresh [default: 0]
    #[arg(long, value_name = "N")]
    pub(in crate::cli) seed: Option<u64>,
    /// Jars and folders for the class path, instead of those that the build names
    #[arg(long, value_name = "PATH", value_delimiter = ':')]
    pub(in crate::cli) classpath: Vec<PathBuf>,
    /// A source folder, instead of those that the build names
    #[arg(long, value_name = "DIR")]
    pub(in crate::cli) source: Vec<PathBuf>,
    /// A folder of tests, by package, that are laid over every version
    #[arg(long, value_name = "DIR")]
    pub(in crate::cli) test_source: Vec<PathBuf>,
    /// An option for the compiler
    #[arg(long, value_name = "OPTION", allow_hyphen_values = true)]
    pub(in crate::cli) javac_option: Vec<String>,
    /// Whose build files tell about the project [default: auto]
    #[arg(long, value_parser = parse_build, value_name = "auto|maven|gradle|javac")]
    pub(in crate::cli) build: Option<Build>,
    /// Take the project's model from FILE, as `git mend doctor --record` wrote it, instead of from the build files
    #[arg(long, value_name = "FILE", conflicts_with = "build")]
    pub(in crate::cli) project: Option<PathBuf>,
    /// How variants are built and run: by a compiler and a JVM that stay, or all in fresh processes [default: auto]
    #[arg(long, value_parser = parse_engine, value_name = "auto|resident|process")]
    pub(in crate::cli) engine: Option<EngineChoice>,
    /// How Java files are taken apart: along the syntax tree, or by lines for comparison [default: ast]
    #[arg(long, value_enum)]
    pub(in crate::cli) java: Option<JavaChoice>,
    /// The run folder [default: .git/mend/runs/<time>]
    #[arg(long, value_name = "DIR")]
    pub(in crate::cli) output: Option<PathBuf>,
    /// Go on with an unfinished run: the newest, or the one in --output
    #[arg(long)]
    pub(in crate::cli) resume: bool,
}

/// The arguments of `git mend demo`.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  git mend demo")]
pub(in crate::cli) struct DemoArguments {
    /// Make the repository in DIR, which must not be there yet
    #[arg(long, value_name = "DIR")]
    pub(in crate::cli) output: Option<PathBuf>,
}
