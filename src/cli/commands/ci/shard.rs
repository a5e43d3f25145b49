//! Command `git mend ci shard`: tests one part of a run, for a later job.

use super::sharded_command::ShardedCommand;
use super::time_limit::run_within;
use crate::cli::arguments::{CiShardArguments, Format, Shared};
use crate::cli::output::console::Console;
use crate::cli::output::run_result::print_run_result;
use crate::run::Context;
use mend_model::{Exit, Result, format_count};
use std::sync::Arc;

pub(super) fn run(
    options: &CiShardArguments,
    shared: &Shared,
    context: &Context,
    console: &Arc<Console>,
) -> Result<Exit> {
    let command = ShardedCommand::parse(&options.command, shared)?;
    let (finished_run, is_timed_out) =
        run_within(options.budget, context, || command.run_shard(options.shard, context));
    let finished_run = finished_run?;
    let result = &finished_run.result;
    let was_stopped = is_timed_out && finished_run.exit == Exit::Interrupted;
    if finished_run.problem.is_some() && !was_stopped {
        return print_run_result(&finished_run, shared, console, &[]);
    }
    console.clear_progress();
    let message = if was_stopped {
        let tests = format_count(result.cost.tests, "test run");
        format!("shard {}: time limit reached after {tests}; the rest is left", options.shard)
    } else {
        result.message.clone().unwrap_or_default()
    };
    match shared.format {
        Format::Json => Console::print_json_result(result)?,
        Format::Human | Format::Dot => console.print_human_result(&format!("{message}\n")),
    }
    Ok(Exit::Found)
}
