//! Objections to a patch, found in the schedules run with it.

use crate::run::explore::default_schedulers::SAMPLERS;
use crate::run::explore::printed_output::Usual;
use mend_engine::{ExploreOrder, Sampler};
use mend_model::counted;
use mend_model::schedules::{Findings, Site};
use std::collections::BTreeSet;

/// What was seen without the patch.
pub(crate) struct Before {
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
    /// What that pattern is about, as sites name it.
    targets: Vec<String>,
    /// What tests print.
    printed: Usual,
}

impl Before {
    pub(crate) fn of(findings: &Findings) -> Self {
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
            printed: Usual::of(&findings.printed),
        }
    }

    /// What [`objection`] looks at besides failures, in words.
    pub(crate) fn asked(&self) -> Vec<String> {
        let always = "no lock-order cycle and no data race related to the failure";
        let sides = (!self.sides.is_empty())
            .then_some("both sides of the failing access pattern still run");
        let prints = "passing runs still print the same output";
        let printed = (!self.printed.is_empty()).then_some(prints);
        let all = [Some(always), sides, printed].into_iter().flatten();
        all.map(str::to_owned).collect()
    }

    /// Has some schedules try to come to the old pattern again, where samplers are those that are chosen for everybody
    /// and a pattern was seen.
    pub(crate) fn directed(&self, order: ExploreOrder) -> ExploreOrder {
        if self.targets.is_empty() || order.samplers != SAMPLERS {
            return order;
        }
        let samplers = SAMPLERS.into_iter().chain([Sampler::Directed]).collect();
        ExploreOrder { samplers, targets: self.targets.clone(), ..order }
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
fn method(site: &Site) -> String {
    let name = site.method.trim_end_matches(|c: char| c.is_ascii_digit());
    let name = if name.len() < site.method.len() && name.ends_with('$') {
        &name[..name.len() - 1]
    } else {
        &site.method
    };
    format!("{}.{name}", site.class)
}

/// What speaks against a patch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Objection {
    /// A schedule fails, or shows what makes others fail.
    Fault(String),
    /// It does not do what was done before, so that its schedules say nothing about that.
    Change(String),
    /// Passing runs print something else.
    Print(String),
}

impl Objection {
    /// In words.
    pub(crate) fn why(&self) -> &str {
        match self {
            Self::Fault(why) | Self::Change(why) | Self::Print(why) => why,
        }
    }
}

/// The first thing that speaks against a patch; nothing if it is clean.
pub(crate) fn objection(before: &Before, after: &Findings) -> Option<Objection> {
    fault(before, after)
        .map(Objection::Fault)
        .or_else(|| change(before, after).map(Objection::Change))
        .or_else(|| before.printed.lost_in(&after.printed).map(Objection::Print))
}

/// What a patch leaves out that merely does not do something: a line that all passing runs printed before.
pub(crate) fn omission(before: &Before, after: &Findings) -> Option<String> {
    before.printed.missed_in(&after.printed)
}

fn fault(before: &Before, after: &Findings) -> Option<String> {
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
fn change(before: &Before, after: &Findings) -> Option<String> {
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

    /// What clean schedules of some tests show.
    fn clean(tests: &[&str]) -> Findings {
        let tests = tests.iter().map(|test| (*test).to_owned()).collect();
        Findings { tests, ..Findings::default() }
    }

    #[test]
    fn what_is_left_out_is_no_proof_of_anything() {
        let before = Before::of(&clean(&["a.ATest#one", "a.ATest#two"]));
        assert_eq!(objection(&before, &clean(&["a.ATest#one", "a.ATest#two"])), None);
        let change = |after: &Findings| match objection(&before, after) {
            Some(Objection::Change(why)) => why,
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
        let site = |method: &str| Site {
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
            objection(&Before::of(&before), &after).map(|one| one.why().to_owned())
        };
        assert_eq!(gone(&["ask", "add", "more"]), None);
        assert_eq!(gone(&["add"]).as_deref(), Some("a.A.ask no longer runs"));
        assert_eq!(gone(&["ask"]).as_deref(), Some("a.A.add no longer runs"));
    }

    #[test]
    fn a_class_is_run_where_one_of_its_tests_is() {
        let before = Before::of(&clean(&["a.ATest"]));
        assert_eq!(objection(&before, &clean(&["a.ATest#one"])), None);
        assert!(objection(&before, &clean(&["a.ATestOfMore#one"])).is_some());
    }

    #[test]
    fn a_stranger_is_known_by_its_name_and_not_by_its_number() {
        let with =
            |name: &str| Findings { strangers: vec![name.to_owned()], ..Findings::default() };
        assert_eq!(objection(&Before::of(&with("worker-1")), &with("worker-2")), None);
    }
}
