//! The command line as it is typed.

use crate::delta::JavaMode;
use crate::engine::{Build, EngineChoice, Sampler};
use crate::git::GitHook;
use crate::github::RepoName;
use crate::report::Goal;
use crate::run::{Choice, Repeat, Technique};
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

/// Finds the minimal change that breaks a Java test, and the minimal patch that mends it.
#[derive(Debug, Parser)]
#[command(
    name = "git-mend",
    bin_name = "git mend",
    version = super::version::SHORT,
    long_version = super::version::LONG.as_str(),
    disable_help_subcommand = true,
    after_help = "Example:\n  git mend bisect --good v1.4 --bad main --test shop.CartTest#total"
)]
pub(super) struct Arguments {
    #[command(flatten)]
    pub(super) shared: Shared,
    #[command(subcommand)]
    pub(super) command: Command,
}

/// What every command takes.
#[derive(Clone, Debug, Args)]
pub(super) struct Shared {
    /// Run as if started in DIR
    #[arg(short = 'C', value_name = "DIR", default_value = ".", global = true)]
    pub(super) dir: PathBuf,
    /// How the result is written to standard output
    #[arg(long, value_enum, default_value_t, global = true)]
    pub(super) format: Format,
    /// Print the answer alone
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub(super) quiet: bool,
    /// Print every trial
    #[arg(short, long, global = true)]
    pub(super) verbose: bool,
    /// For screen readers: words instead of signs and colours, and nothing that moves
    #[arg(long, global = true)]
    pub(super) plain: bool,
    /// When to use colour
    #[arg(long, value_enum, default_value_t, value_name = "WHEN", global = true)]
    pub(super) color: ColorWhen,
}

/// How a result is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// One screen for people.
    #[default]
    Human,
    /// One object: the one in result.json, or the delta.
    Json,
    /// A graph for Graphviz; `git mend delta` only.
    Dot,
}

/// When colour is used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum ColorWhen {
    /// On a terminal, unless `NO_COLOR` is set.
    #[default]
    Auto,
    /// Also where nobody may see it.
    Always,
    /// Nowhere.
    Never,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Find the commit, the minimal change in it that breaks a test, and the minimal patch that mends it
    Bisect(Box<BisectArguments>),
    /// Look for repairs of what fails: validated, ranked and small
    Fix(Box<FixArguments>),
    /// Run tests under many schedules of their threads, until one fails
    Explore(Box<ExploreArguments>),
    /// Judge a pool of patches, of whatever origin: which of them mend the failing tests and break no other
    Validate(Box<ValidateArguments>),
    /// Show the change between two versions taken apart: components, hunks, and what needs what
    Delta(DeltaArguments),
    /// Try it: makes a small Java repository in a temporary folder and bisects it
    Demo(DemoArguments),
    /// Open the pull request with the patch of a run
    Pr(PrArguments),
    /// In a workflow of GitHub Actions: search what broke a build, and tell what was found
    #[command(subcommand)]
    Ci(CiCommand),
    /// Say what is missing on this machine and for the project in this folder, and how to get it
    Doctor(DoctorArguments),
    /// Run the tests that come upon a push or a merge before it is done: git hooks
    Hook(HookArguments),
    /// Write a run as one page that a browser shows: the answer, the patches, how the search went
    Report(ReportArguments),
    /// Serve as a GitHub App: find what broke failing checks, and report it where people look
    Serve(ServeArguments),
    /// Write man pages, shell completions, and the schema of the settings
    Generate(GenerateArguments),
    /// Anything else.
    #[command(external_subcommand)]
    Other(Vec<OsString>),
}

/// The arguments of `git mend pr`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  git mend pr .git/mend/runs/2026-11-22T09-30-00
  git mend pr ../run --base release-2

Asks with the token in GITHUB_TOKEN or GH_TOKEN, or else with that of GitHub's own program `gh`. The commit that fails
must be on GitHub. Nothing here is touched: the branch, its commit and the pull request are made there.")]
pub(super) struct PrArguments {
    /// The folder of a run that found a patch
    #[arg(value_name = "RUN")]
    pub(super) folder: PathBuf,
    /// The repository on GitHub [default: that of the remote `origin`]
    #[arg(long, value_name = "OWNER/NAME")]
    pub(super) repo: Option<RepoName>,
    /// The branch that the patch is for [default: the repository's default branch]
    #[arg(long, value_name = "BRANCH")]
    pub(super) base: Option<String>,
    /// Let the patch change tests
    #[arg(long)]
    pub(super) allow_tests: bool,
}

/// What is done in a workflow.
#[derive(Debug, Subcommand)]
pub(super) enum CiCommand {
    /// Search what broke the build: reads its test reports, and needs no right to write anything
    Search(Box<CiSearchArguments>),
    /// Tell what a search found: runs none of its code, and believes nothing of it that GitHub can be asked
    Post(CiPostArguments),
}

/// The arguments of `git mend ci search`.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  git mend ci search --output run --budget 20m

The failing tests are those in the reports that Maven and Gradle write. The version that passes is the newest commit on
which this workflow was green, if the job has a token that may ask; or else it is looked for backwards. Exits with 0 once
it is done, whatever it found.")]
pub(super) struct CiSearchArguments {
    #[command(flatten)]
    pub(super) subject: SubjectArguments,
    /// A revision where the tests pass [default: the newest green one]
    #[arg(long, value_name = "REV|auto", overrides_with = "good")]
    pub(super) good: Option<String>,
    /// How long to search, such as 90s or 20m; the smallest change found until then is kept
    #[arg(long, value_name = "TIME", default_value = "20m", value_parser = parse_time)]
    pub(super) budget: Duration,
}

/// The arguments of `git mend ci post`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  git mend ci post run
  git mend ci post run --sarif run.sarif
  git mend ci post

Without a folder, and after a workflow that was green, closes the fix pull requests that nobody needs any more. What the
job's token may not do is left out and named. Exits with 0 once it is done, whatever there was to tell.")]
pub(super) struct CiPostArguments {
    /// The run folder that the search left
    #[arg(value_name = "RUN")]
    pub(super) folder: Option<PathBuf>,
    /// Let the patch change tests
    #[arg(long)]
    pub(super) allow_tests: bool,
    /// The leg of a matrix that searched: its check and comment are told apart from those of the others
    #[arg(long, value_name = "NAME")]
    pub(super) leg: Option<String>,
    /// Write the remarks as SARIF to FILE
    #[arg(long, value_name = "FILE")]
    pub(super) sarif: Option<PathBuf>,
}

/// The arguments of `git mend doctor`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  git mend doctor
  git mend doctor -C your/java/repository --format json
  git mend doctor --record project.json

Nothing is downloaded or changed. Exits with 4 if something is missing that a run needs, else with 0.
What --record writes can be corrected by hand and taken elsewhere: --project takes it instead of the
build files.")]
pub(super) struct DoctorArguments {
    /// Write what is understood of the build files to FILE
    #[arg(long, value_name = "FILE")]
    pub(super) record: Option<PathBuf>,
    /// Take the project's model from FILE, as --record wrote it, instead of from the build files
    #[arg(long, value_name = "FILE")]
    pub(super) project: Option<PathBuf>,
}

/// The arguments of `git mend hook`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  git mend hook install
  git mend hook install pre-push post-checkout
  git mend hook uninstall

What is in a hook's file already stays there. A push or merge is held back if a test fails that passed before;
what cannot be checked, or not in time, is named and let through. `--no-verify` goes past it.")]
pub(super) struct HookArguments {
    #[command(subcommand)]
    pub(super) action: HookAction,
}

/// What to do about hooks.
#[derive(Debug, Subcommand)]
pub(super) enum HookAction {
    /// Put hooks where git looks for them [default: pre-push and pre-merge-commit]
    Install(HookNames),
    /// Take them away again, and leave the rest of their files as it was [default: all]
    Uninstall(HookNames),
    /// Answer a hook, as git calls it
    #[command(after_help = "Example:
  echo refs/heads/main HEAD refs/heads/main origin/main | git mend hook run pre-push origin

Exits with 1 to hold the push or merge back, with 0 to let it through. The time for tests is that of --budget, or of
`git config mend.budget`, or of hook-budget in .git-mend.toml, or 60 s.")]
    Run(HookRun),
}

/// Which hooks.
#[derive(Debug, Args)]
pub(super) struct HookNames {
    /// pre-push, pre-merge-commit or post-checkout
    #[arg(value_name = "NAME")]
    pub(super) names: Vec<GitHook>,
}

/// A hook that git calls.
#[derive(Debug, Args)]
pub(super) struct HookRun {
    /// pre-push, pre-merge-commit or post-checkout
    #[arg(value_name = "NAME")]
    pub(super) name: GitHook,
    /// What git calls the hook with
    #[arg(value_name = "ARG")]
    pub(super) arguments: Vec<String>,
    /// How long tests may run, such as 30s or 2m; what does not fit is named
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    pub(super) budget: Option<Duration>,
}

/// The arguments of `git mend report`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  git mend report
  git mend report .git/mend/runs/2026-03-14T15-09-26 --output found.html

The page is one file that needs no network; its path is printed.")]
pub(super) struct ReportArguments {
    /// A run folder, or `latest` [default: latest]
    #[arg(value_name = "RUN")]
    pub(super) run: Option<PathBuf>,
    /// Write the page to FILE [default: report.html in the run folder]
    #[arg(long, value_name = "FILE")]
    pub(super) output: Option<PathBuf>,
}

/// The arguments of `git mend generate`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  git mend generate man
  source <(git mend generate completions bash)
  git mend generate schema > git-mend.schema.json")]
pub(super) struct GenerateArguments {
    #[command(subcommand)]
    pub(super) what: Generated,
}

/// What the program can write of itself.
#[derive(Debug, Subcommand)]
pub(super) enum Generated {
    /// Man pages, with which `git mend --help` works
    #[command(after_help = "Examples:
  git mend generate man
  git mend generate man --output /usr/local/share/man")]
    Man {
        /// A folder of man pages; they go into its `man1` [default: ../share/man, seen from this program, where `man`
        /// looks for what is on the PATH]
        #[arg(long, value_name = "DIR")]
        output: Option<PathBuf>,
    },
    /// Completions for a shell; in bash, zsh and fish for `git mend` as for `git-mend`
    #[command(after_help = "Examples, for this user and from now on:
  mkdir -p ~/.local/share/bash-completion/completions ~/.zfunc ~/.config/fish/completions
  git mend generate completions bash > ~/.local/share/bash-completion/completions/git-mend
  git mend generate completions zsh > ~/.zfunc/_git-mend
  git mend generate completions fish > ~/.config/fish/completions/git-mend.fish

zsh looks in ~/.zfunc if .zshrc says `fpath+=~/.zfunc` before `compinit`.")]
    Completions {
        /// The shell that they are for
        shell: clap_complete::Shell,
    },
    /// The JSON Schema of .git-mend.toml, for editors
    #[command(after_help = "Example:
  git mend generate schema > git-mend.schema.json")]
    Schema,
    /// The guide's page of commands, in Markdown
    #[command(after_help = "Example:
  git mend generate commands > docs/commands.md")]
    Commands,
    /// The guide's page of settings, in Markdown
    #[command(after_help = "Example:
  git mend generate settings > docs/settings.md")]
    Settings,
}

/// The arguments of `git mend demo`.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  git mend demo")]
pub(super) struct DemoArguments {
    /// Make the repository in DIR, which must not be there yet
    #[arg(long, value_name = "DIR")]
    pub(super) output: Option<PathBuf>,
}

/// The arguments of `git mend serve`.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  GIT_MEND_WEBHOOK_SECRET=... git mend serve --app-id 12345 --private-key app.pem

Secrets come from files or from the environment: GIT_MEND_WEBHOOK_SECRET (one secret a line, several while one
replaces another) and GIT_MEND_PRIVATE_KEY. SIGTERM ends it in good order; what was not done is done after the
next start. docs/app.md says how to set up the App.")]
pub(super) struct ServeArguments {
    /// Where webhooks come in; port 0 takes a free one
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8080")]
    pub(super) listen: SocketAddr,
    /// Where the status page and the metrics are, if they are not to be where webhooks come in
    #[arg(long, value_name = "ADDRESS")]
    pub(super) operations: Option<SocketAddr>,
    /// The queue: a file that one server has for itself
    #[arg(long, value_name = "FILE", default_value = "git-mend-queue.sqlite")]
    pub(super) database: PathBuf,
    /// The App's number [environment: `GIT_MEND_APP_ID`]
    #[arg(long, value_name = "N")]
    pub(super) app_id: Option<u64>,
    /// The App's private key in PEM [environment: `GIT_MEND_PRIVATE_KEY`]
    #[arg(long, value_name = "FILE")]
    pub(super) private_key: Option<PathBuf>,
    /// The webhook's secret [environment: `GIT_MEND_WEBHOOK_SECRET`]
    #[arg(long, value_name = "FILE")]
    pub(super) webhook_secret_file: Option<PathBuf>,
    /// Where GitHub's interface is, for a server of your own
    #[arg(long, value_name = "URL", default_value = "https://api.github.com")]
    pub(super) api_url: String,
    /// How many jobs run at once
    #[arg(long, value_name = "N", default_value_t = 4)]
    pub(super) jobs: u32,
    /// How many of them for one installation
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub(super) jobs_per_installation: u32,
    /// Where repositories are searched that have no workflow for it [default: beside the queue]
    #[arg(long, value_name = "DIR")]
    pub(super) work: Option<PathBuf>,
    /// Run code of repositories with all rights of this user, where neither bubblewrap nor namespaces work
    #[arg(long)]
    pub(super) run_untrusted_code_without_a_sandbox: bool,
    /// How long a job may take
    #[arg(long, value_name = "TIME", default_value = "30m", value_parser = parse_time)]
    pub(super) job_limit: Duration,
}

/// The arguments of `git mend delta`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  git mend delta v1.4 main
  git mend delta v1.4 main --apply 3,7-9 --output ../variant
  git mend delta v1.4 main --format dot | dot -Tsvg > delta.svg")]
pub(super) struct DeltaArguments {
    /// The old version, a revision or a folder
    #[arg(value_name = "A")]
    pub(super) a: String,
    /// The new version, a revision or a folder
    #[arg(value_name = "B")]
    pub(super) b: String,
    /// Write the version with these components, and what they need, to --output: all, none or 3,7-9
    #[arg(long, value_name = "COMPONENTS", requires = "output")]
    pub(super) apply: Option<Choice>,
    /// An empty or new folder for what --apply makes
    #[arg(long, value_name = "DIR", requires = "apply")]
    pub(super) output: Option<PathBuf>,
    /// How Java files are taken apart: along the syntax tree, or by lines for comparison
    #[arg(long, value_enum, default_value_t)]
    pub(super) java: JavaChoice,
}

/// The arguments of `git mend bisect`.
#[derive(Debug, Default, Args)]
#[command(after_help = "Examples:
  git mend bisect --good v1.4 --bad main --test shop.CartTest#total
  git mend bisect --good auto --test shop.CartTest
  git mend bisect --good v1.4 -- mvn -q -o test -Dtest=CartTest

The command after `--` runs in a clean checkout; it exits with 0 if the test passes, 125 if the
version cannot be tested, and otherwise with 1 to 127 if it fails.")]
pub(super) struct BisectArguments {
    /// A revision or folder where the test passes; `auto` looks back from bad for one
    #[arg(long, value_name = "REV")]
    pub(super) good: Option<String>,
    #[command(flatten)]
    pub(super) subject: SubjectArguments,
    /// What to look for [default: both]
    #[arg(long, value_parser = parse_goal, value_name = "culprit|fix|both")]
    pub(super) goal: Option<Goal>,
    /// Count only failures whose text matches this regular expression
    #[arg(long, value_name = "REGEX")]
    pub(super) symptom: Option<String>,
    /// Take the whole range apart at once instead of looking for the commit first
    #[arg(long)]
    pub(super) no_history: bool,
    /// Walk along first parents only
    #[arg(long)]
    pub(super) first_parent: bool,
    /// A revision that cannot be tested
    #[arg(long, value_name = "REV")]
    pub(super) skip: Vec<String>,
    /// Start from what a `git bisect log` knows
    #[arg(long, value_name = "FILE")]
    pub(super) log: Option<PathBuf>,
    /// Find every change that breaks it alone, not only the first
    #[arg(long)]
    pub(super) all: bool,
    /// `all` makes test code part of the change that is taken apart [default: code]
    #[arg(long, value_enum)]
    pub(super) units: Option<UnitsChoice>,
    /// Check good and bad, measure the change between them, and stop
    #[arg(long)]
    pub(super) dry_run: bool,
    /// A command that judges a version, after `--`
    #[arg(last = true, value_name = "CMD", conflicts_with = "test")]
    pub(super) cmd: Vec<OsString>,
}

/// The arguments of `git mend validate`.
#[derive(Debug, Default, Args)]
#[command(after_help = "Examples:
  git mend validate --pool patches --test shop.CartTest
  git mend validate --pool patches --test 'shop.*Test' --bad v1.4 --minimise

Each file or folder in the pool is one patch: a unified diff (*.patch, *.diff), a folder of changed
.java files, or a folder of changed .class files by package. A patch is plausible if every test that
failed passes with it, and every test that passed still does. Exits with 0 if one is, else with 1.")]
pub(super) struct ValidateArguments {
    /// The folder with the patches
    #[arg(long, value_name = "DIR")]
    pub(super) pool: Option<PathBuf>,
    #[command(flatten)]
    pub(super) subject: SubjectArguments,
    /// Shrink each plausible patch to what is needed
    #[arg(long)]
    pub(super) minimise: bool,
}

/// The arguments of `git mend explore`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  git mend explore --test shop.TillTest
  git mend explore --test shop.TillTest --schedules 5000 --seed 7
  git mend explore --test shop.TillTest --replay .git/mend/runs/<time>/schedule-1.json
  git mend explore --test shop.TillTest --audit till.patch

One thread runs at a time, and the program decides which, so that a schedule that fails can be run again.
Exits with 1 if a schedule fails, if nothing orders two accesses, or if threads take locks in a circle;
with 0 if nothing of that was seen.")]
pub(super) struct ExploreArguments {
    #[command(flatten)]
    pub(super) subject: SubjectArguments,
    /// Run at most N schedules; fewer once enough have failed
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..1_000_000))]
    pub(super) schedules: u32,
    /// What samples the schedules: partial orders, priorities, random steps [default: all]
    #[arg(long, value_name = "pos,pct,random", value_delimiter = ',', value_parser = parse_sampler)]
    pub(super) strategy: Vec<Sampler>,
    /// Run the schedule in FILE again, which an earlier run wrote
    #[arg(long, value_name = "FILE")]
    pub(super) replay: Option<PathBuf>,
    /// Judge a patch instead: a schedule that fails with it, or how sure it is that none does
    #[arg(long, value_name = "PATCH", conflicts_with = "replay")]
    pub(super) audit: Option<PathBuf>,
}

/// The arguments of `git mend fix`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  git mend fix --test shop.CartTest
  git mend fix --good v1.4 --test 'shop.*Test' --top 1 --apply
  git mend fix --technique concurrency --test shop.TillTest

A repair makes every test pass that failed, and keeps every test passing that passed. Each one that is shown was
applied to a clean checkout, built from scratch and tested in a fresh JVM. Exits with 0 if there is one, else with 1.")]
pub(super) struct FixArguments {
    #[command(flatten)]
    pub(super) subject: SubjectArguments,
    /// A version that passes, so that undoing what broke it is tried too; `auto` looks for one
    #[arg(long, value_name = "REV|DIR|auto")]
    pub(super) good: Option<String>,
    /// Which ways to a repair are tried [default: all that fit]
    #[arg(long, value_name = "regression,contract,concurrency", value_delimiter = ',', value_parser = parse_technique)]
    pub(super) technique: Vec<Technique>,
    /// Apply the best repair to the work tree
    #[arg(long)]
    pub(super) apply: bool,
    /// Make a branch with the best repair as a commit; nothing is checked out
    #[arg(long, value_name = "NAME")]
    pub(super) branch: Option<String>,
    /// Show at most N repairs
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..))]
    pub(super) top: u16,
    /// How long candidates are tried, such as 90s or 10m
    #[arg(long, value_name = "TIME", default_value = "5m", value_parser = parse_time)]
    pub(super) budget: Duration,
}

/// What is judged, and how: the same for every command that tries variants.
#[derive(Clone, Debug, Default, Args)]
pub(super) struct SubjectArguments {
    /// A revision or folder where the test fails [default: HEAD]
    #[arg(long, value_name = "REV")]
    pub(super) bad: Option<String>,
    /// The failing test: pkg.Class, pkg.Class#method or a glob
    #[arg(long, value_name = "SEL")]
    pub(super) test: Vec<String>,
    /// Run each version N times for a verdict, flaky if the runs disagree. `auto` runs it until the
    /// verdict is certain to 99 %, and says so where all is noise [default: 1, which trusts each run]
    #[arg(long, value_name = "N|auto", value_parser = parse_repeat)]
    pub(super) repeat: Option<Repeat>,
    /// Time limit for the tests of one version, such as 30s or 5m [default: 10m for good, 25m for a command; then
    /// four times what good took, and 10s]
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    pub(super) timeout: Option<Duration>,
    /// Judge N variants at once [default: half the cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(super) jobs: Option<u16>,
    /// The seed of everything random: which verdicts are checked afresh [default: 0]
    #[arg(long, value_name = "N")]
    pub(super) seed: Option<u64>,
    /// Jars and folders for the class path, instead of those that the build names
    #[arg(long, value_name = "PATH", value_delimiter = ':')]
    pub(super) classpath: Vec<PathBuf>,
    /// A source folder, instead of those that the build names
    #[arg(long, value_name = "DIR")]
    pub(super) source: Vec<PathBuf>,
    /// A folder of tests, by package, that are laid over every version
    #[arg(long, value_name = "DIR")]
    pub(super) test_source: Vec<PathBuf>,
    /// An option for the compiler
    #[arg(long, value_name = "OPTION", allow_hyphen_values = true)]
    pub(super) javac_option: Vec<String>,
    /// Whose build files tell about the project [default: auto]
    #[arg(long, value_parser = parse_build, value_name = "auto|maven|gradle|javac")]
    pub(super) build: Option<Build>,
    /// Take the project's model from FILE, as `git mend doctor --record` wrote it, instead of from the build files
    #[arg(long, value_name = "FILE", conflicts_with = "build")]
    pub(super) project: Option<PathBuf>,
    /// How variants are built and run: by a compiler and a JVM that stay, or all in fresh processes [default: auto]
    #[arg(long, value_parser = parse_engine, value_name = "auto|resident|process")]
    pub(super) engine: Option<EngineChoice>,
    /// How Java files are taken apart: along the syntax tree, or by lines for comparison [default: ast]
    #[arg(long, value_enum)]
    pub(super) java: Option<JavaChoice>,
    /// The run folder [default: .git/mend/runs/<time>]
    #[arg(long, value_name = "DIR")]
    pub(super) output: Option<PathBuf>,
    /// Go on with an unfinished run: the newest, or the one in --output
    #[arg(long)]
    pub(super) resume: bool,
}

/// How Java files are taken apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum JavaChoice {
    /// Along the syntax tree.
    #[default]
    Ast,
    /// By lines.
    Text,
}

impl JavaChoice {
    pub(super) fn mode(self) -> JavaMode {
        match self {
            Self::Ast => JavaMode::Ast,
            Self::Text => JavaMode::Text,
        }
    }
}

/// What the change is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum UnitsChoice {
    /// Everything but test code.
    Code,
    /// Everything.
    All,
}

pub(super) fn parse_goal(text: &str) -> Result<Goal, String> {
    match text {
        "culprit" => Ok(Goal::Culprit),
        "fix" => Ok(Goal::Fix),
        "both" => Ok(Goal::Both),
        _ => Err("write culprit, fix or both".to_owned()),
    }
}

fn parse_technique(text: &str) -> Result<Technique, String> {
    match text {
        "regression" => Ok(Technique::Regression),
        "contract" => Ok(Technique::Contract),
        "concurrency" => Ok(Technique::Concurrency),
        _ => Err("write regression, contract or concurrency, with commas between them".to_owned()),
    }
}

fn parse_sampler(text: &str) -> Result<Sampler, String> {
    match text {
        "pos" => Ok(Sampler::PartialOrder),
        "pct" => Ok(Sampler::Priorities),
        "random" => Ok(Sampler::RandomWalk),
        _ => Err("write pos, pct or random, with commas between them".to_owned()),
    }
}

fn parse_engine(text: &str) -> Result<EngineChoice, String> {
    match text {
        "auto" => Ok(EngineChoice::Auto),
        "resident" => Ok(EngineChoice::Resident),
        "process" => Ok(EngineChoice::Process),
        _ => Err("write auto, resident or process".to_owned()),
    }
}

pub(super) fn parse_build(text: &str) -> Result<Build, String> {
    match text {
        "auto" => Ok(Build::Auto),
        "maven" => Ok(Build::Maven),
        "gradle" => Ok(Build::Gradle),
        "javac" => Ok(Build::Javac),
        _ => Err("write auto, maven, gradle or javac".to_owned()),
    }
}

/// A number of runs, or `auto`.
pub(super) fn parse_repeat(text: &str) -> Result<Repeat, String> {
    let times = || text.parse().ok().filter(|times| *times > 0).map(Repeat::Times);
    let parsed = if text == "auto" { Some(Repeat::Auto) } else { times() };
    parsed.ok_or_else(|| "write auto, or a number from 1 on".to_owned())
}

/// A number of seconds, or a time with its unit.
pub(super) fn parse_time(text: &str) -> Result<Duration, String> {
    let seconds = text.parse::<u32>().map(|seconds| Duration::from_secs(seconds.into()));
    let parsed = seconds.ok().or_else(|| {
        text.parse::<jiff::SignedDuration>().ok().and_then(|time| Duration::try_from(time).ok())
    });
    let is_some_time = |time: &Duration| !time.is_zero();
    parsed.filter(is_some_time).ok_or_else(|| "write a time such as 30s or 5m".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory as _;

    #[test]
    fn the_command_line_is_well_formed() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn every_option_has_help() {
        for sub in Arguments::command().get_subcommands() {
            for argument in sub.get_arguments() {
                assert!(argument.get_help().is_some(), "{} {}", sub.get_name(), argument.get_id());
            }
        }
    }

    #[test]
    fn repetitions_are_a_number_or_left_to_the_program() {
        assert_eq!(parse_repeat("auto"), Ok(Repeat::Auto));
        assert_eq!(parse_repeat("3"), Ok(Repeat::Times(3)));
        assert!(parse_repeat("0").is_err() && parse_repeat("often").is_err());
    }

    #[test]
    fn times_are_read_with_and_without_a_unit() {
        assert_eq!(parse_time("90"), Ok(Duration::from_secs(90)));
        assert_eq!(parse_time("5m"), Ok(Duration::from_secs(300)));
        assert!(parse_time("soon").is_err() && parse_time("0").is_err());
    }
}
