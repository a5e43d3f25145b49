//! `git mend explore`: builds the request from arguments and settings, and runs it.

use crate::cli::arguments::{Command, ExploreArguments, Shared};
use crate::cli::output::console::Console;
use crate::cli::output::run_result::conclude;
use crate::cli::settings::Settings;
use crate::cli::subject_request::{ResumableRun, command_line, expected_output};
use crate::run::{self, Context, ExploreRequest, SAMPLERS};
use mend_model::{Exit, Problem, Result};
use std::ffi::OsString;
use std::sync::Arc;

pub(crate) fn run(
    options: &ExploreArguments,
    shared: &Shared,
    context: &Context,
    console: &Arc<Console>,
    arguments: &[OsString],
) -> Result<Exit> {
    let request = if options.subject.resume && options.subject.test.is_empty() {
        resumed(options, shared)?
    } else {
        request(options, shared, command_line(arguments))?
    };
    conclude(&run::explore(&request, context)?, shared, console, arguments)
}

/// Returns the request of an unfinished run; the same seed gives the same schedules.
fn resumed(options: &ExploreArguments, shared: &Shared) -> Result<ExploreRequest> {
    let unfinished =
        ResumableRun::find("explore", &options.subject, shared, "start a run with --test")?;
    let Some(Command::Explore(before)) = unfinished.command() else {
        return Err(unfinished.foreign());
    };
    let request = request(&before, shared, unfinished.command_line.clone())?;
    Ok(ExploreRequest { subject: unfinished.taken_up(request.subject), ..request })
}

/// Builds the request from the arguments and the settings.
fn request(
    options: &ExploreArguments,
    shared: &Shared,
    command_line: Vec<String>,
) -> Result<ExploreRequest> {
    let dir = std::path::absolute(&shared.dir).map_err(|error| Problem::io(error, &shared.dir))?;
    let settings = Settings::read(&dir)?;
    let oracle = options.subject.tests("add `--test pkg.Class` with a test that uses threads")?;
    let bad = options.subject.bad.clone().unwrap_or_else(|| "HEAD".to_owned());
    let subject = options.subject.request(&settings, &dir, bad, oracle, command_line)?;
    let asked = &options.scheduler[..];
    let samplers = if asked.is_empty() { SAMPLERS.to_vec() } else { asked.to_vec() };
    let replay = options.replay.as_ref().map(|file| dir.join(file));
    let audit = options.audit.as_ref().map(|file| dir.join(file));
    let expected = expected_output(&dir, options.expect_output.as_deref())?;
    let schedules = options.schedules;
    Ok(ExploreRequest { subject, schedules, samplers, replay, expected, audit })
}
