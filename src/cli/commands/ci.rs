//! Command `git mend ci`, for failed builds. Its subcommand `search` runs project code without write permission;
//! `publish` has write permission and runs no project code.

mod publish;
mod search;

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
    }
}
