//! Definition of the command line: commands, options and their help texts.

mod github;
mod hook;
mod search;
mod shards;
mod values;
mod views;

pub(super) use github::{
    CiCommand, CiPublishArguments, CiSearchArguments, PrArguments, ServeArguments,
    SetupAppArguments, SetupCommand, SetupGithubArguments,
};
pub(super) use hook::{HookAction, HookArguments, HookNames, HookRunArguments};
pub(super) use search::{
    BisectArguments, DemoArguments, ExecutorArguments, ExploreArguments, FixArguments,
    GeneratorArguments, SubjectArguments, TestArguments, UpgradeArguments, ValidateArguments,
};
pub(super) use shards::{CiMergeArguments, CiPlanArguments, CiShardArguments};
pub(super) use values::{
    ExecutorChoice, SearchedFiles, parse_build, parse_duration, parse_executor, parse_model,
    parse_repeat,
};
pub(super) use views::{
    DeltaArguments, DoctorArguments, GenerateArguments, GenerateTarget, McpArguments,
    ReportArguments,
};

use clap::{Args, Parser, Subcommand, ValueEnum};
use mend_model::{Problem, Result};
use std::ffi::OsString;
use std::fmt::Display;
use std::path::PathBuf;

/// Finds the commit and the tokens that break a Java test, and a minimal verified fix.
#[derive(Debug, Parser)]
#[command(
    name = "git-mend",
    bin_name = "git mend",
    version = super::version::SHORT_VERSION,
    long_version = super::version::LONG_VERSION.as_str(),
    disable_help_subcommand = true,
    after_help = "Examples:
  git mend demo
  git mend bisect --good v1.4 --bad main --test shop.CartTest#total
  git mend fix --test 'shop.*Test'

`git mend COMMAND -h` explains a command with its options, examples and exit codes.

Exit codes:
  0    found
  1    searched, none found
  2    usage error
  3    baseline check failed: good does not pass, or bad does not fail
  4    environment: no JDK, a missing library, a broken build, or GitHub refused a request
  5    the test is too flaky for a certain result
  70   internal error; a report file is written
  130  interrupted
`explore` and `hook run` exit with 1 if they find a failure, else with 0."
)]
pub(super) struct Arguments {
    #[command(flatten)]
    pub(super) shared: Shared,
    #[command(subcommand)]
    pub(super) command: Command,
}

/// Options of every command.
#[derive(Clone, Debug, Args)]
pub(crate) struct Shared {
    /// Run as if git mend was started in DIR
    #[arg(short = 'C', value_name = "DIR", default_value = ".", global = true)]
    pub(super) dir: PathBuf,
    /// Format of the result on standard output
    #[arg(long, value_enum, default_value_t, global = true)]
    pub(super) format: Format,
    /// Print only the result
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub(super) quiet: bool,
    /// Print every test run
    #[arg(short, long, global = true)]
    pub(super) verbose: bool,
    /// Print for screen readers: words instead of symbols and colours, and no progress line
    #[arg(long, global = true)]
    pub(super) plain: bool,
    /// When to use colour
    #[arg(long, value_enum, default_value_t, value_name = "WHEN", global = true)]
    pub(super) color: ColorWhen,
}

impl Shared {
    /// Returns the absolute path of the folder to work in.
    ///
    /// # Errors
    /// [`Problem::Usage`] if it is no folder, or if it was deleted.
    pub(super) fn working_dir(&self) -> Result<PathBuf> {
        let unusable = |reason: &dyn Display| Problem::Usage {
            message: format!("cannot work in {}: {reason}", self.dir.display()),
            remedy: "change to an existing folder, or name one with -C".to_owned(),
        };
        let folder = std::path::absolute(&self.dir).map_err(|error| unusable(&error))?;
        match folder.metadata() {
            Ok(metadata) if metadata.is_dir() => Ok(folder),
            Ok(_) => Err(unusable(&"not a folder")),
            Err(error) => Err(unusable(&error)),
        }
    }
}

/// Format of the result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// Text for people: one screen; `git mend delta` shows every component.
    #[default]
    Human,
    /// One JSON object: the content of result.json, or the delta.
    Json,
    /// Dependency graph for Graphviz; only for `git mend delta`.
    Dot,
}

/// When to use colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum ColorWhen {
    /// On a terminal, unless `NO_COLOR` is set.
    #[default]
    Auto,
    /// Always, also in files and pipes.
    Always,
    /// Never.
    Never,
}

/// Commands of the program.
#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Find the culprit commit of a failing test, the minimal culprit in it, and a minimal fix
    Bisect(Box<BisectArguments>),
    /// Search for small verified fixes for failing tests
    Fix(Box<FixArguments>),
    /// Explore thread schedules of a test to find concurrency bugs
    Explore(Box<ExploreArguments>),
    /// Validate candidate patches: which of them fix the failing tests without breaking others
    Validate(Box<ValidateArguments>),
    /// Find the upgrades of libraries, plugins and Java that break a test, and the last versions that pass
    Upgrade(Box<UpgradeArguments>),
    /// Split the diff between two versions into components and show their dependencies
    Delta(DeltaArguments),
    /// Create a small Java repository in a temporary folder and bisect it
    Demo(DemoArguments),
    /// Open a fix pull request on GitHub for a run
    Pr(PrArguments),
    /// Find the culprit of a failed GitHub Actions build, publish the result, or divide a run among jobs
    #[command(subcommand)]
    Ci(CiCommand),
    /// List what is missing on this machine and for this project, and how to get it
    Doctor(DoctorArguments),
    /// Manage git hooks that run the affected tests before a push or merge
    Hook(HookArguments),
    /// Write the report of a run as one self-contained HTML page
    Report(ReportArguments),
    /// Run the server of the GitHub App, which finds the culprits of failed checks
    Serve(ServeArguments),
    /// Write the workflow files for this repository, or create the GitHub App
    #[command(subcommand)]
    Setup(SetupCommand),
    /// Serve coding agents with the Model Context Protocol on standard input and output
    Mcp(McpArguments),
    /// Run the tests of one version; for `git mend mcp`
    #[command(hide = true)]
    Test(Box<TestArguments>),
    /// Generate man pages, shell completions, a page for coding agents, and the JSON Schema of the settings
    Generate(GenerateArguments),
    /// Unknown command, for the error message.
    #[command(external_subcommand)]
    Other(Vec<OsString>),
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory as _;

    #[test]
    fn command_definition_is_valid() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn every_option_has_help() {
        for subcommand in Arguments::command().get_subcommands() {
            for argument in subcommand.get_arguments() {
                assert!(
                    argument.get_help().is_some(),
                    "{} {}",
                    subcommand.get_name(),
                    argument.get_id()
                );
            }
        }
    }

    fn assert_help_is_complete(command: &clap::Command) {
        let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
        for heading in ["Example", "Exit codes:\n"] {
            assert!(help.contains(heading), "{}: {heading}", command.get_name());
        }
    }

    #[test]
    fn every_command_documents_examples_and_exit_codes() {
        let command = Arguments::command();
        assert_help_is_complete(&command);
        for subcommand in command.get_subcommands() {
            if subcommand.has_subcommands() {
                subcommand.get_subcommands().for_each(assert_help_is_complete);
            } else {
                assert_help_is_complete(subcommand);
            }
        }
    }
}
