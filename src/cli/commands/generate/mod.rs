//! `git mend generate`: man pages, completions, the schema of the settings, and guide pages.

mod command_page;
mod completions;
mod line_wrapping;
mod man_pages;
mod settings_page;

use crate::cli::arguments::{Arguments, GenerateArguments, Generated, Shared};
use crate::cli::output::console::Console;
use clap::CommandFactory as _;
use mend_model::{Exit, Result};

pub(crate) fn run(options: &GenerateArguments, shared: &Shared, console: &Console) -> Result<Exit> {
    let command = Arguments::command();
    console.finish();
    match &options.what {
        Generated::Man { output } => {
            let output = output.as_ref().map(|folder| shared.dir.join(folder));
            let pages = man_pages::write(command, output.as_deref())?;
            console.say(&format!("wrote the man pages to {}", pages.display()));
        }
        Generated::Completions { shell } => Console::answer(&completions::of(*shell, command)),
        Generated::Schema => Console::answer(&settings_page::schema()?),
        Generated::Commands => Console::answer(&command_page::markdown(command)),
        Generated::Settings => Console::answer(&settings_page::markdown()),
    }
    Ok(Exit::Found)
}
