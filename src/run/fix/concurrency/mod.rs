//! Concurrency repair: schedules show the bug, and schedules verify each candidate.

mod diagnosis_config;
mod fix_verifier;
mod source_files;
mod thread_usage;
mod trials;

use super::request::FixRequest;
use crate::run::explore::{self, ExplorationOutcome, Explorer, record};
use crate::run::fix::concurrency::diagnosis_config::{SCHEDULES, explore_order};
use crate::run::fix::concurrency::fix_verifier::{ConcurrencyFixVerifier, VerifiedFixes};
use crate::run::fix::revert::RevertFix;
use crate::run::judge::patch_baseline::PatchBaseline;
use crate::run::session::versions::ResolvedVersion;
use crate::run::session::{PreparedRun, Session};
use anyhow::anyhow;
use mend_model::schedules::Findings;
use mend_model::{GoodOrBad, Problem, ProgressEvent, Result, counted};
use mend_threads::SourceFile;
use source_files::source_files;
use trials::{CandidateSearch, ScheduleTrials};

/// Result of concurrency repair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ConcurrencyOutcome {
    /// A concurrency bug, with the number of fixes found.
    ConcurrencyBug(usize),
    /// Schedules make no difference.
    NotScheduleDependent,
}

/// Explores schedules and searches for fixes of the bugs found. `is_requested` is true if the user selected the
/// technique. Otherwise only failures that depend on the schedule are handled.
pub(super) fn mend(
    request: &FixRequest,
    session: &Session<'_>,
    is_asked: bool,
) -> Result<ConcurrencyOutcome> {
    let (store, ledger) = (session.store()?, &session.ledger);
    let spending = request.budget.begin();
    let bad = session.resolve(&session.subject.bad, &store)?;
    ledger.update(|result| result.bad = Some(bad.to_report()))?;
    let PreparedRun { bench, overlay, attribution, bad, missing, .. } =
        session.prepare(bad, &store)?;
    let Some(attribution) = attribution else {
        let what = "concurrency bugs: that needs tests selected with --test, and a JDK";
        ledger.note(what.to_owned())?;
        return Ok(ConcurrencyOutcome::NotScheduleDependent);
    };
    let is_near = || {
        crate::run::fix::concurrency::thread_usage::are_named(
            &store,
            &bad.tree,
            &overlay,
            &session.subject.oracle,
        )
    };
    if !is_asked && !is_near()? {
        return Ok(ConcurrencyOutcome::NotScheduleDependent);
    }
    ledger.emit(ProgressEvent::Stage(format!("running up to {SCHEDULES} schedules")))?;
    let explorer = Explorer { session, bench: &bench, bad: &bad };
    // What the compiler knows takes as long as the first schedules.
    let (known, seen) = std::thread::scope(|scope| {
        let known = scope.spawn(|| attribution.of_one(&bench.pool, &bad.tree));
        let seen = explorer.explore(&bad.tree, &explore_order(request));
        (known.join(), seen)
    });
    let findings = match seen? {
        ExplorationOutcome::Findings(findings) => *findings,
        ExplorationOutcome::NotBuilt(output) => {
            let revision = bad.label.clone();
            return Err(Problem::BuildBroken { side: GoodOrBad::Bad, revision, output, missing });
        }
        ExplorationOutcome::Uncontrolled(_) if !is_asked => {
            return Ok(ConcurrencyOutcome::NotScheduleDependent);
        }
        ExplorationOutcome::Uncontrolled(why) => {
            return Err(Problem::UncontrolledThreads { why, output: String::new() });
        }
    };
    if !is_asked && !depends_on_schedules(&findings) {
        return Ok(ConcurrencyOutcome::NotScheduleDependent);
    }
    record(&findings, &explore_order(request), session)?;
    explore::check(&findings, &explore_order(request))?;
    check(&findings, &bad)?;
    let (facts, sources) =
        known.map_err(|_| anyhow!("the thread that reads the sources panicked"))??;
    let files = source_files(&facts, &sources, &overlay);
    let subject = session.subject;
    let premise =
        PatchBaseline { request: subject, ledger, bad: &bad, missing: &missing, or_some: false };
    let (attribution, overlay) = (&attribution, &overlay);
    let judge = premise.judge_of_all(bench, &store)?;
    let explorer = Explorer { session, bench: &judge.bench, bad: &bad };
    let trials =
        ScheduleTrials { explorer, store: &store, attribution, overlay, request, spending };
    let shown = ConcurrencyFixVerifier {
        session,
        judge: &judge,
        store: &store,
        bad: &bad,
        findings: &findings,
        spending,
        request,
        undo: RevertFix::from_result(ledger),
        done: VerifiedFixes::default(),
    };
    Ok(ConcurrencyOutcome::ConcurrencyBug(proved(&trials, shown, &files)?))
}

/// Writes down the verified fixes among those that trials find, and returns their number. If all
/// are rejected, more candidates are tried.
fn proved(
    trials: &ScheduleTrials<'_>,
    mut shown: ConcurrencyFixVerifier<'_>,
    files: &[SourceFile<'_>],
) -> Result<usize> {
    let findings = shown.findings;
    let mut search = CandidateSearch::new(findings);
    loop {
        let mended = trials.further(files, findings, &mut search)?;
        if mended.is_empty() || !shown.check(mended)? {
            break;
        }
    }
    trials.end(&search, shown.is_any())?;
    shown.end()
}

/// Returns an error if there is nothing to fix.
fn check(findings: &Findings, bad: &ResolvedVersion) -> Result<()> {
    if findings.is_failing() {
        return Ok(());
    }
    let run = counted(findings.run, "schedule");
    let output = format!("none of {run} fails, has a data race or has a lock-order cycle");
    Err(Problem::BadDoesNotFail { revision: bad.label.clone(), output })
}

/// Returns true if a test both passes and fails, depending on the schedule.
fn depends_on_schedules(findings: &Findings) -> bool {
    let mut units = findings.units.values();
    let is_mixed = units.any(|[run, failing]| (1..*run).contains(failing));
    let is_blocked = findings.groups.iter().any(|group| group.example.kind != "test");
    is_mixed || is_blocked || findings.failing == 0 && findings.is_failing()
}
