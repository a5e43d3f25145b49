//! Contract repair: generates and tests candidates, and ranks the fixes together with the revert. The patches of an
//! external generator are further candidates.

use crate::run::bisect::result::Bisected;
use crate::run::fix::budget::BudgetUse;
use crate::run::fix::candidate_generation::{GeneratedCandidates, record_values_and_generate};
use crate::run::fix::candidate_list::list_candidates;
use crate::run::fix::fix_minimiser::FixMinimiser;
use crate::run::fix::fix_ranking::rank_by_behaviour;
use crate::run::fix::fix_verifier::FixVerifier;
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
use crate::run::patch::attributed_version::AttributedVersion;
use crate::run::patch::behaviour_comparison::BehaviourComparison;
use crate::run::patch::fault_localisation::{FaultLocaliser, LocatedFaults};
use crate::run::patch::patch_applier::PatchApplier;
use crate::run::patch::repair_context::RepairContext;
use crate::run::patch::repair_target::RepairTarget;
use crate::run::session::{PreparedRun, Session, next_command};
use mend_model::{ProgressEvent, Result, format_count};
use mend_repair::{LocatedCandidate, RecordedValues};

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
    let PreparedRun { store, executor, overlay, attribution, bad, missing, source_roots, .. } =
        prepared;
    let (subject, run_log, executor) =
        (session.subject, &session.run_log, executor.without_schedules());
    let baseline = PatchBaseline {
        request: subject,
        run_log,
        bad: &bad,
        missing: &missing,
        accepts_partial_fixes: true,
        runs_all_tests: false,
    };
    let before = baseline.run_unpatched(&executor, &store)?;
    let Some(attribution) = attribution else {
        let what = "fixes other than a revert: they need tests selected with --test, and a JDK";
        return run_log.note_unchecked(what.to_owned()).map(|()| so_far.clone());
    };
    run_log.emit(ProgressEvent::Stage("locating the faulty statements".to_owned()))?;
    let good = so_far.bisected.as_ref().and_then(Bisected::good_tree);
    let target = RepairTarget { session, store: &store, bad: &bad, good, overlay: &overlay };
    target.emit_progress("analysing the code with the compiler", 2)?;
    let attributed = AttributedVersion::attribute(&attribution, &executor, &bad.overlaid_tree)?;
    let code = attributed.split_files(&overlay);
    let localiser = FaultLocaliser {
        target: &target,
        executor: &executor,
        code: &code,
        roots: &source_roots,
        unpatched_run: &before,
    };
    let faults = localiser.locate_faults()?;
    let generated = record_values_and_generate(localiser, &attribution, &faults)?;
    let GeneratedCandidates { candidates, recorded_values, locations, described_contracts } =
        generated;
    let LocatedFaults { evidence, recorders, endless, .. } = faults;
    let candidates = own_candidates(request, candidates);
    list_candidates(&run_log.folder, &candidates)?;
    let unpatched_outcome = before.outcome.clone();
    let before = before.with_hanging_tests(endless);
    let limits = before.candidate_limits(subject.timeout);
    let LearnedExpectations { executor, expectations } =
        baseline.learn_expectations(executor, &before)?;
    let judge =
        SymptomOracle { limits, ..baseline.create_oracle(&executor, &before, &expectations) };
    let trying = describe_candidates(candidates.len(), generator.is_some());
    run_log.emit(ProgressEvent::Stage(format!("{}; trying {trying}", expectations.describe())))?;
    let repair_context = RepairContext {
        session,
        oracle: &judge,
        expectations: &expectations,
        store: &store,
        bad: &bad,
    };
    let budget_use = run_budget.unwrap_or_else(|| request.budget.start());
    let max_candidates = request.budget.allowed_candidates(candidates.len());
    let trials = CandidateTrials::new(repair_context, &code.main, budget_use, max_candidates);
    let failure = ReportedFailure {
        store: &store,
        bad: &bad,
        overlay: &overlay,
        outcome: &unpatched_outcome,
        expectations: &expectations,
        culprit: so_far.bisected.as_ref().and_then(|bisected| bisected.culprit_commit.as_ref()),
        revert,
        locations: &locations,
        contracts: &described_contracts,
    };
    let generator = match generator {
        None => None,
        Some(prepared) => {
            let setup = GeneratorSetup {
                repair_context,
                patch_applier: PatchApplier::new(&store, &bad, &overlay, &source_roots)?,
                patch_locator: evidence.locator(&code.main),
                best_score: candidates.first().map(|best| best.change.score),
            };
            GeneratorTrials::start(prepared, failure.report()?, setup, budget_use)?
        }
    };
    let tried = try_candidates(&trials, &candidates, generator.as_ref());
    let comparison = BehaviourComparison::new(&target, &judge, recorders, &code.main);
    let search = FixSearch {
        request,
        trials: &trials,
        generator: generator.as_ref(),
        revert,
        recorded_values: &recorded_values,
    };
    let fixes = search.verify_best(so_far, tried, comparison)?;
    let fixes = with_next_command(fixes, &trials, candidates.len(), &subject.command_line);
    Ok(with_summary(fixes, &trials, generator.as_ref()))
}

/// Search whose candidates were tried.
struct FixSearch<'a> {
    request: &'a FixRequest,
    trials: &'a CandidateTrials<'a>,
    generator: Option<&'a GeneratorTrials<'a>>,
    revert: Option<&'a Revert>,
    recorded_values: &'a RecordedValues,
}

impl FixSearch<'_> {
    /// Ranks and verifies the plausible fixes. An interrupted run keeps the verdicts and the plausible fixes.
    fn verify_best(
        &self,
        earlier: &Fixes,
        tried: Result<()>,
        mut comparison: BehaviourComparison<'_>,
    ) -> Result<Fixes> {
        let Self { request, trials, generator, .. } = *self;
        let repair_context = trials.repair_context;
        let verdicts = generator.map(|generator| generator.result(&[]));
        let verdicts = verdicts.or_else(|| earlier.generator.clone());
        let so_far = Fixes { generator: verdicts, ..earlier.clone() };
        let save_unverified = |plausible: &[PlausibleFix]| -> Result<_> {
            let unverified = UnverifiedFixes::write(repair_context, plausible, request.max_fixes)?;
            let saved = Fixes { unverified: unverified.list(), ..so_far.clone() };
            repair_context.session.run_log.save(&saved)?;
            Ok(unverified)
        };
        let plausible = trials.plausible();
        save_unverified(&plausible)?;
        tried?;
        // The other half is for the verification.
        let comparison_time = trials.budget_use.remaining_verification_time() / 2;
        let ranked =
            rank_by_behaviour(plausible, &mut comparison, repair_context, comparison_time)?;
        let verifier = FixVerifier {
            repair_context,
            recorded_values: self.recorded_values,
            minimiser: FixMinimiser {
                repair_context,
                comparison: &comparison,
                budget_use: trials.budget_use,
                generator,
            },
            so_far: &so_far,
            revert_ranking: RevertRanking::new(self.revert),
            unverified: save_unverified(&ranked)?,
        };
        verifier.write_best(ranked, request.max_fixes)
    }
}

/// Adds the summary, and the verdicts on the patches of a generator.
fn with_summary(
    mut fixes: Fixes,
    trials: &CandidateTrials<'_>,
    generator: Option<&GeneratorTrials<'_>>,
) -> Fixes {
    fixes.summary.extend([describe_fixes(&fixes, trials.tried_count())]);
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
    let next_command = if fixes.has_recommended_fix() {
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
fn describe_fixes(fixes: &Fixes, tried: usize) -> String {
    let is_recommended = fixes.has_recommended_fix();
    let (fixes, unverified) = (&fixes.ranked, fixes.unverified.len());
    let (found, tried) = (format_count(fixes.len(), "fix"), format_count(tried, "candidate"));
    if fixes.is_empty() && unverified > 0 {
        format!(
            "{} not verified, because no time was left; {tried} tried",
            format_count(unverified, "fix")
        )
    } else if fixes.is_empty() {
        format!("none of {tried} makes the failing tests pass")
    } else if !is_recommended {
        format!(
            "no fix that we would recommend; the most promising attempts are in the run folder; {tried} tried"
        )
    } else if fixes.iter().any(|fix| fix.validated.still_failing.is_empty()) {
        format!("{found} found; {tried} tried")
    } else {
        format!("no fix for all failing tests; {found} for some of them; {tried} tried")
    }
}
