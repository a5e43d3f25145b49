//! Runs `git mend validate`, from the request to the result.

use super::fix_writer::PoolFixWriter;
use super::patch_pool::PatchPool;
use super::result::Validated;
use super::schedule_check::ScheduleCheck;
use super::trials::{PoolTests, PoolTrials, count_patches};
use crate::run::judge::patch_baseline::{LearnedExpectations, PatchBaseline};
use crate::run::patch::patch_applier::PatchApplier;
use crate::run::patch::repair_context::RepairContext;
use crate::run::session::request::{Context, SubjectRequest};
use crate::run::session::{FinishedRun, PreparedRun, Session, repository_of};
use mend_model::{ProgressEvent, Result};
use mend_report::{PoolPatchResult, RunGoal};
use std::path::PathBuf;

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
    let PreparedRun {
        store,
        executor,
        overlay,
        attribution,
        bad,
        missing_libraries,
        source_roots,
        ..
    } = session.prepare(None)?;
    let subject = session.subject;
    let baseline = PatchBaseline {
        request: subject,
        run_log,
        bad: &bad,
        missing_libraries: &missing_libraries,
        accepts_partial_fixes: false,
        runs_all_tests: request.runs_all_tests,
    };
    let unpatched_run = baseline.run_unpatched(&executor, &store)?;
    let LearnedExpectations { bench: executor, demands: expectations } =
        baseline.learn_expectations(executor, &unpatched_run)?;
    let oracle = baseline.create_oracle(&executor, unpatched_run, &expectations);
    let (description, patches) = (expectations.describe(), count_patches(pool.entries.len()));
    run_log.emit(ProgressEvent::Stage(format!("{description}; trying {patches}")))?;
    let patch_applier = PatchApplier::new(&store, &bad, &overlay, &source_roots)?;
    let tests = PoolTests { expectations: &expectations, runs_all: request.runs_all_tests };
    let trials = PoolTrials::new(session, &oracle, tests, &patch_applier, &bad);
    let trials_result = trials.try_all(pool);
    let repair_context = RepairContext {
        session,
        oracle: &oracle,
        expectations: &expectations,
        store: &store,
        bad: &bad,
    };
    let is_complete = trials_result.is_ok();
    let schedule_check = if is_complete && !trials.plausible().is_empty() {
        ScheduleCheck::prepare(session, &executor, &bad, &store, &overlay)
    } else {
        Ok(None)
    };
    let (schedule_check, trials_result) = match schedule_check {
        Ok(check) => (check, trials_result),
        Err(problem) => (None, trials_result.and(Err(problem))),
    };
    let fixes = PoolFixWriter {
        repair_context,
        attribution: attribution.as_ref(),
        schedule_check: schedule_check.as_ref(),
    };
    let written =
        fixes.write_fixes(trials.so_far(), &trials.plausible(), request.minimise && is_complete);
    let validated = trials_result.and(written)?;
    session.leave_unselected_tests()?;
    let mut summary = trials.summary();
    summary.extend(describe_racy_patches(&validated));
    Ok(Validated { summary, is_complete: true, ..validated })
}

/// Describes how many plausible patches have a fault under thread schedules, if there are any.
fn describe_racy_patches(validated: &Validated) -> Option<String> {
    let is_racy = |patch: &&PoolPatchResult| patch.schedule_fault.is_some();
    match validated.patches.iter().filter(is_racy).count() {
        0 => None,
        1 => Some("1 plausible patch is racy: thread schedules show a fault with it".to_owned()),
        more => Some(format!(
            "{more} plausible patches are racy: thread schedules show a fault with them"
        )),
    }
}
