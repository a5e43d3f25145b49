//! Output of a finished run: prints its result and returns the exit code.

use super::console::Console;
use crate::cli::arguments::{Format, Shared};
use crate::cli::output::crash_report;
use crate::run::{FinishedRun, runs_of};
use anyhow::Context as _;
use mend_model::{Exit, Result};
use mend_report::{OutputContext, format_problem as told, format_result};
use std::ffi::OsString;
use std::path::Path;

/// Prints the result of a run and returns the exit code.
pub(crate) fn conclude(
    ending: &FinishedRun,
    shared: &Shared,
    console: &Console,
    arguments: &[OsString],
) -> Result<Exit> {
    console.finish();
    let result = &ending.result;
    let has_patch = result.culprit.is_some()
        || result.fix.is_some()
        || !result.patches.is_empty()
        || result.schedules.is_some()
        || !result.fixes.is_empty();
    let has_answer = ending.guilty.is_some() || has_patch;
    match shared.format {
        Format::Json => {
            let text = serde_json::to_string_pretty(result).context("writing JSON")?;
            Console::answer(&format!("{text}\n"));
        }
        Format::Human if ending.problem.is_none() || has_answer => {
            let (guilty, style) = (ending.guilty.as_ref(), console.answer_style());
            let elsewhere = (shared.dir != Path::new(".")).then_some(shared.dir.as_path());
            let is_found = ending.folder.starts_with(runs_of(&shared.dir));
            let scene = OutputContext {
                folder: &ending.folder,
                is_default_location: is_found,
                project_folder: elsewhere,
                can_read_folder: true,
            };
            console.show(&format_result(result, guilty, &scene, &style)?);
        }
        Format::Human | Format::Dot => {}
    }
    if let Some(problem) = &ending.problem {
        console.error(&told(problem, Some(&ending.folder), &console.talk_style()));
        crash_report::report(problem, arguments, console);
    }
    Ok(ending.exit)
}
