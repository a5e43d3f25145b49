//! Command `git mend mcp`: serves coding agents on standard input and output.

use crate::cli::arguments::{McpArguments, Shared};
use crate::run::{Context, create_run_folder, runs_folder_of};
use mend_git::Repository;
use mend_mcp::{McpSettings, serve};
use mend_model::{Exit, Result};
use std::path::{Path, PathBuf};

pub(crate) fn run(options: &McpArguments, shared: &Shared, context: &Context) -> Result<Exit> {
    let project = shared.working_dir()?;
    serve(McpSettings {
        program: context.program.clone(),
        project,
        answer_tokens: usize::from(options.answer_tokens),
        allows_commands: options.allow_commands,
        interrupt: context.interrupt.clone(),
        runs_folder,
        create_run_folder,
    })?;
    Ok(Exit::Found)
}

/// Returns the folder with the runs of a project, which must be in a repository: elsewhere, runs would lie between the
/// user's files.
fn runs_folder(project: &Path) -> Result<PathBuf> {
    Repository::open(project)?;
    Ok(runs_folder_of(project))
}
