//! Command `git mend generate`: writes man pages, completions, the schemas of the settings and of generators, a page for
//! coding agents, and guide pages.

mod command_page;
mod completions;
mod line_wrapping;
mod man_pages;
mod settings_page;

use crate::cli::arguments::{Arguments, GenerateArguments, GenerateTarget, Shared};
use crate::cli::output::console::Console;
use crate::cli::settings;
use crate::run::generator_schema;
use anyhow::Context as _;
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
        GenerateTarget::Schema => {
            Console::print_raw_result(&format_schema(&settings::settings_schema())?);
        }
        GenerateTarget::GeneratorSchema => {
            Console::print_raw_result(&format_schema(&generator_schema())?);
        }
        GenerateTarget::Skill => Console::print_raw_result(mend_mcp::skill_page()),
        GenerateTarget::Commands => Console::print_raw_result(&command_page::markdown(command)),
        GenerateTarget::Settings => Console::print_raw_result(&settings_page::markdown()),
    }
    Ok(Exit::Found)
}

/// Formats a JSON Schema.
fn format_schema(schema: &schemars::Schema) -> Result<String> {
    Ok(serde_json::to_string_pretty(schema).context("writing the schema")? + "\n")
}
