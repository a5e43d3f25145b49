//! Command `git mend generate`: writes man pages, completions, the schema of the settings, a page for coding agents, and
//! guide pages.

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
    console.clear_progress();
    match &options.what {
        GenerateTarget::Man { output } => {
            let output = output.as_ref().map(|folder| shared.dir.join(folder));
            let pages = man_pages::write(command, output.as_deref())?;
            console.print_message(&format!("wrote the man pages to {}", pages.display()));
        }
        GenerateTarget::Completions { shell } => {
            Console::print_raw_result(&completions::completion_script(*shell, command));
        }
        GenerateTarget::Schema => Console::print_raw_result(&settings_page::format_schema()?),
        GenerateTarget::Skill => Console::print_raw_result(mend_mcp::skill_page()),
        GenerateTarget::Commands => Console::print_raw_result(&command_page::markdown(command)),
        GenerateTarget::Settings => Console::print_raw_result(&settings_page::markdown()),
    }
    Ok(Exit::Found)
}
