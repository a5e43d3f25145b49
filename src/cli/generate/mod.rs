//! `git mend generate`: what the program knows of itself, in the forms that other programs read.

mod commands;
mod completions;
mod man;
mod settings;

use super::arguments::{Arguments, GenerateArguments, Generated};
use super::console::Console;
use crate::model::{Exit, Result};
use clap::CommandFactory as _;

pub(super) fn run(options: &GenerateArguments, console: &Console) -> Result<Exit> {
    let command = Arguments::command();
    console.finish();
    match &options.what {
        Generated::Man { output } => {
            let pages = man::write(command, output.as_deref())?;
            console.say(&format!("the man pages are in {}", pages.display()));
        }
        Generated::Completions { shell } => Console::answer(&completions::of(*shell, command)),
        Generated::Schema => Console::answer(&settings::schema()?),
        Generated::Commands => Console::answer(&commands::markdown(command)),
        Generated::Settings => Console::answer(&settings::markdown()),
    }
    Ok(Exit::Found)
}
