//! Runs `git mend fix`, from the request to the result.

use crate::run::fix::contract::repair_by_contracts;
use crate::run::fix::regression::{RegressionRepair, find_revert};
use crate::run::fix::request::{FixRequest, Technique};
use crate::run::fix::result::Fixes;
use crate::run::patch::affected_tests::UNAFFECTED_TESTS_NOTE;
use crate::run::session::request::Context;
use crate::run::session::{FinishedRun, Session, repository_of};
use crate::run::threads::fix::repair::{ConcurrencyRepair, repair};
use mend_model::{Problem, ProgressEvent, Result};
use mend_report::RunGoal;

/// Searches for fixes with the selected techniques.
///
/// # Errors
/// Problems before the run folder exists. The result contains later problems.
pub fn fix(request: &FixRequest, context: &Context) -> Result<FinishedRun> {
    let subject = &request.subject;
    let repository = repository_of(subject)?;
    let session = Session::open("fix", RunGoal::Fix, subject, context, repository)?;
    session.finish(run_techniques(request, &session))
}

fn run_techniques(request: &FixRequest, session: &Session<'_>) -> Result<Fixes> {
    let wants = |technique| request.techniques.contains(&technique);
    let good = request.good.as_ref().filter(|_| wants(Technique::Regression));
    if good.is_some() {
        session.run_log.emit(ProgressEvent::Stage("searching for the culprit".to_owned()))?;
    }
    let prepared = session.prepare(good)?;
    let regression = good.map(|good| find_revert(request, good, session, &prepared)).transpose()?;
    let RegressionRepair { mut fixes, revert } = regression.unwrap_or_default();
    session.run_log.save(&fixes)?;
    let mut is_schedule_dependent = false;
    if wants(Technique::Concurrency) {
        let repaired = repair(request, session, &prepared, &fixes, revert.as_ref())?;
        if let Some(ConcurrencyRepair { fixes: so_far, found }) = repaired {
            if found > 0 {
                return conclude(so_far, session, request.good.is_some());
            }
            (fixes, is_schedule_dependent) = (so_far, true);
        }
    }
    if wants(Technique::Contract) {
        match repair_by_contracts(request, session, prepared, &fixes, revert.as_ref()) {
            Ok(complete) => fixes = complete,
            // The schedules have already shown that the failure depends on the schedule.
            Err(Problem::BadDoesNotFail { .. } | Problem::FlakyBaseline { .. })
                if is_schedule_dependent => {}
            Err(problem) => return Err(problem),
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
