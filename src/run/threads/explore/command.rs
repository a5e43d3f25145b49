//! Runs `git mend explore`, from the request to the result.

use crate::run::session::request::{Context, SubjectRequest};
use crate::run::session::{FinishedRun, PreparedRun, Session, repository_of};
use crate::run::threads::explore::audit::audit_patch;
use crate::run::threads::explore::exploration::Exploration;
use crate::run::threads::explorer::{ExplorationOutcome, Explorer, check_controlled};
use crate::run::threads::schedule_files;
use mend_engine::{ExploreConfig, FailureGoal, SchedulerKind};
use mend_model::{Exit, Problem, ProgressEvent, Result, format_count};
use mend_report::RunGoal;
use std::path::PathBuf;
use std::sync::Arc;

/// Request to explore schedules.
#[derive(Clone, Debug)]
pub struct ExploreRequest {
    /// Version and tests to run.
    pub subject: SubjectRequest,
    /// Maximum number of schedules.
    pub schedules: u32,
    /// Schedulers to use.
    pub samplers: Vec<SchedulerKind>,
    /// Path of a schedule file to replay instead.
    pub replay: Option<PathBuf>,
    /// Expected output of the test.
    pub expected: Option<Arc<str>>,
    /// Failure to reproduce; `None` for any.
    pub goal: Option<FailureGoal>,
    /// Path of a patch to audit instead.
    pub audit: Option<PathBuf>,
}

/// Runs tests under many thread schedules.
///
/// # Errors
/// Problems before the run folder exists. The result contains later problems.
pub fn explore(request: &ExploreRequest, context: &Context) -> Result<FinishedRun> {
    let subject = &request.subject;
    let order = ExploreConfig {
        schedules: request.schedules,
        schedulers: request.samplers.clone(),
        targets: Vec::new(),
        seed: subject.seed,
        replay: request.replay.as_deref().map(schedule_files::read_schedule).transpose()?,
        expected_output: request.expected.clone(),
        is_fail_fast: false,
    };
    let repository = repository_of(subject)?;
    let session = Session::open("explore", RunGoal::Culprit, subject, context, repository)?;
    let ending = session.finish(run_exploration(request, &order, &session))?;
    // A failing schedule means that the version has a bug, so the exit codes are exchanged.
    let exit = match ending.exit {
        Exit::Found => Exit::NotFound,
        Exit::NotFound => Exit::Found,
        other => other,
    };
    Ok(FinishedRun { exit, ..ending })
}

fn run_exploration(
    request: &ExploreRequest,
    order: &ExploreConfig,
    session: &Session<'_>,
) -> Result<Exploration> {
    let (mut prepared, ledger) = (session.prepare(None)?, &session.run_log);
    let schedules = prepared.executor.schedules.take();
    prepared.executor.schedules = schedules.map(|runner| runner.with_goal(request.goal.clone()));
    if let Some(patch) = &request.audit {
        return audit_patch(patch, order, session, &prepared);
    }
    let PreparedRun { executor, overlay, bad, missing, .. } = &prepared;
    let what = match &order.replay {
        Some(_) => "running the schedule again".to_owned(),
        None => format!("running up to {}", format_count(order.schedules as usize, "schedule")),
    };
    ledger.emit(ProgressEvent::Stage(what))?;
    let findings = match (Explorer { session, executor, bad }).explore(&bad.overlaid_tree, order)? {
        ExplorationOutcome::NotRun => return Err(not_meant()),
        outcome => outcome.into_findings(&bad.label, missing)?,
    };
    check_controlled(&findings, order)?;
    Exploration::from_findings(&findings, order, session, overlay)
}

fn not_meant() -> Problem {
    Problem::Usage {
        message: "the schedule was recorded for another test".to_owned(),
        remedy: "select the test of the recorded run with --test".to_owned(),
    }
}
