//! The command line of what works on GitHub.

use super::search::SubjectArguments;
use super::values::parse_time;
use crate::github::RepoName;
use clap::{Args, Subcommand};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

/// The arguments of `git mend pr`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  git mend pr .git/mend/runs/2026-11-22T09-30-00
  git mend pr ../run --base release-2

Asks with the token in GITHUB_TOKEN or GH_TOKEN, or else with that of GitHub's own program `gh`. The commit that fails
must be on GitHub. Nothing here is touched: the branch, its commit and the pull request are made there.")]
pub(in crate::cli) struct PrArguments {
    /// The folder of a run that found a patch
    #[arg(value_name = "RUN")]
    pub(in crate::cli) folder: PathBuf,
    /// The repository on GitHub [default: that of the remote `origin`]
    #[arg(long, value_name = "OWNER/NAME")]
    pub(in crate::cli) repo: Option<RepoName>,
    /// The branch that the patch is for [default: the repository's default branch]
    #[arg(long, value_name = "BRANCH")]
    pub(in crate::cli) base: Option<String>,
    /// Let the patch change tests
    #[arg(long)]
    pub(in crate::cli) allow_tests: bool,
}

/// What is done in a workflow.
#[derive(Debug, Subcommand)]
pub(in crate::cli) enum CiCommand {
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
pub(in crate::cli) struct CiSearchArguments {
    #[command(flatten)]
    pub(in crate::cli) subject: SubjectArguments,
    /// A revision where the tests pass [default: the newest green one]
    #[arg(long, value_name = "REV|auto", overrides_with = "good")]
    pub(in crate::cli) good: Option<String>,
    /// How long to search, such as 90s or 20m; the smallest change found until then is kept
    #[arg(long, value_name = "TIME", default_value = "20m", value_parser = parse_time)]
    pub(in crate::cli) budget: Duration,
}

/// The arguments of `git mend ci post`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  git mend ci post run
  git mend ci post run --sarif run.sarif
  git mend ci post

Without a folder, and after a workflow that was green, closes the fix pull requests that nobody needs any more. What the
job's token may not do is left out and named. Exits with 0 once it is done, whatever there was to tell.")]
pub(in crate::cli) struct CiPostArguments {
    /// The run folder that the search left
    #[arg(value_name = "RUN")]
    pub(in crate::cli) folder: Option<PathBuf>,
    /// Let the patch change tests
    #[arg(long)]
    pub(in crate::cli) allow_tests: bool,
    /// The leg of a matrix that searched: its check and comment are told apart from those of the others
    #[arg(long, value_name = "NAME")]
    pub(in crate::cli) leg: Option<String>,
    /// Write the remarks as SARIF to FILE
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) sarif: Option<PathBuf>,
}

/// The arguments of `git mend serve`.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  GIT_MEND_WEBHOOK_SECRET=... git mend serve --app-id 12345 --private-key app.pem

Secrets come from files or from the environment: GIT_MEND_WEBHOOK_SECRET (one secret a line, several while one
replaces another) and GIT_MEND_PRIVATE_KEY. SIGTERM ends it in good order; what was not done is done after the
next start. docs/app.md says how to set up the App.")]
pub(in crate::cli) struct ServeArguments {
    /// Where webhooks come in; port 0 takes a free one
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8080")]
    pub(in crate::cli) listen: SocketAddr,
    /// Where the status page and the metrics are, if they are not to be where webhooks come in
    #[arg(long, value_name = "ADDRESS")]
    pub(in crate::cli) operations: Option<SocketAddr>,
    /// The queue: a file that one server has for itself
    #[arg(long, value_name = "FILE", default_value = "git-mend-queue.sqlite")]
    pub(in crate::cli) database: PathBuf,
    /// The App's number [environment: `GIT_MEND_APP_ID`]
    #[arg(long, value_name = "N")]
    pub(in crate::cli) app_id: Option<u64>,
    /// The App's private key in PEM [environment: `GIT_MEND_PRIVATE_KEY`]
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) private_key: Option<PathBuf>,
    /// The webhook's secret [environment: `GIT_MEND_WEBHOOK_SECRET`]
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) webhook_secret_file: Option<PathBuf>,
    /// Where GitHub's interface is, for a server of your own
    #[arg(long, value_name = "URL", default_value = "https://api.github.com")]
    pub(in crate::cli) api_url: String,
    /// How many jobs run at once
    #[arg(long, value_name = "N", default_value_t = 4)]
    pub(in crate::cli) jobs: u32,
    /// How many of them for one installation
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub(in crate::cli) jobs_per_installation: u32,
    /// Where repositories are searched that have no workflow for it [default: beside the queue]
    #[arg(long, value_name = "DIR")]
    pub(in crate::cli) work: Option<PathBuf>,
    /// Run code of repositories with all rights of this user, where neither bubblewrap nor namespaces work
    #[arg(long)]
    pub(in crate::cli) run_untrusted_code_without_a_sandbox: bool,
    /// How long a job may take
    #[arg(long, value_name = "TIME", default_value = "30m", value_parser = parse_time)]
    pub(in crate::cli) job_limit: Duration,
}
