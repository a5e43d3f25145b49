//! `git mend generate`: man pages, completions, the schema of the settings, and guide pages.

mod command_page;
mod completions;
mod line_wrapping;
mod man_pages;
mod settings_page;

use crate::cli::arguments::{Arguments, GenerateArguments, GenerateTarget, Shared};
use crate::cli::output::console::Console;
use clap::CommandFactory as _;
use mend_model::{Exit, Result};

pub(crate) fn run(options: &GenerateArguments, shared: &Shared, console: &Console) -> Result<Exit> {
    let command = Arguments::command();
    console.finish();
    match &options.what {
        GenerateTarget::Man { output } => {
            let output = output.as_ref().map(|folder| shared.dir.join(folder));
            let pages = man_pages::write(command, output.as_deref())?;
            console.say(&format!("wrote the man pages to {}", pages.display()));
        }
        GenerateTarget::Completions { shell } => {
            Console::answer(&completions::completion_script(*shell, command));
        }
        GenerateTarget::Schema => Console::answer(&settings_page::schema()?),
        GenerateTarget::Commands => Console::answer(&command_page::markdown(command)),
        GenerateTarget::Settings => Console::answer(&settings_page::markdown()),
    }
    Ok(Exit::Found)
}
