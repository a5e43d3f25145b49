//! Runs `git mend test`, from the request to the result.

use super::result::TestRun;
use crate::run::judge::baseline_check::BaselineCheck;
use crate::run::judge::repetition::Repeat;
use crate::run::session::request::{Context, SubjectRequest};
use crate::run::session::run_log::TrialCost;
use crate::run::session::{FinishedRun, PreparedRun, Session, repository_of};
use crate::run::subject::project_files::ProjectFiles;
use mend_model::{Exit, GoodOrBad, Outcome, Phase, Result, TestStatus, Verdict};
use mend_report::RunGoal;
use std::collections::BTreeSet;

/// Runs the tests of a version without using cached outcomes.
///
/// # Errors
/// Problems before the run folder exists. The result contains later problems.
pub fn run_tests(subject: &SubjectRequest, context: &Context) -> Result<FinishedRun> {
    let repository = repository_of(subject)?;
    let session = Session::open("test", RunGoal::Culprit, subject, context, repository)?;
    let finished = session.finish(run_repeatedly(&session))?;
    // A failing test means that the version has a bug, so the exit codes are exchanged.
    let exit = match finished.exit {
        Exit::Found => Exit::NotFound,
        Exit::NotFound => Exit::Found,
        other => other,
    };
    Ok(FinishedRun { exit, ..finished })
}

fn run_repeatedly(session: &Session<'_>) -> Result<TestRun> {
    let prepared = session.prepare(None)?;
    let PreparedRun { store, executor, bad, missing, .. } = &prepared;
    let project_files = ProjectFiles::from_trees(store, &[&bad.overlaid_tree])?;
    let (subject, run_log) = (session.subject, &session.run_log);
    let check = BaselineCheck {
        request: subject,
        symptom: None,
        executor,
        run_log,
        project_files: &project_files,
        missing,
        excluded_tests: BTreeSet::new(),
        counts_compile_errors: false,
    };
    let limits = check.first_limits();
    let times = match subject.repeat {
        Repeat::Times(times) => times,
        Repeat::Auto => 1,
    };
    let mut outcomes = Vec::new();
    for _ in 0..times {
        session.context.interrupt.check()?;
        check.announce(GoodOrBad::Bad, bad)?;
        let execution = executor.run(&bad.overlaid_tree, bad.commit_id(), &limits)?;
        run_log.add_execution_cost(&execution, false)?;
        check.check_testable(GoodOrBad::Bad, &execution.outcome)?;
        run_log.note_adaptation(&execution.adaptation)?;
        let (verdict, cost) =
            (verdict_of(&execution.outcome), TrialCost::from_execution(&execution));
        run_log.record_trial(&bad.overlaid_tree, bad.label.as_str().into(), verdict, cost)?;
        outcomes.push((verdict, execution.outcome));
        if let (Some((_, outcome)), false) = (outcomes.last(), missing.is_empty())
            && let Some(problem) = check.build_problem(GoodOrBad::Bad, bad, outcome)
        {
            return Err(problem);
        }
    }
    Ok(TestRun::from_outcomes(&outcomes, &bad.label))
}

/// Returns the verdict on an outcome: pass if at least one test passes and none fails.
fn verdict_of(outcome: &Outcome) -> Verdict {
    let has_failed = |status: &TestStatus| matches!(status, TestStatus::Failed(_));
    match outcome {
        _ if outcome.is_pass() => Verdict::Pass,
        Outcome::NotBuilt { part, .. } => Verdict::Unresolved(part.phase()),
        Outcome::TimedOut { .. } => Verdict::Unresolved(Phase::TimedOut),
        Outcome::Tests { .. } if outcome.tests_with_status(has_failed).is_empty() => {
            Verdict::Unresolved(Phase::NotTestable)
        }
        Outcome::Tests { .. } | Outcome::Crashed { .. } | Outcome::Exited { .. } => Verdict::Fail,
    }
}
