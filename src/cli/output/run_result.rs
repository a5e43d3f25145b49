//! Output of a finished run: prints its result and returns the exit code.

use super::console::Console;
use crate::cli::arguments::{Format, Shared};
use crate::cli::output::crash_report;
use crate::run::{FinishedRun, runs_folder_of};
use mend_model::{Exit, Result};
use mend_report::{OutputContext, format_problem, format_result};
use std::ffi::OsString;
use std::path::Path;

/// Prints the result of a run and returns the exit code.
pub(crate) fn print_run_result(
    finished_run: &FinishedRun,
    shared: &Shared,
    console: &Console,
    arguments: &[OsString],
) -> Result<Exit> {
    console.clear_progress();
    let result = &finished_run.result;
    let has_patch = result.culprit.is_some()
        || result.fix.is_some()
        || !result.patches.is_empty()
        || result.schedules.is_some()
        || !result.fixes.is_empty()
        || !result.unverified_fixes.is_empty();
    let has_finding = finished_run.culprit_commit.is_some() || has_patch;
    match shared.format {
        Format::Json => Console::print_json_result(result)?,
        Format::Human if finished_run.problem.is_none() || has_finding => {
            let (guilty, style) = (finished_run.culprit_commit.as_ref(), console.result_style());
            let output_context = output_context(&finished_run.folder, shared);
            console.print_human_result(&format_result(result, guilty, &output_context, &style)?);
        }
        Format::Human | Format::Dot => {}
    }
    if let Some(problem) = &finished_run.problem {
        console.print_error(&format_problem(
            problem,
            Some(&finished_run.folder),
            &console.message_style(),
        ));
        crash_report::report_internal_error(problem, arguments, console);
    }
    Ok(finished_run.exit)
}

/// Returns the context of a user in the current folder.
pub(crate) fn output_context<'a>(folder: &'a Path, shared: &'a Shared) -> OutputContext<'a> {
    OutputContext {
        is_default_location: folder.starts_with(runs_folder_of(&shared.dir)),
        project_folder: (shared.dir != Path::new(".")).then_some(shared.dir.as_path()),
        ..OutputContext::new(folder)
    }
}
