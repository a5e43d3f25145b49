//! Command `git mend ci`, for jobs of a workflow. Its subcommand `search` runs project code without write permission;
//! `publish` has write permission and runs no project code. `plan`, `shard` and `merge` divide a run among jobs.

mod merge;
mod plan;
mod publish;
mod search;
mod shard;
mod sharded_command;
mod time_limit;

use crate::cli::arguments::{CiCommand, Shared};
use crate::cli::output::console::Console;
use crate::run::Context;
use mend_model::{Exit, Result};
use std::sync::Arc;

pub(crate) fn run(
    command: &CiCommand,
    shared: &Shared,
    context: &Context,
    console: &Arc<Console>,
) -> Result<Exit> {
    match command {
        CiCommand::Search(options) => search::run(options, shared, context, console),
        CiCommand::Publish(options) => publish::run(options, shared),
        CiCommand::Plan(options) => plan::run(options, shared, context, console),
        CiCommand::Shard(options) => shard::run(options, shared, context, console),
        CiCommand::Merge(options) => merge::run(options, shared, console),
    }
}
