//! Orchestrates concurrency repair: diagnosis, trials of candidates, and verification.

use crate::run::fix::budget::BudgetUse;
use crate::run::fix::generator::command::PreparedGenerator;
use crate::run::fix::generator::trials::{GeneratorSetup, GeneratorTrials};
use crate::run::fix::request::FixRequest;
use crate::run::fix::result::Fixes;
use crate::run::fix::revert::{Revert, RevertRanking};
use crate::run::fix::unverified_fixes::delete_patches;
use crate::run::judge::patch_baseline::PatchBaseline;
use crate::run::patch::patch_applier::PatchApplier;
use crate::run::patch::repair_context::RepairContext;
use crate::run::session::versions::ResolvedVersion;
use crate::run::session::{PreparedRun, Session};
use crate::run::subject::attribution::Attribution;
use crate::run::subject::test_overlay::TestOverlay;
use crate::run::threads::explorer::{ExplorationOutcome, Explorer, check_controlled};
use crate::run::threads::findings_report::{RecordedSchedules, record_findings};
use crate::run::threads::fix::diagnosis_config::{
    MAX_DIAGNOSIS_SCHEDULES, create_diagnosis_config,
};
use crate::run::threads::fix::fix_verifier::{ConcurrencyFixVerifier, VerifiedFixes};
use crate::run::threads::fix::schedule_failure::ScheduleFailure;
use crate::run::threads::fix::source_files::source_files;
use crate::run::threads::fix::trials::{CandidateSearch, GeneratorPatches, ScheduleTrials};
use crate::run::threads::thread_usage::mention_threads;
use anyhow::anyhow;
use mend_engine::SourceSet;
use mend_java::Code;
use mend_java::facts::SemanticModel;
use mend_model::schedules::Findings;
use mend_model::{Problem, ProgressEvent, RepoPath, Result, TestExpectations, format_count};
use mend_repair::{Contracts, PatchLocator};
use mend_threads::SourceFile;

/// Result of concurrency repair.
pub(crate) struct ConcurrencyRepair {
    pub(crate) fixes: Fixes,
    /// Number of fixes that were found.
    pub(crate) found: usize,
}

/// Explores schedules and searches for fixes of the bugs found. Returns `None` if the failure does not depend on the
/// schedule, unless the user selected the technique or the output.
pub(crate) fn repair(
    request: &FixRequest,
    session: &Session<'_>,
    prepared: &PreparedRun,
    so_far: &Fixes,
    revert: Option<&Revert>,
    generator: Option<&PreparedGenerator<'_>>,
    run_budget: Option<BudgetUse>,
) -> Result<Option<ConcurrencyRepair>> {
    let budget_use = run_budget.unwrap_or_else(|| request.budget.start());
    let PreparedRun { store, executor, overlay, attribution, bad, missing, source_roots, .. } =
        prepared;
    let Some(attribution) = attribution else {
        let what = "concurrency bugs: that needs tests selected with --test, and a JDK";
        session.run_log.note_unchecked(what.to_owned())?;
        return Ok(None);
    };
    let Some(Diagnosis { findings, code }) = diagnose(request, session, prepared, attribution)?
    else {
        return Ok(None);
    };
    let so_far = record_bug(&findings, request, session, overlay, so_far)?;
    check_controlled(&findings, &create_diagnosis_config(request))?;
    check_failing(&findings, bad)?;
    let (facts, sources) = code?;
    let files = source_files(&facts, &sources, overlay);
    let (subject, run_log) = (session.subject, &session.run_log);
    let baseline = PatchBaseline {
        request: subject,
        run_log,
        bad,
        missing,
        accepts_partial_fixes: false,
        runs_all_tests: false,
    };
    let judge = baseline.create_all_pass_oracle(executor, store)?;
    let explorer = Explorer { session, executor, bad };
    let main = main_sources(&files);
    let (contracts, expectations) = (Contracts::from_files(&main), TestExpectations::default());
    let no_failure = mend_repair::Diagnosis::default();
    let setup = || -> Result<_> {
        Ok(GeneratorSetup {
            repair_context: RepairContext {
                session,
                oracle: &judge,
                expectations: &expectations,
                store,
                bad,
            },
            patch_applier: PatchApplier::new(store, bad, overlay, source_roots)?,
            patch_locator: PatchLocator::new(&main, &contracts, &[], &no_failure),
            best_score: None,
        })
    };
    let failure = ScheduleFailure {
        bad,
        files: &files,
        main: &main,
        contracts: &contracts,
        findings: &findings,
        so_far: &so_far,
        revert,
    };
    let start = |one| GeneratorTrials::start(one, failure.report(), setup()?, budget_use);
    let generator = generator.map(start).transpose()?.flatten();
    let generator = generator.as_ref();
    let patches = generator.map(|generator| generator as &dyn GeneratorPatches);
    let trials =
        ScheduleTrials { explorer, store, attribution, overlay, request, budget_use, patches };
    let verifier = ConcurrencyFixVerifier {
        session,
        oracle: &judge,
        store,
        bad,
        findings: &findings,
        budget_use,
        request,
        so_far: &so_far,
        revert: RevertRanking::new(revert),
        verified: VerifiedFixes::default(),
    };
    verify_and_write_fixes(&trials, verifier, &files, generator).map(Some)
}

/// Findings of the schedules of bad, and its attributed code.
struct Diagnosis {
    findings: Findings,
    code: Result<(SemanticModel, SourceSet)>,
}

/// Explores schedules of bad while the compiler attributes its code. Returns `None` if the failure does not depend on
/// the schedule.
fn diagnose(
    request: &FixRequest,
    session: &Session<'_>,
    PreparedRun { store, executor, overlay, bad, missing, .. }: &PreparedRun,
    attribution: &Attribution,
) -> Result<Option<Diagnosis>> {
    // Only schedules are compared with the expected output.
    let is_asked = request.has_chosen_techniques || request.expected_output.is_some();
    if !is_asked && !mention_threads(store, &bad.overlaid_tree, overlay, &session.subject.oracle)? {
        return Ok(None);
    }
    let stage = format!("running up to {MAX_DIAGNOSIS_SCHEDULES} schedules");
    session.run_log.emit(ProgressEvent::Stage(stage))?;
    let explorer = Explorer { session, executor, bad };
    let (code, outcome) = std::thread::scope(|scope| {
        let code =
            scope.spawn(|| attribution.attribute_version(&executor.pool, &bad.overlaid_tree));
        let outcome = explorer.explore(&bad.overlaid_tree, &create_diagnosis_config(request));
        (code.join(), outcome)
    });
    let code =
        code.unwrap_or_else(|_| Err(anyhow!("the thread that reads the sources panicked").into()));
    match outcome? {
        ExplorationOutcome::NotRun | ExplorationOutcome::Uncontrolled(_) if !is_asked => Ok(None),
        outcome => {
            let findings = outcome.into_findings(&bad.label, missing)?;
            let is_meant = is_asked || depends_on_schedules(&findings);
            Ok(is_meant.then_some(Diagnosis { findings, code }))
        }
    }
}

/// Returns the sources without tests.
fn main_sources<'a>(files: &[SourceFile<'a>]) -> Vec<(RepoPath, Code<'a>)> {
    let main = files.iter().filter(|file| !file.is_test);
    main.map(|file| (file.path.clone(), file.code)).collect()
}

/// Adds the findings of the schedules to the result so far.
fn record_bug(
    findings: &Findings,
    request: &FixRequest,
    session: &Session<'_>,
    overlay: &TestOverlay,
    so_far: &Fixes,
) -> Result<Fixes> {
    let RecordedSchedules { report, headline } =
        record_findings(findings, &create_diagnosis_config(request), session, overlay)?;
    let mut so_far = Fixes { schedules: Some(report), ..so_far.clone() };
    so_far.summary.extend([headline]);
    session.run_log.save(&so_far)?;
    Ok(so_far)
}

/// Verifies the candidates that the trials find, and writes the fixes. If that is not completed, the result keeps the
/// passing candidates as unverified fixes, and the verdicts on the patches of the generator.
fn verify_and_write_fixes(
    trials: &ScheduleTrials<'_>,
    mut verifier: ConcurrencyFixVerifier<'_>,
    files: &[SourceFile<'_>],
    generator: Option<&GeneratorTrials<'_>>,
) -> Result<ConcurrencyRepair> {
    let run_log = &trials.explorer.session.run_log;
    let add_verdicts = |fixes| match generator {
        Some(generator) => generator.add_verdicts(fixes),
        None => fixes,
    };
    let mut search = CandidateSearch::new(verifier.findings);
    if let Err(problem) = find_and_verify(trials, &mut verifier, files, &mut search) {
        let saved = verifier.with_unverified(&search.results.passing);
        let saved = saved.and_then(|fixes| run_log.save(&add_verdicts(fixes)));
        // A problem of the save would hide the cause.
        drop(saved);
        return Err(problem);
    }
    // Those of an interrupted run that this run continues.
    delete_patches(&run_log.folder);
    let (tried, longer) = (search.describe(), trials.longer(&search, verifier.has_fix()));
    let (found, mut fixes) = (verifier.count(), verifier.fixes());
    fixes.summary.extend([tried]);
    fixes.summary.extend(verifier.report(longer.is_some())?);
    fixes.next_command = longer.filter(|_| fixes.ranked.is_empty());
    let mut fixes = add_verdicts(fixes);
    fixes.summary.extend(generator.map(GeneratorTrials::describe));
    run_log.save(&fixes)?;
    Ok(ConcurrencyRepair { fixes, found })
}

/// Verifies the candidates that the trials find. If all are rejected, tries more candidates.
fn find_and_verify(
    trials: &ScheduleTrials<'_>,
    verifier: &mut ConcurrencyFixVerifier<'_>,
    files: &[SourceFile<'_>],
    search: &mut CandidateSearch,
) -> Result<()> {
    loop {
        let fixes = trials.find_candidates(files, verifier.findings, search)?;
        if fixes.is_empty() || !verifier.verify_fixes(fixes)? {
            return Ok(());
        }
    }
}

/// Returns an error if no schedule fails.
fn check_failing(findings: &Findings, bad: &ResolvedVersion) -> Result<()> {
    if findings.is_failing() {
        return Ok(());
    }
    let run = format_count(findings.run, "schedule");
    let output = format!("none of {run} fails, has a data race or has a lock-order cycle");
    Err(Problem::BadDoesNotFail { revision: bad.label.clone(), output, has_passed: true })
}

/// Returns true if a test both passes and fails, depending on the schedule.
fn depends_on_schedules(findings: &Findings) -> bool {
    let mut units = findings.multi_threaded_tests.values();
    let is_mixed = units.any(|[run, failing]| (1..*run).contains(failing));
    let is_blocked = findings.groups.iter().any(|group| group.example.kind != "test");
    is_mixed || is_blocked || findings.failing == 0 && findings.is_failing()
}
