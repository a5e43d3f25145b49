//! The command line of what shows something, and tries nothing.

use super::values::JavaChoice;
use crate::run::Choice;
use clap::{Args, Subcommand};
use std::path::PathBuf;

/// The arguments of `git mend delta`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  git mend delta v1.4 main
  git mend delta v1.4 main --apply 3,7-9 --output ../variant
  git mend delta v1.4 main --format dot | dot -Tsvg > delta.svg")]
pub(in crate::cli) struct DeltaArguments {
    /// The old version, a revision or a folder
    #[arg(value_name = "A")]
    pub(in crate::cli) a: String,
    /// The new version, a revision or a folder
    #[arg(value_name = "B")]
    pub(in crate::cli) b: String,
    /// Write the version with these components, and what they need, to --output: all, none or 3,7-9
    #[arg(long, value_name = "COMPONENTS", requires = "output")]
    pub(in crate::cli) apply: Option<Choice>,
    /// An empty or new folder for what --apply makes
    #[arg(long, value_name = "DIR", requires = "apply")]
    pub(in crate::cli) output: Option<PathBuf>,
    /// How Java files are taken apart: along the syntax tree, or by lines for comparison
    #[arg(long, value_enum, default_value_t)]
    pub(in crate::cli) java: JavaChoice,
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
pub(in crate::cli) struct DoctorArguments {
    /// Write what is understood of the build files to FILE
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) record: Option<PathBuf>,
    /// Take the project's model from FILE, as --record wrote it, instead of from the build files
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) project: Option<PathBuf>,
}

/// The arguments of `git mend report`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  git mend report
  git mend report .git/mend/runs/2026-03-14T15-09-26 --output found.html
  git mend report --pictures pictures

The page is one file that needs no network; its path is printed, and below it those of the pictures.")]
pub(in crate::cli) struct ReportArguments {
    /// A run folder, or `latest` [default: latest]
    #[arg(value_name = "RUN")]
    pub(in crate::cli) run: Option<PathBuf>,
    /// Write the page to FILE [default: report.html in the run folder]
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) output: Option<PathBuf>,
    /// Write the pictures of the page to DIR too, as SVG files for slides and letters
    #[arg(long, value_name = "DIR")]
    pub(in crate::cli) pictures: Option<PathBuf>,
}

/// The arguments of `git mend generate`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  git mend generate man
  source <(git mend generate completions bash)
  git mend generate schema > git-mend.schema.json")]
pub(in crate::cli) struct GenerateArguments {
    #[command(subcommand)]
    pub(in crate::cli) what: Generated,
}

/// What the program can write of itself.
#[derive(Debug, Subcommand)]
pub(in crate::cli) enum Generated {
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
