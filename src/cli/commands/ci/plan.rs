//! Command `git mend ci plan`: does the baseline check of a run, and prints the matrix of the jobs that share it.

use super::sharded_command::ShardedCommand;
use crate::cli::arguments::{CiPlanArguments, Shared};
use crate::cli::output::console::Console;
use crate::cli::output::run_result::print_run_result;
use crate::run::{Context, Shard};
use mend_model::{Exit, Result};
use serde_json::json;
use std::sync::Arc;

pub(super) fn run(
    options: &CiPlanArguments,
    shared: &Shared,
    context: &Context,
    console: &Arc<Console>,
) -> Result<Exit> {
    let command = ShardedCommand::parse(&options.command, shared)?;
    let max_shards = usize::from(options.shards);
    let (finished_run, item_count) = command.plan(max_shards, context)?;
    if finished_run.problem.is_some() {
        return print_run_result(&finished_run, shared, console, &[]);
    }
    console.clear_progress();
    if let Some(message) = &finished_run.result.message {
        console.print_message(message);
    }
    let shards: Vec<String> =
        Shard::all(item_count.min(max_shards)).map(|shard| shard.to_string()).collect();
    Console::print_raw_result(&format!("{}\n", json!({ "shard": shards })));
    Ok(finished_run.exit)
}
