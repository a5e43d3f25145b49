//! Command `git mend demo`: creates a small repository from embedded files and bisects it.

use super::bisect;
use crate::cli::arguments::{BisectArguments, DemoArguments, Shared, SubjectArguments};
use crate::cli::output::console::Console;
use crate::cli::output::run_result::print_run_result;
use crate::cli::settings::Settings;
use crate::demo;
use crate::run::{self, Context};
use mend_model::{Exit, Problem, Result};
use std::path::PathBuf;
use std::sync::Arc;

pub(crate) fn run(
    options: &DemoArguments,
    shared: &Shared,
    context: &Context,
    console: &Arc<Console>,
) -> Result<Exit> {
    let dir = demo_folder(options)?;
    let demo = demo::create_repository(&dir)?;
    console.print_message(&format!(
        "created a small Java repository with a failing test: {}",
        dir.display()
    ));
    let shared = Shared { dir, ..shared.clone() };
    let arguments = BisectArguments {
        good: Some(demo.good.to_owned()),
        subject: SubjectArguments {
            bad: Some(demo.bad.to_owned()),
            test: vec![demo.test.to_owned()],
            ..SubjectArguments::default()
        },
        ..BisectArguments::default()
    };
    let command_line =
        ["git", "mend", "bisect", "--good", demo.good, "--bad", demo.bad, "--test", demo.test];
    console.print_message(&format!("$ {}", command_line.join(" ")));
    let command_line = command_line.map(str::to_owned).to_vec();
    let mut request =
        bisect::build_request_with(&Settings::default(), &arguments, &shared, command_line)?;
    request.subject.ignores_git_environment = true;
    print_run_result(&run::bisect(&request, context)?, &shared, console, &[])
}

fn demo_folder(options: &DemoArguments) -> Result<PathBuf> {
    match &options.output {
        Some(dir) if dir.exists() => Err(Problem::Usage {
            message: format!("{} already exists", dir.display()),
            remedy: "use --output with a folder that does not exist yet".to_owned(),
        }),
        Some(dir) => std::path::absolute(dir).map_err(|error| Problem::io(error, dir)),
        None => {
            let folder = tempfile::Builder::new().prefix("git-mend-demo-").tempdir();
            folder
                .map(tempfile::TempDir::keep)
                .map_err(|error| Problem::io(error, std::env::temp_dir()))
        }
    }
}
