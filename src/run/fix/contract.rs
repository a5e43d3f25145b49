//! Contract repair: generates and tests candidates, and ranks the fixes together with the revert.

use crate::run::fix::fault_localisation::{FaultLocalisation, RepairTarget};
use crate::run::fix::fix_minimiser::FixMinimiser;
use crate::run::fix::fix_verifier::FixVerifier;
use crate::run::fix::generated_test_comparison::GeneratedTestComparison;
use crate::run::fix::request::FixRequest;
use crate::run::fix::result::Fixes;
use crate::run::fix::revert::{Revert, RevertRanking};
use crate::run::fix::trials::CandidateTrials;
use crate::run::judge::SymptomOracle;
use crate::run::judge::patch_baseline::{LearnedExpectations, PatchBaseline};
use crate::run::patch::repair_context::RepairContext;
use crate::run::session::{PreparedRun, Session, next_command};
use mend_model::{ProgressEvent, Result, format_count};
use mend_report::FixResult;

/// Generates and tests candidates, and ranks the fixes together with the revert.
pub(super) fn repair_by_contracts(
    request: &FixRequest,
    session: &Session<'_>,
    prepared: PreparedRun,
    so_far: &Fixes,
    revert: Option<&Revert>,
) -> Result<Fixes> {
    let PreparedRun {
        store,
        executor: bench,
        overlay,
        attribution,
        bad,
        missing_libraries: missing,
        source_roots,
        ..
    } = prepared;
    let (subject, ledger, bench) = (session.subject, &session.run_log, bench.without_schedules());
    let premise = PatchBaseline {
        request: subject,
        run_log: ledger,
        bad: &bad,
        missing_libraries: &missing,
        accepts_partial_fixes: true,
        runs_all_tests: false,
    };
    let before = premise.run_unpatched(&bench, &store)?;
    let Some(attribution) = attribution else {
        let what = "fixes other than a revert: they need tests selected with --test, and a JDK";
        return ledger.note_unchecked(what.to_owned()).map(|()| so_far.clone());
    };
    ledger.emit(ProgressEvent::Stage("locating the faulty statements".to_owned()))?;
    let good = so_far.bisected.as_ref().and_then(|bisected| bisected.good.as_ref());
    let good = good.map(|good| &good.overlaid_tree);
    let ward = RepairTarget { session, store: &store, bad: &bad, good, overlay: &overlay };
    let FaultLocalisation { candidates, recorded_values: observed, recorders, endless } =
        ward.localise(&bench, &attribution, &source_roots, &before)?;
    let before = before.with_hanging_tests(endless);
    let limits = before.candidate_limits(subject.timeout);
    let LearnedExpectations { bench, demands } = premise.learn_expectations(bench, &before)?;
    let judge = SymptomOracle { limits, ..premise.create_oracle(&bench, before, &demands) };
    let what =
        format!("{}; trying {}", demands.describe(), format_count(candidates.len(), "candidate"));
    ledger.emit(ProgressEvent::Stage(what))?;
    let mending =
        RepairContext { session, oracle: &judge, expectations: &demands, store: &store, bad: &bad };
    let trials = CandidateTrials::new(mending, request, candidates.len());
    let tried = trials.try_all(&candidates);
    let mut comparison = GeneratedTestComparison::new(&ward, &judge, recorders);
    let ranked = comparison.rank(trials.plausible());
    let fixes = tried.and(ranked.and_then(|ranked| {
        let shrinker = FixMinimiser {
            repair_context: mending,
            comparison: &comparison,
            budget_use: trials.budget_use,
        };
        let revert_ranking = RevertRanking::new(revert);
        FixVerifier {
            repair_context: mending,
            recorded_values: &observed,
            minimiser: shrinker,
            so_far,
            revert_ranking,
        }
        .write_best(ranked, request.max_fixes)
    }))?;
    let longer = || {
        next_command::larger_budget_command(
            &subject.command_line,
            trials.budget_use.larger_budget_option(),
        )
    };
    let next_command = if !fixes.ranked.is_empty() {
        None
    } else if trials.is_limited_by_budget(candidates.len()) {
        Some(longer())
    } else {
        fixes.next_command.clone()
    };
    let mut fixes = Fixes { next_command, ..fixes };
    fixes.summary.extend([describe_fixes(&fixes.ranked, trials.tried_count())]);
    Ok(fixes)
}

/// Describes the number of found fixes and tried candidates.
fn describe_fixes(fixes: &[FixResult], tried: usize) -> String {
    let (found, tried) = (format_count(fixes.len(), "fix"), format_count(tried, "candidate"));
    if fixes.is_empty() {
        format!("none of {tried} makes the failing tests pass")
    } else if fixes.iter().any(|fix| fix.validated.still_failing.is_empty()) {
        format!("{found} found; {tried} tried")
    } else {
        format!("no fix for all failing tests; {found} for some of them; {tried} tried")
    }
}
