//! The command line of git hooks.

use super::values::parse_time;
use crate::git::GitHook;
use clap::{Args, Subcommand};
use std::time::Duration;

/// The arguments of `git mend hook`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  git mend hook install
  git mend hook install pre-push post-checkout
  git mend hook uninstall

What is in a hook's file already stays there. A push or merge is held back if a test fails that passed before;
what cannot be checked, or not in time, is named and let through. `--no-verify` goes past it.")]
pub(in crate::cli) struct HookArguments {
    #[command(subcommand)]
    pub(in crate::cli) action: HookAction,
}

/// What to do about hooks.
#[derive(Debug, Subcommand)]
pub(in crate::cli) enum HookAction {
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
pub(in crate::cli) struct HookNames {
    /// pre-push, pre-merge-commit or post-checkout
    #[arg(value_name = "NAME")]
    pub(in crate::cli) names: Vec<GitHook>,
}

/// A hook that git calls.
#[derive(Debug, Args)]
pub(in crate::cli) struct HookRun {
    /// pre-push, pre-merge-commit or post-checkout
    #[arg(value_name = "NAME")]
    pub(in crate::cli) name: GitHook,
    /// What git calls the hook with
    #[arg(value_name = "ARG")]
    pub(in crate::cli) arguments: Vec<String>,
    /// How long tests may run, such as 30s or 2m; what does not fit is named
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    pub(in crate::cli) budget: Option<Duration>,
}
