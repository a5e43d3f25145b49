//! Command `git mend serve`: runs the server of the GitHub App.

use crate::cli::arguments::{ServeArguments, Shared};
use crate::cli::output::console::Console;
use mend_bot::{ServeRequest, ServerSettings, serve};
use mend_model::{Exit, Result};
use std::io::{IsTerminal as _, stderr};
use tracing::level_filters::LevelFilter;
use tracing_subscriber::fmt;

pub(crate) fn run(arguments: &ServeArguments, shared: &Shared, console: &Console) -> Result<Exit> {
    let dir = shared.working_dir()?;
    let resolve_path = |file: &std::path::PathBuf| dir.join(file);
    let request = ServeRequest {
        listen_address: arguments.listen,
        operations_address: arguments.operations,
        database: resolve_path(&arguments.database),
        app_id: arguments.app_id,
        private_key: arguments.private_key.as_ref().map(resolve_path),
        webhook_secret: arguments.webhook_secret_file.as_ref().map(resolve_path),
        api_url: arguments.api_url.clone(),
        jobs: arguments.jobs,
        jobs_per_installation: arguments.jobs_per_installation,
        job_limit: arguments.job_limit,
        work_folder: arguments.work.as_ref().map(resolve_path),
        is_unconfined: arguments.run_untrusted_code_without_a_sandbox,
    };
    let settings = ServerSettings::resolve(request, |name| std::env::var_os(name))?;
    console.clear_progress();
    start_log(shared);
    serve(settings, |address| {
        Console::print_raw_result(&format!("listening on http://{address}\n"));
    })?;
    Ok(Exit::Found)
}

/// Starts the log: text lines on a terminal, JSON lines otherwise.
fn start_log(shared: &Shared) {
    let level = match (shared.quiet, shared.verbose) {
        (true, _) => LevelFilter::WARN,
        (_, true) => LevelFilter::DEBUG,
        _ => LevelFilter::INFO,
    };
    let lines = fmt().with_max_level(level).with_writer(stderr).with_target(false);
    if stderr().is_terminal() {
        lines.init();
    } else {
        lines.json().flatten_event(true).init();
    }
}
