//! Command `git mend doctor`: lists what is missing on this machine and for this project, and how to get it.

use crate::cli::arguments::{DoctorArguments, Format, Shared};
use crate::cli::github_connection::GithubConnection;
use crate::cli::github_requests::block_on_request;
use crate::cli::output::console::Console;
use crate::cli::settings::Settings;
use crate::run::{Context, doctor};
use mend_bot::setup::check_repository;
use mend_model::{DoctorFinding, Exit, Result};
use mend_report::DoctorReport;
use std::path::Path;

pub(crate) fn run(
    arguments: &DoctorArguments,
    shared: &Shared,
    context: &Context,
    console: &Console,
) -> Result<Exit> {
    let dir = shared.working_dir()?;
    let mut options = Settings::read(&dir)?.project_options(&dir, arguments.project.as_deref())?;
    options.model = arguments.model.unwrap_or(options.model);
    // The doctor says what is missing. It is downloaded where the whole model is wanted.
    options.is_offline |= arguments.offline || arguments.record.is_none();
    let record = arguments.record.as_ref().map(|file| dir.join(file));
    let mut findings = doctor(&dir, &options, record.as_deref(), context)?;
    if arguments.github {
        findings.extend(check_github(&dir));
    }
    let report = DoctorReport::new(findings);
    console.clear_progress();
    match shared.format {
        Format::Human | Format::Dot => {
            console.print_human_result(&report.to_text(&console.result_style()));
        }
        Format::Json => Console::print_json_result(&report)?,
    }
    Ok(if report.has_missing_requirement() { Exit::Environment } else { Exit::Found })
}

/// Returns the findings about the repository on GitHub. A problem with the connection is a finding too.
fn check_github(dir: &Path) -> Vec<DoctorFinding> {
    let connection = match GithubConnection::find(None, dir) {
        Ok(connection) => connection,
        Err(problem) => return vec![DoctorFinding::from_problem("token", &problem)],
    };
    let findings = block_on_request(async {
        let findings = check_repository(&connection.repo()?).await;
        findings.map_err(|error| error.into_problem("checking the repository"))
    });
    findings.unwrap_or_else(|problem| vec![DoctorFinding::from_problem("github", &problem)])
}
