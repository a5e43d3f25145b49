//! `git mend ci`: the two halves of a job on a build that failed. The first runs the code of the build and may write
//! nothing; the second may write and runs nothing.

mod post;
mod search;

use super::arguments::{CiCommand, Shared};
use super::console::Console;
use crate::model::{Exit, Result};
use crate::run::Context;
use std::sync::Arc;

pub(super) fn run(
    command: &CiCommand,
    shared: &Shared,
    context: &Context,
    console: &Arc<Console>,
) -> Result<Exit> {
    match command {
        CiCommand::Search(options) => search::run(options, shared, context, console),
        CiCommand::Post(options) => post::run(options, shared),
    }
}
