//! Contract repair: generates and tests candidates, and ranks the fixes together with the revert. The patches of an
//! external generator are further candidates.

use crate::run::bisect::result::Bisected;
use crate::run::fix::budget::BudgetUse;
use crate::run::fix::candidate_list::list_candidates;
use crate::run::fix::fault_localisation::{AttributedVersion, FaultLocalisation, RepairTarget};
use crate::run::fix::fix_minimiser::FixMinimiser;
use crate::run::fix::fix_verifier::FixVerifier;
use crate::run::fix::generated_test_comparison::GeneratedTestComparison;
use crate::run::fix::generator::command::PreparedGenerator;
use crate::run::fix::generator::failure_report::ReportedFailure;
use crate::run::fix::generator::trials::{GeneratorSetup, GeneratorTrials};
use crate::run::fix::generator_tester::ContractTester;
use crate::run::fix::plausible::PlausibleFix;
use crate::run::fix::request::{FixRequest, Technique};
use crate::run::fix::result::Fixes;
use crate::run::fix::revert::{Revert, RevertRanking};
use crate::run::fix::trials::CandidateTrials;
use crate::run::fix::unverified_fixes::UnverifiedFixes;
use crate::run::judge::SymptomOracle;
use crate::run::judge::patch_baseline::{LearnedExpectations, PatchBaseline};
use crate::run::patch::patch_applier::PatchApplier;
use crate::run::patch::repair_context::RepairContext;
use crate::run::session::{PreparedRun, Session, next_command};
use mend_model::{ProgressEvent, Result, format_count};
use mend_repair::LocatedCandidate;
use mend_report::FixResult;

/// Results of the earlier techniques, and the generator that was prepared.
pub(super) struct EarlierResults<'a> {
    pub(super) so_far: &'a Fixes,
    pub(super) revert: Option<&'a Revert>,
    pub(super) generator: Option<&'a PreparedGenerator<'a>>,
    /// Budget of the whole run, if there is one.
    pub(super) run_budget: Option<BudgetUse>,
}

/// Generates and tests candidates, and ranks the fixes together with the revert.
pub(super) fn repair_by_contracts(
    request: &FixRequest,
    session: &Session<'_>,
    prepared: PreparedRun,
    earlier: &EarlierResults<'_>,
) -> Result<Fixes> {
    let EarlierResults { so_far, revert, generator, run_budget } = *earlier;
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
    let (subject, run_log, bench) = (session.subject, &session.run_log, bench.without_schedules());
    let baseline = PatchBaseline {
        request: subject,
        run_log,
        bad: &bad,
        missing_libraries: &missing,
        accepts_partial_fixes: true,
        runs_all_tests: false,
    };
    let before = baseline.run_unpatched(&bench, &store)?;
    let Some(attribution) = attribution else {
        let what = "fixes other than a revert: they need tests selected with --test, and a JDK";
        return run_log.note_unchecked(what.to_owned()).map(|()| so_far.clone());
    };
    run_log.emit(ProgressEvent::Stage("locating the faulty statements".to_owned()))?;
    let good = so_far.bisected.as_ref().and_then(Bisected::good_tree);
    let target = RepairTarget { session, store: &store, bad: &bad, good, overlay: &overlay };
    target.emit_progress("analysing the code with the compiler", 2)?;
    let attributed = AttributedVersion::attribute(&attribution, &bench, &bad.overlaid_tree)?;
    let code = attributed.split_files(&overlay);
    let located = target.localise(&bench, &attribution, &code, &source_roots, &before)?;
    let FaultLocalisation { recorded_values: observed, recorders, endless, .. } = located;
    let candidates = own_candidates(request, located.candidates);
    list_candidates(&run_log.folder, &candidates)?;
    let unpatched_outcome = before.outcome.clone();
    let before = before.with_hanging_tests(endless);
    let limits = before.candidate_limits(subject.timeout);
    let LearnedExpectations { bench, demands } = baseline.learn_expectations(bench, &before)?;
    let judge = SymptomOracle { limits, ..baseline.create_oracle(&bench, before, &demands) };
    let trying = describe_candidates(candidates.len(), generator.is_some());
    run_log.emit(ProgressEvent::Stage(format!("{}; trying {trying}", demands.describe())))?;
    let repair_context =
        RepairContext { session, oracle: &judge, expectations: &demands, store: &store, bad: &bad };
    let budget_use = run_budget.unwrap_or_else(|| request.budget.start());
    let max_candidates = request.budget.allowed_candidates(candidates.len());
    let trials = CandidateTrials::new(repair_context, budget_use, max_candidates);
    let failure = ReportedFailure {
        store: &store,
        bad: &bad,
        overlay: &overlay,
        outcome: &unpatched_outcome,
        expectations: &demands,
        culprit: so_far.bisected.as_ref().and_then(|bisected| bisected.culprit_commit.as_ref()),
        revert,
        locations: &located.locations,
        contracts: &located.described_contracts,
    };
    let generator = match generator {
        None => None,
        Some(prepared) => {
            let setup = GeneratorSetup {
                repair_context,
                patch_applier: PatchApplier::new(&store, &bad, &overlay, &source_roots)?,
                patch_locator: located.patch_evidence.locator(&code.main),
                best_score: candidates.first().map(|best| best.change.score),
            };
            GeneratorTrials::start(prepared, failure.report()?, setup, budget_use)?
        }
    };
    let tried = try_candidates(&trials, &candidates, generator.as_ref());
    let verdicts = generator.as_ref().map(|generator| generator.result(&[]));
    let verdicts = verdicts.or_else(|| so_far.generator.clone());
    let so_far = Fixes { generator: verdicts, ..so_far.clone() };
    let mut comparison = GeneratedTestComparison::new(&target, &judge, recorders, &code.main);
    let plausible = trials.plausible();
    // An interrupted run keeps the verdicts and the plausible fixes.
    let save_unverified = |plausible: &[PlausibleFix]| -> Result<_> {
        let unverified = UnverifiedFixes::write(repair_context, plausible, request.max_fixes)?;
        run_log.save(&Fixes { unverified: unverified.list(), ..so_far.clone() })?;
        Ok(unverified)
    };
    save_unverified(&plausible)?;
    tried?;
    let ranked = comparison.rank(plausible)?;
    let verifier = FixVerifier {
        repair_context,
        recorded_values: &observed,
        minimiser: FixMinimiser {
            repair_context,
            comparison: &comparison,
            budget_use: trials.budget_use,
            generator: generator.as_ref(),
        },
        so_far: &so_far,
        revert_ranking: RevertRanking::new(revert),
        unverified: save_unverified(&ranked)?,
    };
    let fixes = verifier.write_best(ranked, request.max_fixes)?;
    let fixes = with_next_command(fixes, &trials, candidates.len(), &subject.command_line);
    Ok(with_summary(fixes, &trials, generator.as_ref()))
}

/// Adds the summary, and the verdicts on the patches of a generator.
fn with_summary(
    mut fixes: Fixes,
    trials: &CandidateTrials<'_>,
    generator: Option<&GeneratorTrials<'_>>,
) -> Fixes {
    fixes.summary.extend([describe_fixes(&fixes.ranked, trials.tried_count())]);
    if let Some(generator) = generator {
        fixes.summary.extend([generator.describe()]);
        fixes = generator.add_verdicts(fixes);
    }
    fixes
}

/// Adds the command with a larger budget if there is no fix and the budget was too small.
fn with_next_command(
    fixes: Fixes,
    trials: &CandidateTrials<'_>,
    candidates: usize,
    command_line: &[String],
) -> Fixes {
    let next_command = if !fixes.ranked.is_empty() {
        None
    } else if trials.is_limited_by_budget(candidates) {
        let option = trials.budget_use.larger_budget_option();
        Some(next_command::larger_budget_command(command_line, option))
    } else {
        fixes.next_command.clone()
    };
    Fixes { next_command, ..fixes }
}

/// Returns our own candidates, which are tried only if the user wants contract repair.
fn own_candidates(
    request: &FixRequest,
    candidates: Vec<LocatedCandidate>,
) -> Vec<LocatedCandidate> {
    let is_wanted = request.techniques.contains(&Technique::Contract);
    if is_wanted { candidates } else { Vec::new() }
}

/// Tests our own candidates, and between them the patches of the generator as soon as it offers them.
fn try_candidates(
    trials: &CandidateTrials<'_>,
    candidates: &[LocatedCandidate],
    generator: Option<&GeneratorTrials<'_>>,
) -> Result<()> {
    let tester = ContractTester { trials };
    trials.try_all(candidates, &|| generator.map_or(Ok(()), |one| one.advance(&tester)))?;
    generator.map_or(Ok(()), |one| one.finish(&tester))?;
    trials.try_combinations(candidates.len())
}

/// Describes the candidates to try.
fn describe_candidates(own: usize, has_generator: bool) -> String {
    let of_generator = if has_generator { " and those of the generator" } else { "" };
    format!("{}{of_generator}", format_count(own, "candidate"))
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
