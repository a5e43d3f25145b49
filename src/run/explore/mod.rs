//! `git mend explore`, from its request to its result.

mod audit;
mod default_schedulers;
mod explorer;
mod printed_output;
mod progress;
mod rejections;
mod result;
mod schedule_files;

use super::session::{Ending, Prepared, Session, repository_of};
pub use crate::run::explore::default_schedulers::SAMPLERS;
pub(super) use crate::run::explore::progress::telling;
pub(super) use crate::run::explore::rejections::{Before, objection, omission};
pub(super) use crate::run::explore::result::{certificate, record};
use crate::run::session::request::{Context, SubjectRequest};
pub(super) use explorer::{Explorer, Seen};
use mend_engine::{ExploreOrder, Explored, Limits, Sampler};
use mend_model::schedules::Findings;
use mend_model::{Event, Exit, Outcome, Problem, Result, Side, counted};
use mend_report::{Goal, Status};
use std::path::PathBuf;
use std::sync::Arc;

/// Schedules to be run.
#[derive(Clone, Debug)]
pub struct ExploreRequest {
    /// What is run, and how.
    pub subject: SubjectRequest,
    /// Maximum number of schedules.
    pub schedules: u32,
    /// What samples them.
    pub samplers: Vec<Sampler>,
    /// The file of one schedule that is run instead.
    pub replay: Option<PathBuf>,
    /// What the test is to print.
    pub expected: Option<Arc<str>>,
    /// A patch that is judged.
    pub audit: Option<PathBuf>,
}

/// Runs tests under many schedules of their threads.
///
/// # Errors
/// What goes wrong before there is a run folder; later problems are part of the ending.
pub fn explore(request: &ExploreRequest, context: &Context) -> Result<Ending> {
    let subject = &request.subject;
    let order = ExploreOrder {
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
    let session = Session::open("explore", Goal::Culprit, subject, context, repository)?;
    let ending = session.end(None, all(request, &order, &session))?;
    // What is found here is bad news.
    let exit = match ending.exit {
        Exit::Found => Exit::NotFound,
        Exit::NotFound => Exit::Found,
        other => other,
    };
    Ok(Ending { exit, ..ending })
}

fn all(request: &ExploreRequest, order: &ExploreOrder, session: &Session<'_>) -> Result<Status> {
    let (store, ledger) = (session.store()?, &session.ledger);
    let bad = session.resolve(&session.subject.bad, &store)?;
    ledger.update(|result| result.bad = Some(bad.told()))?;
    if let Some(patch) = &request.audit {
        return audit::audit(patch, order, session, (bad, &store));
    }
    let Prepared { bench, bad, missing, .. } = session.prepare(bad, &store)?;
    let what = match &order.replay {
        Some(_) => "running the schedule again".to_owned(),
        None => format!("running up to {}", counted(order.schedules as usize, "schedule")),
    };
    ledger.tell(Event::Stage(what))?;
    let limits = Limits { test: session.subject.timeout, ..Limits::default() };
    let mut listener = telling(&*session.context.progress, order);
    let explored = bench.pool.with(&bad.tree, bad.commit_id(), |scratch| {
        bench.engine.explore(scratch.path(), &limits, order, &mut listener)
    })?;
    let Some(Explored { execution, findings }) = explored else {
        return Err(Problem::Usage {
            message: "explore cannot run a command: it needs tests selected with --test".to_owned(),
            remedy: "add `--test pkg.Class`".to_owned(),
        });
    };
    ledger.spend(&execution, false)?;
    if let Outcome::NotBuilt { diagnostics: output } = execution.outcome {
        let revision = bad.label.clone();
        return Err(Problem::BuildBroken { side: Side::Bad, revision, output, missing });
    }
    let findings = findings.ok_or_else(not_meant)?;
    check(&findings, order)?;
    crate::run::explore::result::tell(&findings, order, session)
}

fn not_meant() -> Problem {
    Problem::Usage {
        message: "the schedule was recorded for another test".to_owned(),
        remedy: "select the test of the recorded run with --test".to_owned(),
    }
}

/// Returns an error if the scheduler controlled no class or test: then a run without failure shows
/// nothing.
pub(super) fn check(findings: &Findings, order: &ExploreOrder) -> Result<()> {
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
    Err(Problem::NotControlled { why: why.to_owned(), output: String::new() })
}
