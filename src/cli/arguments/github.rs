//! Arguments of the commands `pr`, `ci`, `serve` and `setup`, which use GitHub.

use super::search::{GeneratorArguments, SubjectArguments};
use super::shards::{CiMergeArguments, CiPlanArguments, CiShardArguments};
use super::values::{parse_duration, parse_library_source};
use crate::run::LibrarySource;
use clap::{Args, Subcommand};
use mend_bot::setup::ActionReference;
use mend_github::RepoName;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;
use url::Url;

/// Arguments of `git mend pr`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  git mend pr .git/mend/runs/2026-11-22T09-30-00
  git mend pr ../run --base release-2

The token comes from GITHUB_TOKEN or GH_TOKEN, or else from GitHub's command line tool `gh`. The
failing commit must be on GitHub. The branch, its commit and the pull request are created there;
your work tree and your branches are not touched.

Exit codes:
  0    the pull request is open
  2    usage error: no run with a fix, no token, or an unknown repository
  4    GitHub refused, or the fix may not get a pull request (says why)
  70   internal error; a report file is written")]
pub(crate) struct PrArguments {
    /// The folder of a run that found a fix
    #[arg(value_name = "RUN")]
    pub(crate) folder: PathBuf,
    /// The repository on GitHub [default: the one of the remote `origin`]
    #[arg(long, value_name = "OWNER/NAME")]
    pub(crate) repo: Option<RepoName>,
    /// The branch that the pull request targets [default: the repository's default branch]
    #[arg(long, value_name = "BRANCH")]
    pub(crate) base: Option<String>,
    /// Allow a fix that changes tests
    #[arg(long)]
    pub(crate) allow_tests: bool,
}

/// Commands of a workflow.
#[derive(Debug, Subcommand)]
pub(crate) enum CiCommand {
    /// Find the culprit of a failed build; runs project code and needs no write permission
    Search(Box<CiSearchArguments>),
    /// Publish the result of `ci search`; runs no project code and re-checks the result with GitHub
    Publish(CiPublishArguments),
    /// Print the matrix of the jobs that share a validation or a bisection
    Plan(CiPlanArguments),
    /// Test one part of a validation or a bisection
    Shard(CiShardArguments),
    /// Add the outcomes of other jobs to those of this repository
    Merge(CiMergeArguments),
}

/// Arguments of `git mend ci search`.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  git mend ci search --output run --budget 20m

The failing tests are read from the reports that Maven and Gradle write, unless --test names
them. Name other folders than target/surefire-reports, target/failsafe-reports and
build/test-results with --reports; each is read in the repository and in every module, and may
be missing. The good version is the newest commit on which this workflow was green, if the job
has a token with read access to `actions`. Otherwise git mend looks back for a commit where the
tests pass. A generator is never started for pull requests of forks and for merge queues.

Exit codes:
  0    the analysis was completed, whatever it found
  2    usage error
  4    environment: no JDK, a missing library, or a broken build
  70   internal error; a report file is written")]
pub(crate) struct CiSearchArguments {
    #[command(flatten)]
    pub(crate) subject: SubjectArguments,
    /// A revision where the tests pass [default: the newest green commit]
    #[arg(long, value_name = "REV|auto", overrides_with = "good")]
    pub(crate) good: Option<String>,
    /// Time limit for the search, such as 90s or 20m; the smallest culprit found by then is kept
    #[arg(long, value_name = "TIME", default_value = "20m", value_parser = parse_duration)]
    pub(crate) budget: Duration,
    /// Further folder of test reports, such as target/test-reports; repeatable
    #[arg(long, value_name = "DIR")]
    pub(crate) reports: Vec<PathBuf>,
    /// A checkout of a library: if its update is the culprit, its history is searched too; may be repeated
    #[arg(long, value_name = "G:A=DIR", value_parser = parse_library_source)]
    pub(crate) library_source: Vec<LibrarySource>,
    #[command(flatten)]
    pub(crate) generator: GeneratorArguments,
}

/// Arguments of `git mend ci publish`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  git mend ci publish run
  git mend ci publish run --sarif run.sarif
  git mend ci publish

Without a run folder, and after a green workflow run, it closes fix pull requests that are no
longer needed, and marks comments as outdated. Output that the job's token may not write is
skipped and named.

Exit codes:
  0    the result was published, whatever it says
  2    usage error
  4    GitHub refused a request
  70   internal error; a report file is written")]
pub(crate) struct CiPublishArguments {
    /// The run folder that `ci search` wrote
    #[arg(value_name = "RUN")]
    pub(crate) folder: Option<PathBuf>,
    /// Allow a fix that changes tests
    #[arg(long)]
    pub(crate) allow_tests: bool,
    /// The matrix job that searched; each matrix job gets its own check and comment
    #[arg(long, value_name = "NAME")]
    pub(crate) matrix_job: Option<String>,
    /// Write the annotations as SARIF to FILE
    #[arg(long, value_name = "FILE")]
    pub(crate) sarif: Option<PathBuf>,
}

/// Arguments of `git mend serve`.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  GIT_MEND_WEBHOOK_SECRET=... git mend serve --app-id 12345 --private-key app.pem

Secrets are read from files or from the environment: GIT_MEND_WEBHOOK_SECRET (one secret per
line; several are accepted while you rotate them) and GIT_MEND_PRIVATE_KEY. SIGTERM stops the
server gracefully; it continues unfinished jobs after the next start. docs/app.md explains how
to set up the App.

Exit codes:
  0    stopped by a signal
  2    usage error: a setting or a secret is missing or wrong
  4    environment, such as a full disk
  70   internal error; a report file is written")]
pub(crate) struct ServeArguments {
    /// Address for webhooks; port 0 picks a free port
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8080")]
    pub(crate) listen: SocketAddr,
    /// Separate address for the status page and the metrics [default: the address for webhooks]
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) operations: Option<SocketAddr>,
    /// File of the job queue; only one server may use it
    #[arg(long, value_name = "FILE", default_value = "git-mend-queue.sqlite")]
    pub(crate) database: PathBuf,
    /// The App's ID [environment: `GIT_MEND_APP_ID`]
    #[arg(long, value_name = "N")]
    pub(crate) app_id: Option<u64>,
    /// The App's private key in PEM [environment: `GIT_MEND_PRIVATE_KEY`]
    #[arg(long, value_name = "FILE")]
    pub(crate) private_key: Option<PathBuf>,
    /// The webhook secret [environment: `GIT_MEND_WEBHOOK_SECRET`]
    #[arg(long, value_name = "FILE")]
    pub(crate) webhook_secret_file: Option<PathBuf>,
    /// URL of the GitHub API, for GitHub Enterprise Server
    #[arg(long, value_name = "URL", default_value = "https://api.github.com")]
    pub(crate) api_url: String,
    /// Number of jobs that run at once
    #[arg(long, value_name = "N", default_value_t = 4)]
    pub(crate) jobs: u32,
    /// Number of jobs that run at once for one installation
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub(crate) jobs_per_installation: u32,
    /// Folder for searches on this machine, for repositories without a search workflow [default: next to the queue]
    #[arg(long, value_name = "DIR")]
    pub(crate) work: Option<PathBuf>,
    /// Run code of repositories with all rights of this user if neither bubblewrap nor namespaces work
    #[arg(long)]
    pub(crate) run_untrusted_code_without_a_sandbox: bool,
    /// Time limit for a job
    #[arg(long, value_name = "TIME", default_value = "30m", value_parser = parse_duration)]
    pub(crate) job_limit: Duration,
}

/// First steps on GitHub.
#[derive(Debug, Subcommand)]
pub(crate) enum SetupCommand {
    /// Print, write or propose the workflow files for this repository
    Github(SetupGithubArguments),
    /// Create the GitHub App in the browser, and store its key
    App(SetupAppArguments),
}

/// Arguments of `git mend setup github`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  git mend setup github
  git mend setup github --apply --action OWNER/git-mend@0123456789abcdef0123456789abcdef01234567

It finds the build tool, the default branch, and folders of test reports that the build files
set plainly. Without --apply or --pull-request it only prints the files. It replaces no file. The
token comes from GITHUB_TOKEN or GH_TOKEN, or else from GitHub's command line tool `gh`.

With --format json it prints, in each case, an object with `schema` (git-mend/setup/1), `action`
(printed, written or proposed), `pull_request` (its address or null) and `files`, each with `path`
and `content`.

Exit codes:
  0    the files were printed or written, or the pull request is open
  2    usage error: no Maven or Gradle build, no token, or a file exists
  4    GitHub refused
  70   internal error; a report file is written")]
pub(crate) struct SetupGithubArguments {
    /// Address of the Action, with the full hash of a commit
    #[arg(long, value_name = "OWNER/git-mend@COMMIT")]
    pub(crate) action: Option<ActionReference>,
    /// Write the files into the work tree
    #[arg(long, conflicts_with = "pull_request")]
    pub(crate) apply: bool,
    /// Open a pull request with the files
    #[arg(long)]
    pub(crate) pull_request: bool,
    /// The repository on GitHub [default: the one of the remote `origin`]
    #[arg(long, value_name = "OWNER/NAME")]
    pub(crate) repo: Option<RepoName>,
}

/// Arguments of `git mend setup app`.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  git mend setup app --url https://mend.example.org --output /etc/git-mend

It prints the address of a page on this machine. The page sends the App's permissions and
addresses to GitHub, which asks you to agree. Then the private key and the webhook secret are
written to the folder, readable only by you.

With --format json it prints an object with `schema` (git-mend/setup-app/1), `id` and `url` of the
App, `folder`, and the names of its `files`.

Exit codes:
  0    the App was created
  2    usage error: the folder has such a file, or cannot be written
  4    GitHub refused, or the key could not be stored
  70   internal error; a report file is written
  130  interrupted")]
pub(crate) struct SetupAppArguments {
    /// Public address of the server of the App
    #[arg(long, value_name = "URL")]
    pub(crate) url: Url,
    /// Name of the App, which no other App on GitHub has
    #[arg(long, value_name = "NAME", default_value = "git-mend")]
    pub(crate) name: String,
    /// Organization that owns the App [default: your account]
    #[arg(long, value_name = "ORG")]
    pub(crate) organization: Option<String>,
    /// Folder for the key, the secret and the App's number
    #[arg(long, value_name = "DIR", default_value = "git-mend-app")]
    pub(crate) output: PathBuf,
    /// URL of the GitHub API, for GitHub Enterprise Server
    #[arg(long, value_name = "URL", default_value = "https://api.github.com")]
    pub(crate) api_url: String,
}
