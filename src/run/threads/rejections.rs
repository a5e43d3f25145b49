//! Objections to a patch, found in the schedules run with it.

use crate::run::threads::default_schedulers::SAMPLERS;
use crate::run::threads::printed_output::UsualOutput;
use mend_engine::{ExploreConfig, SchedulerKind};
use mend_model::counted;
use mend_model::schedules::{CodeLocation, Findings};
use std::collections::BTreeSet;

/// Observations of the schedules without the patch.
pub(crate) struct UnpatchedSchedules {
    /// Variables with races that failures have nothing to do with.
    tolerated: BTreeSet<String>,
    /// Tests with one thread.
    alone: BTreeSet<String>,
    /// The tests that were run.
    tests: BTreeSet<String>,
    /// Classes that run as they are.
    failed: BTreeSet<String>,
    /// Threads that the scheduler does not control.
    strangers: BTreeSet<String>,
    /// The methods on both sides of the most suspicious pattern.
    sides: BTreeSet<String>,
    /// Subjects of that pattern, as code locations name them.
    targets: Vec<String>,
    /// Output that all passing runs of a test share.
    printed: UsualOutput,
}

impl UnpatchedSchedules {
    pub(crate) fn from_findings(findings: &Findings) -> Self {
        let top = findings.patterns.iter().map(|one| (one.failing, one.passing)).max_by(|a, b| {
            let suspicion =
                |(failing, passing): &(usize, usize)| failing * 1000 / (failing + passing);
            suspicion(a).cmp(&suspicion(b)).then(a.0.cmp(&b.0))
        });
        let patterns = findings.patterns.iter();
        let suspects: Vec<_> =
            patterns.filter(|one| Some((one.failing, one.passing)) == top).collect();
        let about: BTreeSet<&str> =
            suspects.iter().flat_map(|one| &one.sites).map(|site| site.subject.as_str()).collect();
        let places: BTreeSet<String> =
            suspects.iter().flat_map(|one| &one.sites).map(method).collect();
        let is_apart =
            |variable: &&String| findings.failing > 0 && !about.contains(variable.as_str());
        let races = findings.races.iter();
        let apart =
            races.filter(|race| !race.sites.iter().any(|site| places.contains(&method(site))));
        let tolerated = apart.map(|race| &race.variable).filter(is_apart);
        let tolerated = tolerated.map(|variable| lasting(variable).to_owned()).collect();
        let sides = findings.coming.intersection(&places).cloned().collect();
        let set = |names: &[String]| names.iter().cloned().collect();
        Self {
            tolerated,
            alone: set(&findings.alone),
            tests: findings.tests.clone(),
            failed: set(&findings.failed),
            strangers: findings.strangers.iter().map(|name| kind(name)).collect(),
            sides,
            targets: about.into_iter().map(str::to_owned).collect(),
            printed: UsualOutput::from_runs(&findings.printed),
        }
    }

    /// Describes the checks besides failures.
    pub(crate) fn check_descriptions(&self) -> Vec<String> {
        let always = "no lock-order cycle and no data race related to the failure";
        let sides = (!self.sides.is_empty())
            .then_some("both sides of the failing access pattern still run");
        let prints = "passing runs still print the same output";
        let printed = (!self.printed.is_empty()).then_some(prints);
        let all = [Some(always), sides, printed].into_iter().flatten();
        all.map(str::to_owned).collect()
    }

    /// Adds schedules that aim at the old pattern, if the schedulers are the default ones and a pattern was found.
    pub(crate) fn directed(&self, order: ExploreConfig) -> ExploreConfig {
        if self.targets.is_empty() || order.samplers != SAMPLERS {
            return order;
        }
        let samplers = SAMPLERS.into_iter().chain([SchedulerKind::Directed]).collect();
        ExploreConfig { samplers, targets: self.targets.clone(), ..order }
    }
}

/// The name of a variable without the line that a patch may move: `contents of Class.method:line`.
fn lasting(variable: &str) -> &str {
    match variable.rsplit_once(':') {
        Some((name, line)) if line.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => variable,
    }
}

/// The name of a thread without its numbers, which grow with each schedule: `pool-3-thread-1`.
fn kind(thread: &str) -> String {
    thread.chars().filter(|c| !c.is_ascii_digit()).collect()
}

/// The method of a place; a lambda without its number.
fn method(site: &CodeLocation) -> String {
    let name = site.method.trim_end_matches(|c: char| c.is_ascii_digit());
    let name = if name.len() < site.method.len() && name.ends_with('$') {
        &name[..name.len() - 1]
    } else {
        &site.method
    };
    format!("{}.{name}", site.class)
}

/// Reason to reject a patch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Rejection {
    /// A schedule fails, or has a data race or lock-order cycle.
    Fault(String),
    /// The patched code no longer does the same work, so its schedules show nothing.
    Change(String),
    /// Passing runs print something else.
    Output(String),
}

impl Rejection {
    /// Returns the reason as text.
    pub(crate) fn reason(&self) -> &str {
        match self {
            Self::Fault(why) | Self::Change(why) | Self::Output(why) => why,
        }
    }
}

/// Returns the first reason to reject a patch; `None` if its schedules are clean.
pub(crate) fn objection(before: &UnpatchedSchedules, after: &Findings) -> Option<Rejection> {
    fault(before, after)
        .map(Rejection::Fault)
        .or_else(|| change(before, after).map(Rejection::Change))
        .or_else(|| before.printed.lost_in(&after.printed).map(Rejection::Output))
}

/// Finds output that the patch omits: a line that all passing runs printed without it.
pub(crate) fn omission(before: &UnpatchedSchedules, after: &Findings) -> Option<String> {
    before.printed.missed_in(&after.printed)
}

fn fault(before: &UnpatchedSchedules, after: &Findings) -> Option<String> {
    if let Some(group) = after.groups.iter().min_by_key(|group| group.first) {
        let kind = match group.example.kind.as_str() {
            "deadlock" => "a deadlock",
            "lost_signal" => "a lost signal",
            "livelock" => "a livelock",
            "exception" => "an exception",
            "exit" => "a JVM exit",
            "output" => "different output",
            _ => "a failure",
        };
        return Some(format!("{kind} in schedule {}", group.first));
    }
    if after.failing > 0 {
        return Some(format!("{} fail", counted(after.failing, "schedule")));
    }
    if let Some(circle) = after.circles.first() {
        let place = circle.sites.first().map(|site| format!("{}:{}", method(site), site.line));
        return Some(format!("a lock-order cycle at {}", place.unwrap_or_default()));
    }
    let race = after.races.iter().find(|race| !before.tolerated.contains(lasting(&race.variable)));
    if let Some(race) = race {
        return Some(format!("a data race on {}", race.variable));
    }
    (after.inconclusive > 0)
        .then(|| format!("{} did not finish", counted(after.inconclusive, "schedule")))
}

/// Returns code that no longer runs with the patch, or that the scheduler no longer controls.
fn change(before: &UnpatchedSchedules, after: &Findings) -> Option<String> {
    let first = |now: &[String], then: &BTreeSet<String>| {
        now.iter().find(|one| !then.contains(*one)).cloned()
    };
    if let Some(test) = first(&after.alone, &before.alone) {
        return Some(format!("{test} no longer starts a second thread"));
    }
    if let Some(test) = before.tests.iter().find(|test| !is_run(test, after)) {
        return Some(format!("{test} no longer runs"));
    }
    if let Some(class) = first(&after.failed, &before.failed) {
        return Some(format!("a class could not be instrumented: {class}"));
    }
    if let Some(thread) = after.strangers.iter().find(|one| !before.strangers.contains(&kind(one)))
    {
        return Some(format!("the scheduler does not control the thread {thread}"));
    }
    let gone = before.sides.iter().find(|place| !after.coming.contains(*place));
    gone.map(|place| format!("{place} no longer runs"))
}

/// Returns true if the patched version runs a test. If a whole class timed out before, any of its
/// tests counts.
fn is_run(test: &str, after: &Findings) -> bool {
    let is_in_class =
        |one: &String| one.strip_prefix(test).is_some_and(|rest| rest.starts_with('#'));
    after.tests.contains(test) || after.tests.iter().any(is_in_class)
}

#[cfg(test)]
mod tests {
    use super::*;
    use mend_model::schedules::PatternCount;

    /// Findings of clean schedules of some tests.
    fn clean(tests: &[&str]) -> Findings {
        let tests = tests.iter().map(|test| (*test).to_owned()).collect();
        Findings { tests, ..Findings::default() }
    }

    #[test]
    fn what_is_left_out_is_no_proof_of_anything() {
        let before = UnpatchedSchedules::from_findings(&clean(&["a.ATest#one", "a.ATest#two"]));
        assert_eq!(objection(&before, &clean(&["a.ATest#one", "a.ATest#two"])), None);
        let change = |after: &Findings| match objection(&before, after) {
            Some(Rejection::Change(why)) => why,
            other => format!("{other:?}"),
        };
        assert_eq!(change(&clean(&["a.ATest#one"])), "a.ATest#two no longer runs");
        let all = clean(&["a.ATest#one", "a.ATest#two"]);
        let failed = vec!["a.A: java.io.IOException: a method too long".to_owned()];
        let told = change(&Findings { failed: failed.clone(), ..all.clone() });
        assert_eq!(told, format!("a class could not be instrumented: {}", failed[0]));
        let alone = vec!["a.ATest#one".to_owned()];
        let told = change(&Findings { alone, ..all.clone() });
        assert_eq!(told, "a.ATest#one no longer starts a second thread");
        let strangers = vec!["pool-2".to_owned()];
        assert_eq!(
            change(&Findings { strangers, ..all }),
            "the scheduler does not control the thread pool-2"
        );
    }

    #[test]
    fn both_sides_of_a_pattern_must_run_still() {
        let site = |method: &str| CodeLocation {
            class: "a.A".to_owned(),
            method: method.to_owned(),
            line: 1,
            turn: 0,
            subject: "a.A.sum".to_owned(),
        };
        let pattern = PatternCount {
            key: "RW".to_owned(),
            form: "RW".to_owned(),
            sites: vec![site("ask"), site("add")],
            failing: 3,
            passing: 0,
        };
        let coming = |methods: &[&str]| methods.iter().map(|one| format!("a.A.{one}")).collect();
        let patterns = vec![pattern];
        let before = Findings { patterns, coming: coming(&["ask", "add"]), ..Findings::default() };
        let gone = |methods: &[&str]| {
            let after = Findings { coming: coming(methods), ..Findings::default() };
            objection(&UnpatchedSchedules::from_findings(&before), &after)
                .map(|one| one.reason().to_owned())
        };
        assert_eq!(gone(&["ask", "add", "more"]), None);
        assert_eq!(gone(&["add"]).as_deref(), Some("a.A.ask no longer runs"));
        assert_eq!(gone(&["ask"]).as_deref(), Some("a.A.add no longer runs"));
    }

    #[test]
    fn a_class_is_run_where_one_of_its_tests_is() {
        let before = UnpatchedSchedules::from_findings(&clean(&["a.ATest"]));
        assert_eq!(objection(&before, &clean(&["a.ATest#one"])), None);
        assert!(objection(&before, &clean(&["a.ATestOfMore#one"])).is_some());
    }

    #[test]
    fn a_stranger_is_known_by_its_name_and_not_by_its_number() {
        let with =
            |name: &str| Findings { strangers: vec![name.to_owned()], ..Findings::default() };
        assert_eq!(
            objection(&UnpatchedSchedules::from_findings(&with("worker-1")), &with("worker-2")),
            None
        );
    }
}
