//! Runs `git mend fix`, from the request to the result.

use crate::run::fix::budget::BudgetUse;
use crate::run::fix::contract_repair::{EarlierResults, repair_by_contracts};
use crate::run::fix::generator::command::PreparedGenerator;
use crate::run::fix::request::{FixRequest, Technique};
use crate::run::fix::result::Fixes;
use crate::run::fix::revert_search::{RevertSearchResult, find_revert};
use crate::run::fix::unverified_fixes::note_unverified_fixes;
use crate::run::patch::affected_tests::UNAFFECTED_TESTS_NOTE;
use crate::run::session::request::Context;
use crate::run::session::{FinishedRun, Session, repository_of};
use crate::run::threads::fix::repair::{ConcurrencyRepair, repair};
use mend_model::{Problem, ProgressEvent, Result};
use mend_report::RunResult;
use std::time::Instant;

/// Note for a search for the culprit that left no time for a generator.
const NO_TIME_NOTE: &str =
    "patches of the generator: the search for the culprit left too little time of --budget";

/// Searches for fixes with the selected techniques.
///
/// # Errors
/// Problems before the run folder exists. The result contains later problems.
pub fn fix(request: &FixRequest, context: &Context) -> Result<FinishedRun> {
    let started = Instant::now();
    let subject = &request.subject;
    let generator = request.generator.as_ref().map(|one| one.prepare(&subject.dir)).transpose()?;
    let repository = repository_of(subject)?;
    let session = Session::open("fix", request.goal, subject, context, repository)?;
    let run_budget = request.limits_whole_run().then(|| request.budget.start_with_reserve(started));
    session.finish(run_techniques(request, &session, generator.as_ref(), run_budget))
}

fn run_techniques(
    request: &FixRequest,
    session: &Session<'_>,
    mut generator: Option<&PreparedGenerator<'_>>,
    run_budget: Option<BudgetUse>,
) -> Result<Fixes> {
    let wants = |technique| request.techniques.contains(&technique);
    let good = request.good.as_ref().filter(|_| wants(Technique::Regression));
    if good.is_some() {
        session.run_log.emit(ProgressEvent::Stage("searching for the culprit".to_owned()))?;
    }
    let prepared = session.prepare(good)?;
    let regression = good.map(|good| find_revert(request, good, session, &prepared)).transpose()?;
    let RevertSearchResult { mut fixes, revert } = regression.unwrap_or_default();
    session.run_log.save(&fixes)?;
    let mut is_schedule_dependent = false;
    if wants(Technique::Concurrency) {
        let repaired =
            repair(request, session, &prepared, &fixes, revert.as_ref(), generator, run_budget);
        if let Err(problem) = &repaired {
            note_unverified_fixes(&session.run_log, problem)?;
        }
        let repaired = repaired?;
        if let Some(ConcurrencyRepair { fixes: so_far, found }) = repaired {
            if found > 0 {
                return conclude(so_far, session, request.good.is_some());
            }
            (fixes, is_schedule_dependent) = (so_far, true);
            if fixes.generator.is_some() {
                // Its patches were tested under schedules, which show more than single runs.
                generator = None;
            }
        }
    }
    if !wants(Technique::Contract) && generator.is_none() {
        return conclude(fixes, session, request.good.is_some());
    }
    if run_budget.is_some_and(|budget_use| budget_use.is_time_over()) {
        session.run_log.note_unchecked(NO_TIME_NOTE.to_owned())?;
    } else {
        let earlier =
            EarlierResults { so_far: &fixes, revert: revert.as_ref(), generator, run_budget };
        match repair_by_contracts(request, session, prepared, &earlier) {
            Ok(complete) => fixes = complete,
            // The schedules have already shown that the failure depends on the schedule.
            Err(Problem::BadDoesNotFail { .. } | Problem::FlakyBaseline { .. })
                if is_schedule_dependent => {}
            // Without contract repair, only the generator is missing. The culprit remains.
            Err(problem)
                if !wants(Technique::Contract)
                    && fixes.bisected.is_some()
                    && !matches!(problem, Problem::Interrupted) =>
            {
                let run_log = &session.run_log;
                run_log.note_unchecked(format!("patches of the generator: {problem}"))?;
                note_unverified_fixes(run_log, &problem)?;
                // What the generator's part saved.
                let RunResult { fixes: ranked, unverified_fixes: unverified, generator, .. } =
                    run_log.result();
                fixes = Fixes { ranked, unverified, generator, ..fixes };
            }
            Err(problem) => {
                note_unverified_fixes(&session.run_log, &problem)?;
                return Err(problem);
            }
        }
    }
    conclude(fixes, session, request.good.is_some())
}

/// Records what was not checked. Reverts were tested only with the selected tests.
fn conclude(fixes: Fixes, session: &Session<'_>, may_be_undone: bool) -> Result<Fixes> {
    if may_be_undone {
        session.leave_unselected_tests()?;
    } else {
        session.run_log.leave_unchecked(UNAFFECTED_TESTS_NOTE)?;
    }
    session.run_log.leave_unchecked("behaviour that no test covers")?;
    Ok(Fixes { is_complete: true, ..fixes })
}
