//! Audit of a patch from any source: a schedule that still fails, or a bound on the chance of one.

use super::explorer::{Explorer, Seen};
use crate::run::explore::rejections::{Before, Objection, objection};
use crate::run::explore::result::{message, record};
use crate::run::patch::affected_tests::{NOT_REACHED, Neighbours};
use crate::run::patch::verification;
use crate::run::session::next_command;
use crate::run::session::versions::Version;
use crate::run::session::{Prepared, Session};
use mend_engine::ExploreOrder;
use mend_git::{Patched, Store};
use mend_model::schedules::Findings;
use mend_model::{Event, Problem, Result, Side, TreeId, counted};
use mend_report::{Status, others_pass};
use std::path::Path;
use std::sync::Arc;

/// Maximum number of schedules that are run without the patch.
const LOOK: u32 = 300;

/// Judges a patch of a version.
pub(super) fn audit(
    patch: &Path,
    order: &ExploreOrder,
    session: &Session<'_>,
    (bad, store): (Version, &Arc<Store>),
) -> Result<Status> {
    let ledger = &session.ledger;
    let Prepared { bench, bad, missing, .. } = session.prepare(bad, store)?;
    let tree = patched(patch, &bad, store)?;
    let explorer = Explorer { session, bench: &bench, bad: &bad };
    let schedules = LOOK.min(order.schedules);
    ledger.tell(Event::Stage(format!("running up to {schedules} schedules without the patch")))?;
    let few = ExploreOrder { schedules, ..order.clone() };
    let findings = |tree: &TreeId, order: &ExploreOrder, what: &str| {
        findings(explorer.seen(tree, order)?, &format!("{} {what}", bad.label), &missing)
    };
    let without = findings(&bad.tree, &few, "without the patch")?;
    let many = order.schedules;
    ledger.tell(Event::Stage(format!("running up to {many} schedules with the patch")))?;
    let before = Before::of(&without);
    let order = &before.directed(order.clone());
    let with = findings(&tree, order, "with the patch")?;
    record(&with, order, session)?;
    let (objection, prints) = match objection(&before, &with) {
        Some(Objection::Print(what)) => (None, Some(what)),
        other => (other, None),
    };
    if let Some(why) = silence(&with, objection.as_ref()) {
        ledger.update(|result| {
            result.schedules.iter_mut().for_each(|schedules| schedules.certificate = None);
        })?;
        return Err(Problem::NotComparable { why });
    }
    let (objection, beside) = match objection {
        None => of_others(patch, &without, session)?,
        some => (some, 0),
    };
    ledger.update(|result| {
        result.messages = vec![judgement(&with, objection.as_ref().map(Objection::why))];
        result.message = result.messages.first().cloned();
        result.messages.extend(prints.map(|what| format!("with the patch, {what}")));
        result.messages.extend((beside > 0).then(|| others_pass(beside)));
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
    Ok(if objection.is_some() { Status::Found } else { Status::None })
}

/// What the project's other tests say against a patch, and how many pass with it.
fn of_others(
    patch: &Path,
    without: &Findings,
    session: &Session<'_>,
) -> Result<(Option<Objection>, usize)> {
    Ok(match Neighbours::new(session, &without.tests).of(patch)?.told(&session.ledger)? {
        Ok(tests) => (None, tests),
        Err(why) => (Some(Objection::Fault(why)), 0),
    })
}

/// Why schedules say nothing about a patch; nothing if they do.
fn silence(with: &Findings, objection: Option<&Objection>) -> Option<String> {
    match objection {
        Some(Objection::Change(why)) => Some(why.clone()),
        None if with.units.is_empty() => {
            Some("with the patch, no test starts a second thread".to_owned())
        }
        None if !with.is_each_seen() => {
            Some("at least one test was neither sampled nor explored exhaustively".to_owned())
        }
        _ => None,
    }
}

/// What schedules showed of a version.
fn findings(seen: Seen, revision: &str, missing: &[String]) -> Result<Findings> {
    match seen {
        Seen::Findings(findings) => Ok(*findings),
        Seen::NotBuilt(output) => {
            let (side, revision) = (Side::Bad, revision.to_owned());
            Err(Problem::BuildBroken { side, revision, output, missing: missing.to_vec() })
        }
        Seen::NotControlled(why) => Err(Problem::NotControlled { why, output: String::new() }),
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

/// What a patch makes of a version; its changes of tests count too.
fn patched(patch: &Path, bad: &Version, store: &Store) -> Result<TreeId> {
    let usage = |why: &str| Problem::Usage {
        message: format!("--audit {}: {why}", patch.display()),
        remedy: "pass a unified diff that `git apply` accepts on the tested version".to_owned(),
    };
    let text = std::fs::read(patch).map_err(|error| usage(&Problem::reason(&error)))?;
    if text.iter().all(u8::is_ascii_whitespace) {
        return Err(usage("the file is empty"));
    }
    match verification::patched(patch, bad, store)? {
        Patched::Tree(tree) => Ok(tree),
        Patched::Refused(said) => {
            Err(usage(said.lines().next().unwrap_or("the patch does not apply")))
        }
    }
}
