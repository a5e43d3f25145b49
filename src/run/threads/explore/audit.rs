//! Audits a patch under many schedules: finds a schedule that still fails, or computes a bound on the failure rate.

use crate::run::patch::affected_tests::{AffectedTestRunner, UNAFFECTED_TESTS_NOTE};
use crate::run::patch::verification;
use crate::run::session::versions::ResolvedVersion;
use crate::run::session::{PreparedRun, Session, next_command};
use crate::run::threads::explore::exploration::{Exploration, ScheduleCost};
use crate::run::threads::explorer::Explorer;
use crate::run::threads::findings_report::{failure_message, record_findings};
use crate::run::threads::rejections::{Rejection, UnpatchedSchedules, find_rejection};
use mend_engine::ExploreConfig;
use mend_git::{ApplyResult, ObjectStore};
use mend_model::schedules::Findings;
use mend_model::{Problem, ProgressEvent, Result, TreeId, format_count};
use mend_report::affected_passing_text;
use std::path::Path;

/// Maximum number of schedules without the patch.
const MAX_UNPATCHED_SCHEDULES: u32 = 300;

/// Audits a patch under many schedules.
pub(super) fn audit_patch(
    patch: &Path,
    config: &ExploreConfig,
    session: &Session<'_>,
    prepared: &PreparedRun,
) -> Result<Exploration> {
    let tree = apply_patch(patch, &prepared.bad, &prepared.store)?;
    let ComparedSchedules {
        without: unpatched_findings,
        before: unpatched,
        with: patched_findings,
        order: config,
    } = run_schedules(&tree, config, session, prepared)?;
    let recorded = record_findings(&patched_findings, &config, session, &prepared.overlay)?;
    let so_far = Exploration::from_schedules(recorded);
    let (rejection, output_difference) = match find_rejection(&unpatched, &patched_findings) {
        Some(Rejection::Output(what)) => (None, Some(what)),
        other => (other, None),
    };
    if let Some(why) = inconclusive_reason(&patched_findings, rejection.as_ref()) {
        session.run_log.save(&so_far.uncertified())?;
        return Err(Problem::IncomparableRuns { why });
    }
    session.run_log.save(&so_far)?;
    let (rejection, passing_others) = match rejection {
        None => check_affected_tests(patch, &unpatched_findings, session)?,
        some => (some, 0),
    };
    note_unchecked(&unpatched_findings, rejection.is_some(), session)?;
    let mut messages =
        vec![describe_verdict(&patched_findings, rejection.as_ref().map(Rejection::reason))];
    messages.extend(output_difference.map(|what| format!("with the patch, {what}")));
    messages.extend((passing_others > 0).then(|| affected_passing_text(passing_others)));
    let cost = Some(ScheduleCost::from_findings(&[&unpatched_findings, &patched_findings]));
    let audited = Exploration { messages, cost, ..so_far };
    if rejection.is_some() {
        let fix = next_command::fix_command(&session.subject.command_line);
        let audited = audited.uncertified();
        return Ok(Exploration { next_command: Some(fix), has_failed: true, ..audited });
    }
    let apply = shell_words::join(["git", "apply", &*patch.to_string_lossy()]);
    Ok(Exploration { next_command: Some(apply), ..audited })
}

/// Findings of the schedules without and with a patch.
struct ComparedSchedules {
    without: Findings,
    before: UnpatchedSchedules,
    with: Findings,
    /// Configuration of the schedules with the patch.
    order: ExploreConfig,
}

/// Runs schedules without the patch, and then with it.
fn run_schedules(
    patched: &TreeId,
    order: &ExploreConfig,
    session: &Session<'_>,
    prepared: &PreparedRun,
) -> Result<ComparedSchedules> {
    let PreparedRun { executor, bad, missing, .. } = prepared;
    let explorer = Explorer { session, executor, bad };
    let findings = |tree: &TreeId, order: &ExploreConfig, what: &str| {
        let schedules = order.schedules;
        let stage = format!("running up to {schedules} schedules {what}");
        session.run_log.emit(ProgressEvent::Stage(stage))?;
        explorer.explore(tree, order)?.into_findings(&format!("{} {what}", bad.label), missing)
    };
    let few =
        ExploreConfig { schedules: MAX_UNPATCHED_SCHEDULES.min(order.schedules), ..order.clone() };
    let without = findings(&bad.overlaid_tree, &few, "without the patch")?;
    let before = UnpatchedSchedules::from_findings(&without);
    let order = before.with_directed_schedules(order.clone());
    let with = findings(patched, &order, "with the patch")?;
    Ok(ComparedSchedules { without, before, with, order })
}

/// Records what the audit did not check.
fn note_unchecked(without: &Findings, is_rejected: bool, session: &Session<'_>) -> Result<()> {
    if !without.is_failing() {
        let run = format_count(without.run, "schedule");
        let what = format!("whether the patch fixes anything: none of {run} fails without it");
        session.run_log.note_unchecked(what)?;
    }
    if is_rejected {
        return session.leave_unselected_tests();
    }
    session.run_log.note_unchecked(UNAFFECTED_TESTS_NOTE.to_owned())
}

/// Runs the affected tests that were not selected. Returns the rejection, if there is one, and the number of passing
/// tests.
fn check_affected_tests(
    patch: &Path,
    unpatched_findings: &Findings,
    session: &Session<'_>,
) -> Result<(Option<Rejection>, usize)> {
    Ok(
        match AffectedTestRunner::new(session, &unpatched_findings.tests)
            .check_patch(patch)?
            .record(&session.run_log)?
        {
            Ok(tests) => (None, tests),
            Err(why) => (Some(Rejection::Fault(why)), 0),
        },
    )
}

/// Returns the reason why the schedules allow no verdict on a patch, if there is one.
fn inconclusive_reason(
    patched_findings: &Findings,
    objection: Option<&Rejection>,
) -> Option<String> {
    match objection {
        Some(Rejection::Change(why)) => Some(why.clone()),
        None if patched_findings.multi_threaded_tests.is_empty() => {
            Some("with the patch, no test starts a second thread".to_owned())
        }
        None if !patched_findings.is_each_test_explored() => {
            Some("at least one test was neither sampled nor explored exhaustively".to_owned())
        }
        _ => None,
    }
}

/// Describes the verdict on one line.
fn describe_verdict(patched_findings: &Findings, objection: Option<&str>) -> String {
    let run = format_count(patched_findings.run, "schedule");
    match objection {
        None => format!("the patch passes the audit: none of {run} fails"),
        Some(why) => {
            let first = patched_findings.groups.iter().min_by_key(|group| group.first);
            let more = first
                .map_or(String::new(), |group| format!(": {}", failure_message(&group.example)));
            format!("the patch fails the audit: {why} ({run} run){more}")
        }
    }
}

/// Applies a patch to a version, including its changes to tests.
fn apply_patch(patch: &Path, bad: &ResolvedVersion, store: &ObjectStore) -> Result<TreeId> {
    let usage = |why: &str| Problem::Usage {
        message: format!("--audit {}: {why}", patch.display()),
        remedy: "pass a unified diff that `git apply` accepts on the tested version".to_owned(),
    };
    let text = std::fs::read(patch).map_err(|error| usage(&Problem::io_error_reason(&error)))?;
    if text.iter().all(u8::is_ascii_whitespace) {
        return Err(usage("the file is empty"));
    }
    match verification::apply_patch(patch, bad, store)? {
        ApplyResult::Tree(tree) => Ok(tree),
        ApplyResult::Rejected(said) => {
            Err(usage(said.lines().next().unwrap_or("the patch does not apply")))
        }
    }
}
