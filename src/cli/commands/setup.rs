//! Commands `git mend setup github` and `git mend setup app`.

mod app;
mod github;

use crate::cli::arguments::{SetupCommand, Shared};
use crate::cli::output::console::Console;
use mend_model::{Exit, Result};

pub(crate) fn run(command: &SetupCommand, shared: &Shared, console: &Console) -> Result<Exit> {
    match command {
        SetupCommand::Github(options) => github::run(options, shared, console),
        SetupCommand::App(options) => app::run(options, shared, console),
    }
}
