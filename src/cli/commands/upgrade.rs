//! Command `git mend upgrade`: builds the request from arguments and settings, and runs it.

use super::bisect;
use crate::cli::arguments::{BisectArguments, Command, Shared, UpgradeArguments};
use crate::cli::output::console::Console;
use crate::cli::output::run_result::print_run_result;
use crate::cli::subject_request::{ResumableRun, command_line};
use crate::run::{self, BisectRequest, Context, UpgradeRequest};
use mend_model::{Exit, Problem, Result};
use std::ffi::OsString;
use std::sync::Arc;

pub(crate) fn run(
    options: &UpgradeArguments,
    shared: &Shared,
    context: &Context,
    console: &Arc<Console>,
    arguments: &[OsString],
) -> Result<Exit> {
    let is_unspecified = options.good.is_none() && options.subject.test.is_empty();
    let request = if options.subject.resume && is_unspecified {
        resume_request(options, shared)?
    } else {
        build_request(options, shared, command_line(arguments))?
    };
    print_run_result(&run::upgrade(&request, context)?, shared, console, arguments)
}

/// Returns the request of an unfinished run, to continue it.
fn resume_request(options: &UpgradeArguments, shared: &Shared) -> Result<UpgradeRequest> {
    let remedy = "start a run with --good, --bad and --test";
    let resumable_run = ResumableRun::find("upgrade", &options.subject, shared, remedy)?;
    let Some(Command::Upgrade(earlier_arguments)) = resumable_run.parse_command() else {
        return Err(resumable_run.not_resumable_error());
    };
    let command_line = resumable_run.command_line.clone();
    let request = build_request(&earlier_arguments, shared, command_line)?;
    let subject = resumable_run.resume_with(request.search.subject);
    Ok(UpgradeRequest { search: BisectRequest { subject, ..request.search }, ..request })
}

fn build_request(
    options: &UpgradeArguments,
    shared: &Shared,
    command_line: Vec<String>,
) -> Result<UpgradeRequest> {
    if options.good.is_none() {
        return Err(Problem::Usage {
            message: "upgrades need a good version".to_owned(),
            remedy: "add `--good REV` with the revision before the upgrades, or `--good auto`"
                .to_owned(),
        });
    }
    options.subject.parse_selectors("add `--test pkg.Class#method`")?;
    let search = BisectArguments {
        good: options.good.clone(),
        subject: options.subject.clone(),
        symptom: options.symptom.clone(),
        ..BisectArguments::default()
    };
    let request = bisect::build_request(&search, shared, command_line)?;
    Ok(UpgradeRequest {
        search: BisectRequest { counts_compile_errors: true, ..request },
        library_sources: options.library_source.clone(),
    })
}
