//! Arguments of the commands `delta`, `doctor`, `report`, `mcp` and `generate`, which run no tests themselves.

use super::search::DownloadArguments;
use super::values::{JavaGranularityOption, parse_model};
use crate::run::ComponentChoice;
use clap::{Args, Subcommand};
use mend_engine::ModelSource;
use std::path::PathBuf;

/// Arguments of `git mend delta`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  git mend delta v1.4 main
  git mend delta v1.4 main --apply 3,7-9 --output ../variant
  git mend delta v1.4 main --format dot | dot -Tsvg > delta.svg

A component is a set of hunks that are applied together. A dependency means that one component
does not work without another, for example because it calls a method that the other one adds.

Exit codes:
  0    the delta was printed, or the variant was written
  2    usage error
  4    environment, such as a full disk or an incomplete clone
  70   internal error; a report file is written
  130  interrupted")]
pub(crate) struct DeltaArguments {
    /// The old version: a revision or a folder
    #[arg(value_name = "A")]
    pub(crate) a: String,
    /// The new version: a revision or a folder
    #[arg(value_name = "B")]
    pub(crate) b: String,
    /// Write A with these components of B, and the components they depend on, to --output: all, none or 3,7-9
    #[arg(long, value_name = "COMPONENTS", requires = "output")]
    pub(crate) apply: Option<ComponentChoice>,
    /// Folder for --apply; it must be empty or new
    #[arg(long, value_name = "DIR", requires = "apply")]
    pub(crate) output: Option<PathBuf>,
    /// How to split Java files into hunks: along the syntax tree, or by lines for comparison
    #[arg(long, value_enum, default_value_t)]
    pub(crate) java: JavaGranularityOption,
    #[command(flatten)]
    pub(crate) downloads: DownloadArguments,
}

/// Arguments of `git mend doctor`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  git mend doctor
  git mend doctor -C your/java/repository --format json
  git mend doctor --record project.json
  git mend doctor --github

It changes nothing, and downloads nothing but with --record, which writes the whole project model.
You can edit that and use it on another machine with --project instead of the build files.

Exit codes:
  0    nothing is missing
  2    usage error
  4    something is missing that a run needs
  70   internal error; a report file is written")]
pub(crate) struct DoctorArguments {
    /// Write the project model to FILE
    #[arg(long, value_name = "FILE")]
    pub(crate) record: Option<PathBuf>,
    /// Read the project model from FILE, written by --record, instead of from the build files
    #[arg(long, value_name = "FILE")]
    pub(crate) project: Option<PathBuf>,
    /// Where the project model comes from: the build tool, or the build files without running it [default: auto]
    #[arg(long, value_parser = parse_model, value_name = "auto|tool|files")]
    pub(crate) model: Option<ModelSource>,
    /// Forbid the build tool to download libraries; only with --record it may
    #[arg(long)]
    pub(crate) offline: bool,
    /// Also check the token, the settings and the branch rules of the repository on GitHub
    #[arg(long)]
    pub(crate) github: bool,
}

/// Arguments of `git mend report`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  git mend report
  git mend report .git/mend/runs/2026-03-14T15-09-26 --output found.html
  git mend report --pictures pictures

The page is one file that needs no network. The command prints its path, then those of the
pictures.

Exit codes:
  0    the page was written
  2    usage error, such as a folder that is not a run folder
  4    environment, such as a full disk
  70   internal error; a report file is written")]
pub(crate) struct ReportArguments {
    /// A run folder, or `latest` [default: latest]
    #[arg(value_name = "RUN")]
    pub(crate) run: Option<PathBuf>,
    /// Write the page to FILE [default: report.html in the run folder]
    #[arg(long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Also write the pictures of the page to DIR, as SVG files
    #[arg(long, value_name = "DIR")]
    pub(crate) pictures: Option<PathBuf>,
}

/// Arguments of `git mend mcp`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  git mend mcp
  git mend mcp -C your/java/repository --answer-tokens 2000

A coding agent starts this command and talks to it on standard input and output; docs/agents.md
has the line for each client. The tools run tests, find culprits, split changes, validate and
minimise patches, and explore thread schedules. When the client ends, so do all processes; the
run folders stay, and the runs can be continued.

Exit codes:
  0    the client closed the connection, or a signal stopped the server
  2    usage error
  70   internal error; a report file is written")]
pub(crate) struct McpArguments {
    /// Maximum size of an answer; the rest is in the run folder. A token counts as four bytes
    #[arg(long, value_name = "N", default_value_t = 4000, value_parser = clap::value_parser!(u16).range(500..))]
    pub(crate) answer_tokens: u16,
    /// Let `find_culprit` run any command that the client names, instead of tests only
    #[arg(long)]
    pub(crate) allow_commands: bool,
}

/// Arguments of `git mend generate`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  git mend generate man
  source <(git mend generate completions bash)
  git mend generate schema > git-mend.schema.json")]
pub(crate) struct GenerateArguments {
    #[command(subcommand)]
    pub(crate) what: GenerateTarget,
}

/// Files that the program generates.
#[derive(Debug, Subcommand)]
pub(crate) enum GenerateTarget {
    /// Write man pages, so that `git mend --help` works
    #[command(after_help = "Examples:
  git mend generate man
  git mend generate man --output /usr/local/share/man

Exit codes:
  0    the man pages were written
  2    usage error: the folder cannot be written
  70   internal error; a report file is written")]
    Man {
        /// A folder of man pages; the pages go into its `man1` [default: ../share/man next to the folder of this
        /// program, where `man` searches if that is on the PATH]
        #[arg(long, value_name = "DIR")]
        output: Option<PathBuf>,
    },
    /// Print shell completions; in bash, zsh and fish for `git mend` and `git-mend`
    #[command(after_help = "Examples, which install them for your user:
  mkdir -p ~/.local/share/bash-completion/completions ~/.zfunc ~/.config/fish/completions
  git mend generate completions bash > ~/.local/share/bash-completion/completions/git-mend
  git mend generate completions zsh > ~/.zfunc/_git-mend
  git mend generate completions fish > ~/.config/fish/completions/git-mend.fish

For zsh, add `fpath+=~/.zfunc` to ~/.zshrc before `compinit`.

Exit codes:
  0    the completions were printed
  2    usage error")]
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print the JSON Schema of .git-mend.toml, for editors
    #[command(after_help = "Example:
  git mend generate schema > git-mend.schema.json

Exit codes:
  0    the schema was printed
  70   internal error; a report file is written")]
    Schema,
    /// Print the JSON Schema of the lines that `git mend fix --generator` exchanges
    #[command(after_help = "Example:
  git mend generate generator-schema > git-mend-generator.schema.json

Exit codes:
  0    the schema was printed
  70   internal error; a report file is written")]
    GeneratorSchema,
    /// Print a page for your repository that tells coding agents when to use which tool
    #[command(after_help = "Example:
  git mend generate skill > SKILL.md

Exit codes:
  0    the page was printed")]
    Skill,
    /// Print the guide's page of commands, in Markdown
    #[command(after_help = "Example:
  git mend generate commands > docs/commands.md

Exit codes:
  0    the page was printed")]
    Commands,
    /// Print the guide's page of settings, in Markdown
    #[command(after_help = "Example:
  git mend generate settings > docs/settings.md

Exit codes:
  0    the page was printed")]
    Settings,
}
