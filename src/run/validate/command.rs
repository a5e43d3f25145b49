//! Runs `git mend validate`, from the request to the result.

use super::behaviour_check::BehaviourCheck;
use super::fix_writer::{PatchChecks, PoolFixWriter};
use super::patch_pool::PatchPool;
use super::pool_baseline::PoolBaseline;
use super::result::Validated;
use super::schedule_check::ScheduleCheck;
use super::trials::{PlausiblePatch, PoolTests, PoolTrials, count_patches};
use crate::run::patch::repair_context::RepairContext;
use crate::run::session::request::{Context, SubjectRequest};
use crate::run::session::{FinishedRun, PreparedRun, Session, repository_of};
use crate::run::threads::explorer::Explorer;
use mend_model::{ProgressEvent, Result};
use mend_report::RunGoal;
use std::path::PathBuf;

/// Note that no patch is minimised because the tests use threads.
const UNMINIMISED_NOTE: &str =
    "whether every part of each patch is needed: schedules do not show that a lock is unnecessary";

/// Request to validate a pool of patches.
#[derive(Clone, Debug)]
pub struct ValidateRequest {
    /// Version and tests, and how to run them.
    pub subject: SubjectRequest,
    /// Path of the folder with the patches.
    pub pool: PathBuf,
    /// True if plausible patches are minimised.
    pub minimise: bool,
    /// True if all tests run with each patch, even after one fails.
    pub runs_all_tests: bool,
}

/// Validates a pool of patches.
///
/// # Errors
/// Problems before the run folder exists. The result contains later problems.
pub fn validate(request: &ValidateRequest, context: &Context) -> Result<FinishedRun> {
    let subject = &request.subject;
    let pool = PatchPool::read(&request.pool)?;
    let repository = repository_of(subject)?;
    let session = Session::open("validate", RunGoal::Fix, subject, context, repository)?;
    session.finish(validate_pool(request, &session, &pool))
}

fn validate_pool(
    request: &ValidateRequest,
    session: &Session<'_>,
    pool: &PatchPool,
) -> Result<Validated> {
    let run_log = &session.run_log;
    if !pool.non_patch_files.is_empty() {
        run_log.note_unchecked(format!(
            "files in the pool that are not patches: {}",
            pool.non_patch_files.join(", ")
        ))?;
    }
    let baseline = PoolBaseline::learn(session, request.runs_all_tests)?;
    let PoolBaseline { prepared, unpatched_run, expectations, .. } = &baseline;
    let PreparedRun { store, executor, overlay, attribution, bad, source_roots, .. } = prepared;
    let oracle = baseline.create_oracle(session);
    let (description, patches) = (expectations.describe(), count_patches(pool.entries.len()));
    run_log.emit(ProgressEvent::Stage(format!("{description}; trying {patches}")))?;
    let patch_applier = baseline.create_applier()?;
    let tests = PoolTests { expectations, runs_all: request.runs_all_tests };
    let trials = PoolTrials::new(session, &oracle, tests, &patch_applier, bad);
    let trials_result = trials.try_all(pool);
    let repair_context = RepairContext { session, oracle: &oracle, expectations, store, bad };
    let plausible = trials.plausible();
    let schedule_check = ScheduleCheck {
        explorer: Explorer { session, executor, bad },
        store,
        overlay,
        failing_tests: expectations.failing_tests(),
    };
    let behaviour_check = BehaviourCheck {
        repair_context,
        attribution: attribution.as_ref(),
        overlay,
        roots: source_roots,
        unpatched_run,
    };
    let mut checks = PatchChecks::default();
    let problem = trials_result
        .and_then(|()| run_checks(&plausible, &schedule_check, &behaviour_check, &mut checks));
    let fixes =
        PoolFixWriter { repair_context, attribution: attribution.as_ref(), checks: &checks };
    let schedules = &checks.schedules;
    // Schedules do not show that a lock is unnecessary: no test may call its method concurrently.
    if request.minimise && !schedules.is_empty() {
        run_log.note_unchecked(UNMINIMISED_NOTE.to_owned())?;
    }
    let is_minimising = request.minimise && problem.is_ok() && schedules.is_empty();
    let written = fixes.write_fixes(trials.so_far(), &plausible, is_minimising);
    let validated = problem.and(written)?;
    session.leave_unselected_tests()?;
    let summary = trials.summary(validated.racy_count());
    Ok(Validated { summary, is_complete: true, ..validated })
}

/// Checks the plausible patches beyond the existing tests. An interrupt keeps the results so far in `checks`.
fn run_checks(
    plausible: &[PlausiblePatch],
    schedule_check: &ScheduleCheck<'_>,
    behaviour_check: &BehaviourCheck<'_>,
    checks: &mut PatchChecks,
) -> Result<()> {
    checks.schedules = schedule_check.check_patches(plausible)?;
    let mut without_fault = plausible.to_vec();
    without_fault.retain(|patch| !checks.has_schedule_fault(&patch.tree));
    checks.behaviours = behaviour_check.check_patches(&without_fault)?;
    checks.is_complete = true;
    Ok(())
}
