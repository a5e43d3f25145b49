//! `git mend validate`, from its request to its result.

mod fix_writer;
mod patch_applier;
mod patch_pool;
mod result;
mod trials;

use super::session::{FinishedRun, PreparedRun, Session, repository_of};
use crate::run::judge::patch_baseline::{LearnedExpectations, PatchBaseline};
use crate::run::patch::repair_context::RepairContext;
use crate::run::session::request::{Context, SubjectRequest};
use crate::run::validate::fix_writer::PoolFixWriter;
use crate::run::validate::patch_applier::PatchApplier;
use crate::run::validate::patch_pool::PatchPool;
use crate::run::validate::result::Validated;
use mend_model::{ProgressEvent, Result};
use mend_report::RunGoal;
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
    session.end(validate_pool(request, &session, &pool))
}

fn validate_pool(
    request: &ValidateRequest,
    session: &Session<'_>,
    pool: &PatchPool,
) -> Result<Validated> {
    let ledger = &session.ledger;
    if !pool.others.is_empty() {
        ledger
            .note(format!("files in the pool that are not patches: {}", pool.others.join(", ")))?;
    }
    let PreparedRun { store, bench, overlay, attribution, bad, missing, source_roots, .. } =
        session.prepare(None)?;
    let subject = session.subject;
    let premise =
        PatchBaseline { request: subject, ledger, bad: &bad, missing: &missing, or_some: false };
    let before = premise.run_unpatched(&bench, &store)?;
    let LearnedExpectations { bench, demands } = premise.learn_expectations(bench, &before)?;
    let judge = premise.judge(&bench, before, &demands);
    let (what, patches) = (demands.describe(), patches(pool.entries.len()));
    ledger.emit(ProgressEvent::Stage(format!("{what}; trying {patches}")))?;
    let patchable = PatchApplier::new(&store, &bad, &overlay, &source_roots)?;
    let trials = PoolTrials::new(session, &judge, &demands, &patchable, &bad);
    let tried = trials.try_all(pool);
    let mending =
        RepairContext { session, judge: &judge, demands: &demands, store: &store, bad: &bad };
    let fixes = PoolFixWriter { mending, attribution: attribution.as_ref() };
    let is_over = tried.is_ok();
    let emitted = fixes.emit(trials.so_far(), &trials.plausible(), request.minimise && is_over);
    let validated = tried.and(emitted)?;
    ledger.leave_unchecked("tests not selected with --test")?;
    Ok(Validated { summary: trials.summary(), is_complete: true, ..validated })
}
