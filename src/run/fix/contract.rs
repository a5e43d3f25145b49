//! Contract repair: generates and tests candidates, and ranks them together with the revert.

use crate::run::fix::fault_localisation::{FaultLocalisation, RepairTarget};
use crate::run::fix::fix_minimiser::FixMinimiser;
use crate::run::fix::fix_writer::FixWriter;
use crate::run::fix::generated_test_comparison::GeneratedTestComparison;
use crate::run::fix::request::FixRequest;
use crate::run::fix::result::Fixes;
use crate::run::fix::revert::{Revert, RevertRanking};
use crate::run::fix::trials::CandidateTrials;
use crate::run::judge::SymptomOracle;
use crate::run::judge::patch_baseline::{LearnedExpectations, PatchBaseline};
use crate::run::patch::repair_context::RepairContext;
use crate::run::session::{PreparedRun, Session, next_command};
use mend_model::{ProgressEvent, Result, counted};
use mend_report::FixResult;

/// Generates and tests candidates, and ranks them together with the revert.
pub(super) fn repair_by_contracts(
    request: &FixRequest,
    session: &Session<'_>,
    prepared: PreparedRun,
    so_far: &Fixes,
    revert: Option<&Revert>,
) -> Result<Fixes> {
    let PreparedRun { store, bench, overlay, attribution, bad, missing, source_roots, .. } =
        prepared;
    let (subject, ledger, bench) = (session.subject, &session.ledger, bench.without_schedules());
    let premise =
        PatchBaseline { request: subject, ledger, bad: &bad, missing: &missing, or_some: true };
    let before = premise.run_unpatched(&bench, &store)?;
    let Some(attribution) = attribution else {
        let what = "fixes other than a revert: they need tests selected with --test, and a JDK";
        return ledger.note(what.to_owned()).map(|()| so_far.clone());
    };
    ledger.emit(ProgressEvent::Stage("locating the faulty statements".to_owned()))?;
    let good = so_far.bisected.as_ref().and_then(|bisected| bisected.good.as_ref());
    let good = good.map(|good| &good.tree);
    let ward = RepairTarget { session, store: &store, bad: &bad, good, overlay: &overlay };
    let FaultLocalisation { candidates, observed, recorders, endless } =
        ward.examined(&bench, &attribution, &source_roots, &before)?;
    let before = before.endless(endless);
    let limits = before.limits_for_many(subject.timeout);
    let LearnedExpectations { bench, demands } = premise.learn_expectations(bench, &before)?;
    let judge = SymptomOracle { limits, ..premise.judge(&bench, before, &demands) };
    let what = format!("{}; trying {}", demands.describe(), counted(candidates.len(), "candidate"));
    ledger.emit(ProgressEvent::Stage(what))?;
    let mending =
        RepairContext { session, judge: &judge, demands: &demands, store: &store, bad: &bad };
    let trials = CandidateTrials::new(mending, request, candidates.len());
    let tried = trials.try_all(&candidates);
    let mut comparison = GeneratedTestComparison::new(&ward, &judge, recorders);
    let ranked = comparison.ranked(trials.plausible());
    let fixes = tried.and(ranked.and_then(|ranked| {
        let shrinker = FixMinimiser { mending, comparison: &comparison, spending: trials.spending };
        let undo = RevertRanking::new(revert);
        FixWriter { mending, observed: &observed, shrinker, so_far, undo }.best(ranked, request.top)
    }))?;
    let longer = || next_command::longer(&subject.command_line, trials.spending.more());
    let next_command = if !fixes.ranked.is_empty() {
        None
    } else if trials.is_cut_short(candidates.len()) {
        Some(longer())
    } else {
        fixes.next_command.clone()
    };
    let mut fixes = Fixes { next_command, ..fixes };
    fixes.summary.extend([describe_fixes(&fixes.ranked, trials.tried())]);
    Ok(fixes)
}

/// Describes how many fixes were found by trying a number of candidates.
fn describe_fixes(fixes: &[FixResult], tried: usize) -> String {
    let (found, tried) = (counted(fixes.len(), "fix"), counted(tried, "candidate"));
    if fixes.is_empty() {
        format!("none of {tried} makes the failing tests pass")
    } else if fixes.iter().any(|fix| fix.validated.still_failing.is_empty()) {
        format!("{found} found; {tried} tried")
    } else {
        format!("no fix for all failing tests; {found} for some of them; {tried} tried")
    }
}
