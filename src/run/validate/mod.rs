//! `git mend validate`, from its request to its result.

mod fix_writer;
mod patch_applier;
mod patch_pool;
mod trials;

use super::session::{Ending, Prepared, Session, repository_of};
use crate::run::judge::patch_baseline::Premise;
use crate::run::patch::repair_context::Mending;
use crate::run::session::request::{Context, SubjectRequest};
use crate::run::session::run_log::Ledger;
use crate::run::validate::fix_writer::Fixes;
use crate::run::validate::patch_applier::Patchable;
use crate::run::validate::patch_pool::Pool;
use mend_engine::Rung;
use mend_model::{Event, Result};
use mend_report::{Confirmed, Goal, Status};
use std::path::PathBuf;
use trials::{Trials, patches};

/// A pool of patches to be judged.
#[derive(Clone, Debug)]
pub struct ValidateRequest {
    /// What is judged, and how.
    pub subject: SubjectRequest,
    /// The folder with the patches.
    pub pool: PathBuf,
    /// Shrink each plausible patch to what is needed.
    pub minimise: bool,
}

/// Judges a pool of patches.
///
/// # Errors
/// What goes wrong before there is a run folder; later problems are part of the ending.
pub fn validate(request: &ValidateRequest, context: &Context) -> Result<Ending> {
    let subject = &request.subject;
    let pool = Pool::read(&request.pool)?;
    let repository = repository_of(subject)?;
    let session = Session::open("validate", Goal::Fix, subject, context, repository)?;
    session.end(None, all(request, &session, &pool))
}

fn all(request: &ValidateRequest, session: &Session<'_>, pool: &Pool) -> Result<Status> {
    let (store, ledger) = (session.store()?, &session.ledger);
    let bad = session.resolve(&session.subject.bad, &store)?;
    ledger.update(|result| result.bad = Some(bad.told()))?;
    if !pool.others.is_empty() {
        ledger
            .note(format!("files in the pool that are not patches: {}", pool.others.join(", ")))?;
    }
    let Prepared { bench, overlay, attribution, bad, missing, source_roots } =
        session.prepare(bad, &store)?;
    let subject = session.subject;
    let premise =
        Premise { request: subject, ledger, bad: &bad, missing: &missing, or_some: false };
    let before = premise.before(&bench, &store)?;
    let (judge, demands) = premise.judge(bench, before)?;
    let (what, patches) = (demands.describe(), patches(pool.entries.len()));
    ledger.tell(Event::Stage(format!("{what}; trying {patches}")))?;
    let patchable = Patchable::new(&store, &bad, &overlay, &source_roots)?;
    let trials = Trials::new(session, &judge, &demands, &patchable, &bad);
    let tried = trials.all(pool);
    let mending = Mending { session, judge: &judge, demands: &demands, store: &store, bad: &bad };
    let fixes = Fixes { mending, attribution: attribution.as_ref() };
    let is_over = tried.is_ok();
    let emitted = fixes.emit(&trials.plausible(), request.minimise && is_over);
    tried.and(emitted)?;
    trials.sum_up()?;
    status(ledger)
}

/// How a pool ended of which every patch was judged.
fn status(ledger: &Ledger) -> Result<Status> {
    let fixes = ledger.result().fixes;
    let fresh_build = fixes.iter().any(|fix| fix.patch.is_some());
    ledger.update(|result| {
        let confirmed = Confirmed { rung: Rung::Process.word().to_owned(), fresh_build };
        result.confirmed = (!fixes.is_empty()).then_some(confirmed);
        result.leave_unchecked("tests not selected with --test");
    })?;
    Ok(if fixes.is_empty() { Status::None } else { Status::Found })
}
