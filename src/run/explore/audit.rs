//! Audit of a patch from any source: a schedule that still fails, or a bound on the chance of one.

use super::explorer::{ExplorationOutcome, Explorer};
use crate::run::explore::rejections::{Rejection, UnpatchedSchedules, objection};
use crate::run::explore::result::{message, record};
use crate::run::patch::affected_tests::{AffectedTestRunner, NOT_REACHED};
use crate::run::patch::verification;
use crate::run::session::next_command;
use crate::run::session::versions::ResolvedVersion;
use crate::run::session::{PreparedRun, Session};
use mend_engine::ExploreConfig;
use mend_git::{ApplyResult, ObjectStore};
use mend_model::schedules::Findings;
use mend_model::{GoodOrBad, Problem, ProgressEvent, Result, TreeId, counted};
use mend_report::{RunStatus, affected_passing_text};
use std::path::Path;
use std::sync::Arc;

/// Maximum number of schedules that are run without the patch.
const LOOK: u32 = 300;

/// Checks a patch under many schedules.
pub(super) fn audit(
    patch: &Path,
    order: &ExploreConfig,
    session: &Session<'_>,
    (bad, store): (ResolvedVersion, &Arc<ObjectStore>),
) -> Result<RunStatus> {
    let ledger = &session.ledger;
    let PreparedRun { bench, bad, missing, .. } = session.prepare(bad, store)?;
    let tree = patched(patch, &bad, store)?;
    let explorer = Explorer { session, bench: &bench, bad: &bad };
    let schedules = LOOK.min(order.schedules);
    ledger.emit(ProgressEvent::Stage(format!(
        "running up to {schedules} schedules without the patch"
    )))?;
    let few = ExploreConfig { schedules, ..order.clone() };
    let findings = |tree: &TreeId, order: &ExploreConfig, what: &str| {
        findings(explorer.explore(tree, order)?, &format!("{} {what}", bad.label), &missing)
    };
    let without = findings(&bad.tree, &few, "without the patch")?;
    let many = order.schedules;
    ledger.emit(ProgressEvent::Stage(format!("running up to {many} schedules with the patch")))?;
    let before = UnpatchedSchedules::from_findings(&without);
    let order = &before.directed(order.clone());
    let with = findings(&tree, order, "with the patch")?;
    record(&with, order, session)?;
    let (objection, prints) = match objection(&before, &with) {
        Some(Rejection::Output(what)) => (None, Some(what)),
        other => (other, None),
    };
    if let Some(why) = silence(&with, objection.as_ref()) {
        ledger.update(|result| {
            result.schedules.iter_mut().for_each(|schedules| schedules.certificate = None);
        })?;
        return Err(Problem::IncomparableRuns { why });
    }
    let (objection, beside) = match objection {
        None => of_others(patch, &without, session)?,
        some => (some, 0),
    };
    ledger.update(|result| {
        result.messages = vec![judgement(&with, objection.as_ref().map(Rejection::reason))];
        result.message = result.messages.first().cloned();
        result.messages.extend(prints.map(|what| format!("with the patch, {what}")));
        result.messages.extend((beside > 0).then(|| affected_passing_text(beside)));
        result.cost.seconds_test = f64::from(without.millis + with.millis) / 1000.0;
        result.cost.tests = without.run + with.run;
        let line = &session.subject.command_line;
        result.next_command = Some(match objection {
            None => shell_words::join(["git", "apply", &*patch.to_string_lossy()]),
            Some(_) => next_command::mend(line),
        });
        if objection.is_some() {
            result.schedules.iter_mut().for_each(|schedules| schedules.certificate = None);
        }
    })?;
    if !without.is_failing() {
        let run = counted(without.run, "schedule");
        ledger.note(format!("whether the patch fixes anything: none of {run} fails without it"))?;
    }
    let not_asked = "tests not selected with --test";
    ledger.note(if objection.is_some() { not_asked } else { NOT_REACHED }.to_owned())?;
    Ok(if objection.is_some() { RunStatus::Found } else { RunStatus::None })
}

/// Runs the affected tests that were not selected. Returns the rejection, or the number of passing tests.
fn of_others(
    patch: &Path,
    without: &Findings,
    session: &Session<'_>,
) -> Result<(Option<Rejection>, usize)> {
    Ok(
        match AffectedTestRunner::new(session, &without.tests)
            .check_patch(patch)?
            .record(&session.ledger)?
        {
            Ok(tests) => (None, tests),
            Err(why) => (Some(Rejection::Fault(why)), 0),
        },
    )
}

/// Returns the reason why the schedules allow no verdict on a patch, if there is one.
fn silence(with: &Findings, objection: Option<&Rejection>) -> Option<String> {
    match objection {
        Some(Rejection::Change(why)) => Some(why.clone()),
        None if with.units.is_empty() => {
            Some("with the patch, no test starts a second thread".to_owned())
        }
        None if !with.is_each_seen() => {
            Some("at least one test was neither sampled nor explored exhaustively".to_owned())
        }
        _ => None,
    }
}

/// Returns the findings of an exploration, or an error if there are none.
fn findings(seen: ExplorationOutcome, revision: &str, missing: &[String]) -> Result<Findings> {
    match seen {
        ExplorationOutcome::Findings(findings) => Ok(*findings),
        ExplorationOutcome::NotBuilt(output) => {
            let (side, revision) = (GoodOrBad::Bad, revision.to_owned());
            Err(Problem::BuildBroken { side, revision, output, missing: missing.to_vec() })
        }
        ExplorationOutcome::Uncontrolled(why) => {
            Err(Problem::UncontrolledThreads { why, output: String::new() })
        }
    }
}

/// The verdict in one line.
fn judgement(with: &Findings, objection: Option<&str>) -> String {
    let run = counted(with.run, "schedule");
    match objection {
        None => format!("the patch passes the audit: none of {run} fails"),
        Some(why) => {
            let first = with.groups.iter().min_by_key(|group| group.first);
            let more =
                first.map_or(String::new(), |group| format!(": {}", message(&group.example)));
            format!("the patch fails the audit: {why} ({run} run){more}")
        }
    }
}

/// Applies a patch to a version. Its changes to tests count too.
fn patched(patch: &Path, bad: &ResolvedVersion, store: &ObjectStore) -> Result<TreeId> {
    let usage = |why: &str| Problem::Usage {
        message: format!("--audit {}: {why}", patch.display()),
        remedy: "pass a unified diff that `git apply` accepts on the tested version".to_owned(),
    };
    let text = std::fs::read(patch).map_err(|error| usage(&Problem::reason(&error)))?;
    if text.iter().all(u8::is_ascii_whitespace) {
        return Err(usage("the file is empty"));
    }
    match verification::patched(patch, bad, store)? {
        ApplyResult::Tree(tree) => Ok(tree),
        ApplyResult::Rejected(said) => {
            Err(usage(said.lines().next().unwrap_or("the patch does not apply")))
        }
    }
}
