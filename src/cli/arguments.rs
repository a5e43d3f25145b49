//! The command line as it is typed.

mod github;
mod hook;
mod search;
mod values;
mod views;

pub(super) use github::{
    CiCommand, CiPostArguments, CiSearchArguments, PrArguments, ServeArguments,
};
pub(super) use hook::{HookAction, HookArguments, HookNames, HookRun};
pub(super) use search::{
    BisectArguments, DemoArguments, ExploreArguments, FixArguments, SubjectArguments,
    ValidateArguments,
};
pub(super) use values::{UnitsChoice, parse_build, parse_repeat, parse_time};
pub(super) use views::{
    DeltaArguments, DoctorArguments, GenerateArguments, Generated, ReportArguments,
};

use clap::{Args, Parser, Subcommand, ValueEnum};
use std::ffi::OsString;
use std::path::PathBuf;

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
    /// For people: one screen, but for a delta, of which every component is shown.
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
}
