//! Arguments of `git mend hook`.

use super::values::parse_duration;
use clap::{Args, Subcommand};
use mend_git::GitHook;
use std::time::Duration;

/// Arguments of `git mend hook`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  git mend hook install
  git mend hook install pre-push post-checkout
  git mend hook uninstall

A hook blocks a push or merge if it breaks a test that passed before. It prints what it could
not check, or not in time, and allows that. `git push --no-verify` skips the hook.")]
pub(crate) struct HookArguments {
    #[command(subcommand)]
    pub(crate) action: HookAction,
}

/// Commands for git hooks.
#[derive(Debug, Subcommand)]
pub(crate) enum HookAction {
    /// Install the hooks; keeps what their files already contain [default: pre-push and pre-merge-commit]
    #[command(after_help = "Examples:
  git mend hook install
  git mend hook install pre-push post-checkout

Exit codes:
  0    installed, or already there
  2    usage error, such as a hook file that is not a shell script
  70   internal error; a report file is written")]
    Install(HookNames),
    /// Uninstall the hooks; keeps everything else in their files [default: all]
    #[command(after_help = "Example:
  git mend hook uninstall

Exit codes:
  0    uninstalled, or not there
  2    usage error
  70   internal error; a report file is written")]
    Uninstall(HookNames),
    /// Run a hook, as git does
    #[command(after_help = "Example:
  echo refs/heads/main HEAD refs/heads/main origin/main | git mend hook run pre-push origin

The time limit comes from --budget, from `git config mend.budget`, or from hook-budget in
.git-mend.toml, in this order; otherwise it is 60 s.

Exit codes:
  0    allow the push or merge; what was not checked is printed
  1    block it: it breaks a test
  2    usage error, such as a wrong setting
  70   internal error; a report file is written
  130  interrupted")]
    Run(HookRunArguments),
}

/// Names of hooks.
#[derive(Debug, Args)]
pub(crate) struct HookNames {
    /// pre-push, pre-merge-commit or post-checkout
    #[arg(value_name = "NAME")]
    pub(crate) names: Vec<GitHook>,
}

/// Call of a hook by git.
#[derive(Debug, Args)]
pub(crate) struct HookRunArguments {
    /// pre-push, pre-merge-commit or post-checkout
    #[arg(value_name = "NAME")]
    pub(crate) name: GitHook,
    /// The arguments that git passes to the hook
    #[arg(value_name = "ARG")]
    pub(crate) arguments: Vec<String>,
    /// Time limit for the tests, such as 30s or 2m; tests that do not fit are listed as not checked
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub(crate) budget: Option<Duration>,
}
