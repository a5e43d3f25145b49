//! Commands that jobs can share.

use crate::cli::arguments::{Arguments, Command, Shared};
use crate::cli::commands::{bisect, validate};
use crate::cli::subject_request::command_line;
use crate::run::{
    self, BisectRequest, Context, FinishedRun, Shard, SubjectRequest, ValidateRequest,
    create_run_folder, runs_folder_of,
};
use clap::Parser as _;
use mend_model::{Problem, Result};
use std::ffi::OsString;
use std::path::Path;

/// Command whose variants several jobs test.
pub(super) enum ShardedCommand {
    Bisect(Box<BisectRequest>),
    Validate(Box<ValidateRequest>),
}

impl ShardedCommand {
    /// Parses the words after `--`.
    ///
    /// # Errors
    /// [`Problem::Usage`] for other commands, and the errors of the command.
    pub(super) fn parse(words: &[OsString], shared: &Shared) -> Result<Self> {
        let words: Vec<OsString> =
            std::iter::once("git-mend".into()).chain(words.iter().cloned()).collect();
        let arguments = Arguments::try_parse_from(&words).map_err(|error| parse_problem(&error))?;
        if arguments.shared.dir != Path::new(".") {
            return Err(usage("-C is an option of `ci`", "write it before `ci`"));
        }
        let command_line = command_line(&words);
        match &arguments.command {
            Command::Bisect(options) => {
                let request = bisect::build_request(options, shared, command_line)?;
                let subject = in_new_folder(request.subject, shared)?;
                Ok(Self::Bisect(Box::new(BisectRequest { subject, ..request })))
            }
            Command::Validate(options) => {
                let request = validate::build_request(options, shared, command_line)?;
                let subject = in_new_folder(request.subject, shared)?;
                Ok(Self::Validate(Box::new(ValidateRequest { subject, ..request })))
            }
            _ => Err(usage(
                "only `bisect` and `validate` have shards",
                "run other commands in one job, or with --executor",
            )),
        }
    }

    /// Does the baseline check. Returns the number of variants that up to `max_shards` jobs can test at the same time.
    pub(super) fn plan(
        &self,
        max_shards: usize,
        context: &Context,
    ) -> Result<(FinishedRun, usize)> {
        match self {
            Self::Bisect(request) => run::plan_bisection(request, max_shards, context),
            Self::Validate(request) => run::plan_validation(request, context),
        }
    }

    /// Tests the variants of a shard.
    pub(super) fn run_shard(&self, shard: Shard, context: &Context) -> Result<FinishedRun> {
        match self {
            Self::Bisect(request) => run::bisect_shard(request, shard, context),
            Self::Validate(request) => run::validate_shard(request, shard, context),
        }
    }
}

/// Returns the request with a run folder of its own: `--output` is for the last job. The clean builds of earlier jobs
/// count, as they do for a run that is continued.
fn in_new_folder(subject: SubjectRequest, shared: &Shared) -> Result<SubjectRequest> {
    let folder = create_run_folder(&runs_folder_of(&shared.dir))?;
    Ok(SubjectRequest { output: Some(folder), is_resumed: true, ..subject })
}

fn usage(message: &str, remedy: &str) -> Problem {
    Problem::Usage { message: message.to_owned(), remedy: remedy.to_owned() }
}

/// Returns the problem of words that are no command.
fn parse_problem(error: &clap::Error) -> Problem {
    let text = error.to_string();
    let line = text.lines().next().unwrap_or_default();
    usage(line.trim_start_matches("error: "), "write the command after `--` as for a single job")
}
