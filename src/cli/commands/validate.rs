//! Command `git mend validate`: builds the request from arguments and settings, and runs it.

use crate::cli::arguments::{Command, Shared, ValidateArguments};
use crate::cli::output::console::Console;
use crate::cli::output::run_result::print_run_result;
use crate::cli::settings::Settings;
use crate::cli::subject_request::{ResumableRun, command_line};
use crate::run::{self, Context, Repeat, ValidateRequest};
use mend_model::{Exit, Problem, Result};
use std::ffi::OsString;
use std::sync::Arc;

pub(crate) fn run(
    options: &ValidateArguments,
    shared: &Shared,
    context: &Context,
    console: &Arc<Console>,
    arguments: &[OsString],
) -> Result<Exit> {
    let is_unspecified = options.pool.is_none() && options.subject.test.is_empty();
    let request = if options.subject.resume && is_unspecified {
        resume_request(options, shared)?
    } else {
        build_request(options, shared, command_line(arguments))?
    };
    print_run_result(&run::validate(&request, context)?, shared, console, arguments)
}

/// Returns the request that continues an unfinished run.
fn resume_request(options: &ValidateArguments, shared: &Shared) -> Result<ValidateRequest> {
    let remedy = "start a run with --pool and --test";
    let resumable_run = ResumableRun::find("validate", &options.subject, shared, remedy)?;
    let Some(Command::Validate(earlier_arguments)) = resumable_run.parse_command() else {
        return Err(resumable_run.not_resumable_error());
    };
    let request = build_request(&earlier_arguments, shared, resumable_run.command_line.clone())?;
    Ok(ValidateRequest { subject: resumable_run.resume_with(request.subject), ..request })
}

/// Builds the request from the arguments and the settings.
pub(crate) fn build_request(
    options: &ValidateArguments,
    shared: &Shared,
    command_line: Vec<String>,
) -> Result<ValidateRequest> {
    let usage = |message: &str, remedy: &str| Problem::Usage {
        message: message.to_owned(),
        remedy: remedy.to_owned(),
    };
    let dir = shared.working_dir()?;
    let pool =
        options.pool.as_ref().map(|pool| dir.join(pool)).ok_or_else(|| {
            usage("no patches given", "add `--pool DIR` with a folder of patches")
        })?;
    let settings = Settings::read(&dir)?;
    let oracle =
        options.subject.parse_selectors("add `--test pkg.Class`, or a glob for a whole suite")?;
    let bad = options.subject.bad.clone().unwrap_or_else(|| "HEAD".to_owned());
    let subject = options.subject.to_request(&settings, &dir, bad, oracle, command_line)?;
    if subject.repeat == Repeat::Auto {
        let remedy = "give a number, such as --repeat 5";
        return Err(usage("`git mend validate` does not take --repeat auto", remedy));
    }
    let (minimise, runs_all_tests) = (options.minimise, options.no_fail_fast);
    Ok(ValidateRequest { subject, pool, minimise, runs_all_tests })
}
