//! `git mend fix`, from its request to its result.

mod applied_edits;
mod budget;
mod combined_fixes;
mod concurrency;
mod fault_localisation;
mod fix_minimiser;
mod fix_writer;
mod generated_test_comparison;
mod instrumented_tree;
mod plausible;
mod regression;
mod request;
mod revert;
mod trials;

use super::judge::SymptomOracle;
use super::session::{FinishedRun, PreparedRun, Session, repository_of};
use crate::run::fix::fault_localisation::{FaultLocalisation, RepairTarget};
use crate::run::fix::fix_minimiser::FixMinimiser;
use crate::run::fix::fix_writer::FixWriter;
use crate::run::fix::generated_test_comparison::GeneratedTestComparison;
use crate::run::judge::patch_baseline::PatchBaseline;
use crate::run::patch::affected_tests::NOT_REACHED;
use crate::run::patch::repair_context::RepairContext;
use crate::run::session::next_command;
use crate::run::session::request::Context;
pub use budget::Budget;
use concurrency::ConcurrencyOutcome;
use mend_engine::ExecutionMode;
use mend_model::{Problem, ProgressEvent, Result, counted};
use mend_report::{RunGoal, RunStatus, Verification};
pub use request::{FixRequest, Technique};
use trials::CandidateTrials;

/// Searches for fixes.
///
/// # Errors
/// Problems before there is a run folder; later problems are part of the ending.
pub fn fix(request: &FixRequest, context: &Context) -> Result<FinishedRun> {
    let subject = &request.subject;
    let repository = repository_of(subject)?;
    let session = Session::open("fix", RunGoal::Fix, subject, context, repository)?;
    session.end(None, run_techniques(request, &session))
}

fn run_techniques(request: &FixRequest, session: &Session<'_>) -> Result<RunStatus> {
    let wants = |technique| request.techniques.contains(&technique);
    if let Some(good) = request.good.as_ref().filter(|_| wants(Technique::Regression)) {
        let undo = regression::undo(request, good, session)?;
        session.ledger.update(|result| result.fixes.extend(undo))?;
    }
    let came = if wants(Technique::Concurrency) {
        // Only schedules are held against what is printed.
        concurrency::mend(request, session, request.is_chosen || request.expected.is_some())?
    } else {
        ConcurrencyOutcome::NotScheduleDependent
    };
    let is_mended = matches!(came, ConcurrencyOutcome::ConcurrencyBug(mended) if mended > 0);
    if wants(Technique::Contract) && !is_mended {
        match contract(request, session) {
            // Schedules have shown more than that.
            Err(Problem::BadDoesNotFail { .. } | Problem::FlakyBaseline { .. })
                if came != ConcurrencyOutcome::NotScheduleDependent => {}
            other => other?,
        }
    }
    conclude(session, request.good.is_some())
}

/// Records the verification and what was not checked; a revert was tested on the selected tests only.
fn conclude(session: &Session<'_>, may_be_undone: bool) -> Result<RunStatus> {
    let found = session.ledger.result().fixes.len();
    session.ledger.update(|result| {
        let confirmed =
            Verification { rung: ExecutionMode::Process.word().to_owned(), fresh_build: true };
        result.confirmed = (found > 0).then_some(confirmed);
        let not_asked = "tests not selected with --test";
        result.add_unchecked(if may_be_undone { not_asked } else { NOT_REACHED });
        result.add_unchecked("behaviour that no test covers");
    })?;
    Ok(if found == 0 { RunStatus::None } else { RunStatus::Found })
}

/// Generates and tests candidates, and ranks them together with the revert.
fn contract(request: &FixRequest, session: &Session<'_>) -> Result<()> {
    let (store, ledger) = (session.store()?, &session.ledger);
    let bad = session.resolve(&session.subject.bad, &store)?;
    ledger.update(|result| result.bad = Some(bad.to_report()))?;
    let PreparedRun { bench, overlay, attribution, bad, missing, source_roots } =
        session.prepare(bad, &store)?;
    let subject = session.subject;
    let premise =
        PatchBaseline { request: subject, ledger, bad: &bad, missing: &missing, or_some: true };
    let before = premise.run_unpatched(&bench, &store)?;
    let Some(attribution) = attribution else {
        let what = "fixes other than a revert: they need tests selected with --test, and a JDK";
        return ledger.note(what.to_owned());
    };
    ledger.emit(ProgressEvent::Stage("locating the faulty statements".to_owned()))?;
    let ward = RepairTarget { session, store: &store, bad: &bad, overlay: &overlay };
    let FaultLocalisation { candidates, observed, generated, assured, calls, output, endless } =
        ward.examined(&bench, &attribution, &source_roots, &before)?;
    let before = before.endless(endless);
    let limits = before.limits_for_many(subject.timeout);
    let (judge, demands) = premise.judge(bench, before)?;
    let judge = SymptomOracle { limits, ..judge };
    let what = format!("{}; trying {}", demands.describe(), counted(candidates.len(), "candidate"));
    ledger.emit(ProgressEvent::Stage(what))?;
    let mending =
        RepairContext { session, judge: &judge, demands: &demands, store: &store, bad: &bad };
    let trials = CandidateTrials::new(mending, request, candidates.len());
    let tried = trials.try_all(&candidates);
    let mut comparison =
        GeneratedTestComparison::new(&ward, &judge, (generated, assured, calls), output)?;
    let ranked = comparison.ranked(trials.plausible());
    tried.and(ranked.and_then(|ranked| {
        let shrinker = FixMinimiser { mending, comparison: &comparison, spending: trials.spending };
        FixWriter { mending, observed: &observed, shrinker }.best(ranked, request.top)
    }))?;
    ledger.update(|result| {
        let longer = || next_command::longer(&subject.command_line, trials.spending.more());
        if !result.fixes.is_empty() {
            result.next_command = None;
        } else if trials.is_cut_short(candidates.len()) {
            result.next_command = Some(longer());
        }
        let tried = counted(trials.tried(), "candidate");
        let is_whole = result.fixes.iter().any(|fix| fix.validated.still_failing.is_empty());
        result.add_message(match result.fixes.len() {
            0 => format!("none of {tried} makes the failing tests pass"),
            found if is_whole => format!("{} found; {tried} tried", counted(found, "fix")),
            found => {
                let found = counted(found, "fix");
                format!("no fix for all failing tests; {found} for some of them; {tried} tried")
            }
        });
    })
}
