//! Command `git mend bisect`: builds the request from arguments and settings, and runs it.

use crate::cli::arguments::{BisectArguments, Command, SearchedFiles, Shared};
use crate::cli::output::console::Console;
use crate::cli::output::run_result::print_run_result;
use crate::cli::settings::Settings;
use crate::cli::subject_request::{ResumableRun, command_line};
use crate::run::{
    self, BisectRequest, Context, GoodRevision, OracleRequest, SubjectRequest, endpoints_of_log,
    read_log,
};
use mend_model::{Exit, Problem, Result};
use mend_report::RunGoal;
use regex::Regex;
use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;

pub(crate) fn run(
    options: &BisectArguments,
    shared: &Shared,
    context: &Context,
    console: &Arc<Console>,
    arguments: &[OsString],
) -> Result<Exit> {
    let request = if options.subject.resume && options.is_unspecified() {
        resume_request(options, shared)?
    } else {
        build_request(options, shared, command_line(arguments))?
    };
    print_run_result(&run::bisect(&request, context)?, shared, console, arguments)
}

impl BisectArguments {
    /// Returns true if no argument says what to bisect.
    fn is_unspecified(&self) -> bool {
        let has_oracle = !self.subject.test.is_empty() || !self.cmd.is_empty();
        self.good.is_none() && !has_oracle && self.log.is_none()
    }
}

/// Returns the request of an unfinished run, to continue it.
fn resume_request(options: &BisectArguments, shared: &Shared) -> Result<BisectRequest> {
    let remedy = "start a run with --good, --bad and --test";
    let resumable_run = ResumableRun::find("bisect", &options.subject, shared, remedy)?;
    let Some(Command::Bisect(earlier_arguments)) = resumable_run.parse_command() else {
        return Err(resumable_run.not_resumable_error());
    };
    let request = build_request(&earlier_arguments, shared, resumable_run.command_line.clone())?;
    Ok(BisectRequest { subject: resumable_run.resume_with(request.subject), ..request })
}

/// Builds the request from the arguments and the settings of the repository.
pub(crate) fn build_request(
    options: &BisectArguments,
    shared: &Shared,
    command_line: Vec<String>,
) -> Result<BisectRequest> {
    let dir = shared.working_dir()?;
    build_request_with(&Settings::read(&dir)?, options, shared, command_line)
}

/// Builds the request from the arguments and these settings.
pub(crate) fn build_request_with(
    settings: &Settings,
    options: &BisectArguments,
    shared: &Shared,
    command_line: Vec<String>,
) -> Result<BisectRequest> {
    let dir = shared.working_dir()?;
    let (good, bad) = resolve_endpoints(options, &dir)?;
    let symptom = options.symptom.as_deref().or(settings.symptom.as_deref());
    let goal = options.goal.unwrap_or(RunGoal::Both);
    if options.all && !goal.wants_culprit() {
        return Err(Problem::Usage {
            message: "--all searches for further culprits, but --goal fix searches for none"
                .to_owned(),
            remedy: "omit --goal, or use --goal culprit".to_owned(),
        });
    }
    let subject = &options.subject;
    let subject = subject.to_request(settings, &dir, bad, select_oracle(options)?, command_line)?;
    let with_test_units = options.units == Some(SearchedFiles::All);
    Ok(BisectRequest {
        subject: SubjectRequest {
            includes_test_code: with_test_units,
            schedules: options.schedules,
            ..subject
        },
        good,
        goal,
        symptom: symptom.map(parse_symptom).transpose()?,
        skips_history: options.no_history,
        first_parent_only: options.first_parent || settings.first_parent,
        skipped_revisions: options.skip.clone(),
        log: options.log.clone(),
        finds_all_culprits: options.all,
        is_dry_run: options.dry_run,
        counts_compile_errors: false,
    })
}

/// Returns good and bad, from the options or from a bisect log.
fn resolve_endpoints(options: &BisectArguments, dir: &Path) -> Result<(GoodRevision, String)> {
    let log = options.log.as_ref().map(|path| read_log(&dir.join(path))).transpose()?;
    let (log_good, log_bad) = log.as_deref().map(endpoints_of_log).unwrap_or_default();
    let bad = options.subject.bad.clone().or(log_bad).unwrap_or_else(|| "HEAD".to_owned());
    match options.good.clone().or(log_good) {
        Some(good) if good == "auto" => Ok((GoodRevision::Auto, bad)),
        Some(good) => Ok((GoodRevision::Named(good), bad)),
        None => Err(Problem::Usage {
            message: "no good version given".to_owned(),
            remedy: "add `--good REV` with a revision where the test passes, or `--good auto`"
                .to_owned(),
        }),
    }
}

fn select_oracle(options: &BisectArguments) -> Result<OracleRequest> {
    if !options.cmd.is_empty() {
        return Ok(OracleRequest::Command(options.cmd.clone()));
    }
    options.subject.parse_selectors("add `--test pkg.Class#method`, or a command after `--`")
}

fn parse_symptom(text: &str) -> Result<Regex> {
    Regex::new(text).map_err(|error| Problem::Usage {
        message: format!("--symptom is not a valid regular expression: {error}"),
        remedy: "put a backslash before special characters that are meant literally".to_owned(),
    })
}
