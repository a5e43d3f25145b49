//! Command `git mend explore`: builds the request from arguments and settings, and runs it.

use crate::cli::arguments::{Command, ExploreArguments, Shared};
use crate::cli::output::console::Console;
use crate::cli::output::run_result::print_run_result;
use crate::cli::settings::Settings;
use crate::cli::subject_request::{ResumableRun, command_line, read_expected_output};
use crate::run::{self, Context, DEFAULT_SCHEDULERS, ExploreRequest};
use mend_engine::FailureGoal;
use mend_model::{Exit, Problem, Result};
use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;

pub(crate) fn run(
    options: &ExploreArguments,
    shared: &Shared,
    context: &Context,
    console: &Arc<Console>,
    arguments: &[OsString],
) -> Result<Exit> {
    let request = if options.subject.resume && options.subject.test.is_empty() {
        resume_request(options, shared)?
    } else {
        build_request(options, shared, command_line(arguments))?
    };
    print_run_result(&run::explore(&request, context)?, shared, console, arguments)
}

/// Returns the request of an unfinished run. The same seed gives the same schedules.
fn resume_request(options: &ExploreArguments, shared: &Shared) -> Result<ExploreRequest> {
    let resumable_run =
        ResumableRun::find("explore", &options.subject, shared, "start a run with --test")?;
    let Some(Command::Explore(earlier_arguments)) = resumable_run.parse_command() else {
        return Err(resumable_run.not_resumable_error());
    };
    let request = build_request(&earlier_arguments, shared, resumable_run.command_line.clone())?;
    Ok(ExploreRequest { subject: resumable_run.resume_with(request.subject), ..request })
}

/// Builds the request from the arguments and the settings.
fn build_request(
    options: &ExploreArguments,
    shared: &Shared,
    command_line: Vec<String>,
) -> Result<ExploreRequest> {
    let dir = shared.working_dir()?;
    let settings = Settings::read(&dir)?.without_executor();
    let oracle =
        options.subject.parse_selectors("add `--test pkg.Class` with a test that uses threads")?;
    let bad = options.subject.bad.clone().unwrap_or_else(|| "HEAD".to_owned());
    let subject = options.subject.to_request(&settings, &dir, bad, oracle, command_line)?;
    if subject.executor.is_some() {
        return Err(Problem::Usage {
            message: "explore runs its schedules on this machine".to_owned(),
            remedy: "omit --executor; `git mend bisect --schedules N` has workers run schedules"
                .to_owned(),
        });
    }
    let chosen_schedulers = &options.scheduler[..];
    let samplers = if chosen_schedulers.is_empty() {
        DEFAULT_SCHEDULERS.to_vec()
    } else {
        chosen_schedulers.to_vec()
    };
    let replay = options.replay.as_ref().map(|file| dir.join(file));
    let audit = options.audit.as_ref().map(|file| dir.join(file));
    let expected = read_expected_output(&dir, options.expect_output.as_deref())?;
    let goal = options.symptom.as_deref().map(|file| read_goal(&dir, file)).transpose()?;
    let schedules = options.schedules;
    Ok(ExploreRequest { subject, schedules, samplers, replay, expected, goal, audit })
}

/// Reads the failure to reproduce from a file with a stack trace.
fn read_goal(dir: &Path, file: &Path) -> Result<FailureGoal> {
    let path = dir.join(file);
    let log = std::fs::read(&path).map_err(|error| Problem::Usage {
        message: format!("cannot read {}: {error}", path.display()),
        remedy: "name a file with the stack trace of the failure".to_owned(),
    })?;
    FailureGoal::from_log(&String::from_utf8_lossy(&log)).ok_or_else(|| Problem::Usage {
        message: format!("no stack trace found in {}", path.display()),
        remedy: "write the exception on a line of its own, with the lines `at …` below it"
            .to_owned(),
    })
}
