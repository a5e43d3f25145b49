//! `git mend explore`, from its request to its result.

mod audit;
mod default_schedulers;
mod explorer;
mod printed_output;
mod progress;
mod rejections;
mod result;
mod schedule_files;

use super::session::{FinishedRun, PreparedRun, Session, repository_of};
pub use crate::run::explore::default_schedulers::SAMPLERS;
pub(super) use crate::run::explore::progress::telling;
pub(super) use crate::run::explore::rejections::{UnpatchedSchedules, objection, omission};
pub(super) use crate::run::explore::result::{certificate, record};
use crate::run::session::request::{Context, SubjectRequest};
pub(super) use explorer::{ExplorationOutcome, Explorer};
use mend_engine::{ExplorationResult, ExploreConfig, Limits, SchedulerKind};
use mend_model::schedules::Findings;
use mend_model::{Exit, GoodOrBad, Outcome, Problem, ProgressEvent, Result, counted};
use mend_report::{RunGoal, RunStatus};
use std::path::PathBuf;
use std::sync::Arc;

/// Schedules to be run.
#[derive(Clone, Debug)]
pub struct ExploreRequest {
    /// Version and tests to run.
    pub subject: SubjectRequest,
    /// Maximum number of schedules.
    pub schedules: u32,
    /// Schedulers to use.
    pub samplers: Vec<SchedulerKind>,
    /// The file of one schedule that is run instead.
    pub replay: Option<PathBuf>,
    /// Output that the test should print.
    pub expected: Option<Arc<str>>,
    /// A patch that is judged.
    pub audit: Option<PathBuf>,
}

/// Runs tests under many schedules of their threads.
///
/// # Errors
/// Problems before there is a run folder; later problems are part of the ending.
pub fn explore(request: &ExploreRequest, context: &Context) -> Result<FinishedRun> {
    let subject = &request.subject;
    let order = ExploreConfig {
        schedules: request.schedules,
        samplers: request.samplers.clone(),
        targets: Vec::new(),
        seed: subject.seed,
        replay: request
            .replay
            .as_deref()
            .map(crate::run::explore::schedule_files::read)
            .transpose()?,
        expected: request.expected.clone(),
        is_trial: false,
    };
    let repository = repository_of(subject)?;
    let session = Session::open("explore", RunGoal::Culprit, subject, context, repository)?;
    let ending = session.end(None, run_exploration(request, &order, &session))?;
    // What is found here is bad news.
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
) -> Result<RunStatus> {
    let (store, ledger) = (session.store()?, &session.ledger);
    let bad = session.resolve(&session.subject.bad, &store)?;
    ledger.update(|result| result.bad = Some(bad.to_report()))?;
    if let Some(patch) = &request.audit {
        return audit::audit(patch, order, session, (bad, &store));
    }
    let PreparedRun { bench, bad, missing, .. } = session.prepare(bad, &store)?;
    let what = match &order.replay {
        Some(_) => "running the schedule again".to_owned(),
        None => format!("running up to {}", counted(order.schedules as usize, "schedule")),
    };
    ledger.emit(ProgressEvent::Stage(what))?;
    let limits = Limits { test: session.subject.timeout, ..Limits::default() };
    let mut listener = telling(&*session.context.progress, order);
    let schedules = bench.schedules.as_ref().ok_or_else(no_tests)?;
    let explored = bench.pool.with_checkout(&bad.tree, bad.commit_id(), |scratch| {
        schedules.explore(scratch.path(), &limits, order, &mut listener)
    })?;
    let ExplorationResult { execution, findings } = explored;
    ledger.spend(&execution, false)?;
    if let Outcome::NotBuilt { diagnostics: output } = execution.outcome {
        let revision = bad.label.clone();
        return Err(Problem::BuildBroken { side: GoodOrBad::Bad, revision, output, missing });
    }
    let findings = findings.ok_or_else(not_meant)?;
    check(&findings, order)?;
    crate::run::explore::result::write_result(&findings, order, session)
}

fn no_tests() -> Problem {
    Problem::Usage {
        message: "explore cannot run a command: it needs tests selected with --test".to_owned(),
        remedy: "add `--test pkg.Class`".to_owned(),
    }
}

fn not_meant() -> Problem {
    Problem::Usage {
        message: "the schedule was recorded for another test".to_owned(),
        remedy: "select the test of the recorded run with --test".to_owned(),
    }
}

/// Returns an error if the scheduler controlled no class or test: then a run without failure shows
/// nothing.
pub(super) fn check(findings: &Findings, order: &ExploreConfig) -> Result<()> {
    let is_given_up = !findings.stuck.is_empty() || order.replay.is_some();
    let why = if findings.classes == 0 {
        findings.failed.first().map_or("no class of the project was loaded", String::as_str)
    } else if findings.units.is_empty() && findings.alone.is_empty() && order.replay.is_none() {
        "no test ran"
    } else if !findings.is_failing() && findings.inconclusive > 0 && is_given_up {
        findings.obstacles.first().map_or("no schedule finished", String::as_str)
    } else {
        return Ok(());
    };
    Err(Problem::UncontrolledThreads { why: why.to_owned(), output: String::new() })
}
