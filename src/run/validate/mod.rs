//! `git mend validate`, from its request to its result.

mod fix_writer;
mod patch_applier;
mod patch_pool;
mod trials;

use super::session::{FinishedRun, PreparedRun, Session, repository_of};
use crate::run::judge::patch_baseline::PatchBaseline;
use crate::run::patch::repair_context::RepairContext;
use crate::run::session::request::{Context, SubjectRequest};
use crate::run::session::run_log::RunLog;
use crate::run::validate::fix_writer::PoolFixWriter;
use crate::run::validate::patch_applier::PatchApplier;
use crate::run::validate::patch_pool::PatchPool;
use mend_engine::ExecutionMode;
use mend_model::{ProgressEvent, Result};
use mend_report::{RunGoal, RunStatus, Verification};
use std::path::PathBuf;
use trials::{PoolTrials, patches};

/// A pool of patches to be judged.
#[derive(Clone, Debug)]
pub struct ValidateRequest {
    /// Version and tests, and how to run them.
    pub subject: SubjectRequest,
    /// The folder with the patches.
    pub pool: PathBuf,
    /// Minimise each plausible patch.
    pub minimise: bool,
}

/// Validates a pool of patches.
///
/// # Errors
/// Problems before there is a run folder; later problems are part of the ending.
pub fn validate(request: &ValidateRequest, context: &Context) -> Result<FinishedRun> {
    let subject = &request.subject;
    let pool = PatchPool::read(&request.pool)?;
    let repository = repository_of(subject)?;
    let session = Session::open("validate", RunGoal::Fix, subject, context, repository)?;
    session.end(None, validate_pool(request, &session, &pool))
}

fn validate_pool(
    request: &ValidateRequest,
    session: &Session<'_>,
    pool: &PatchPool,
) -> Result<RunStatus> {
    let (store, ledger) = (session.store()?, &session.ledger);
    let bad = session.resolve(&session.subject.bad, &store)?;
    ledger.update(|result| result.bad = Some(bad.to_report()))?;
    if !pool.others.is_empty() {
        ledger
            .note(format!("files in the pool that are not patches: {}", pool.others.join(", ")))?;
    }
    let PreparedRun { bench, overlay, attribution, bad, missing, source_roots } =
        session.prepare(bad, &store)?;
    let subject = session.subject;
    let premise =
        PatchBaseline { request: subject, ledger, bad: &bad, missing: &missing, or_some: false };
    let before = premise.run_unpatched(&bench, &store)?;
    let (judge, demands) = premise.judge(bench, before)?;
    let (what, patches) = (demands.describe(), patches(pool.entries.len()));
    ledger.emit(ProgressEvent::Stage(format!("{what}; trying {patches}")))?;
    let patchable = PatchApplier::new(&store, &bad, &overlay, &source_roots)?;
    let trials = PoolTrials::new(session, &judge, &demands, &patchable, &bad);
    let tried = trials.try_all(pool);
    let mending =
        RepairContext { session, judge: &judge, demands: &demands, store: &store, bad: &bad };
    let fixes = PoolFixWriter { mending, attribution: attribution.as_ref() };
    let is_over = tried.is_ok();
    let emitted = fixes.emit(&trials.plausible(), request.minimise && is_over);
    tried.and(emitted)?;
    trials.sum_up()?;
    status(ledger)
}

/// Returns the status of a pool after all patches were judged.
fn status(ledger: &RunLog) -> Result<RunStatus> {
    let fixes = ledger.result().fixes;
    let fresh_build = fixes.iter().any(|fix| fix.patch.is_some());
    ledger.update(|result| {
        let confirmed =
            Verification { rung: ExecutionMode::Process.word().to_owned(), fresh_build };
        result.confirmed = (!fixes.is_empty()).then_some(confirmed);
        result.add_unchecked("tests not selected with --test");
    })?;
    Ok(if fixes.is_empty() { RunStatus::None } else { RunStatus::Found })
}
