//! `git mend generate`: man pages, completions, the schema of the settings, and guide pages.

mod commands;
mod completions;
mod line_wrapping;
mod man;
mod settings;

use super::arguments::{Arguments, GenerateArguments, Generated, Shared};
use super::console::Console;
use clap::CommandFactory as _;
use mend_model::{Exit, Result};

pub(super) fn run(options: &GenerateArguments, shared: &Shared, console: &Console) -> Result<Exit> {
    let command = Arguments::command();
    console.finish();
    match &options.what {
        Generated::Man { output } => {
            let output = output.as_ref().map(|folder| shared.dir.join(folder));
            let pages = man::write(command, output.as_deref())?;
            console.say(&format!("wrote the man pages to {}", pages.display()));
        }
        Generated::Completions { shell } => Console::answer(&completions::of(*shell, command)),
        Generated::Schema => Console::answer(&settings::schema()?),
        Generated::Commands => Console::answer(&commands::markdown(command)),
        Generated::Settings => Console::answer(&settings::markdown()),
    }
    Ok(Exit::Found)
}
