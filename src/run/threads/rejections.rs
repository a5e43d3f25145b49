//! Compares schedules with and without a patch, and finds reasons to reject the patch.

use crate::run::threads::default_schedulers::DEFAULT_SCHEDULERS;
use crate::run::threads::findings_report::test_name;
use crate::run::threads::printed_output::UsualOutput;
use mend_engine::{ExploreConfig, SchedulerKind};
use mend_model::format_count;
use mend_model::schedules::{CodeLocation, FailureGroup, Findings, LockOrderCycle};
use std::collections::BTreeSet;

/// Observations in the schedules without the patch.
pub(crate) struct UnpatchedSchedules {
    /// Variables with data races that are unrelated to the failures.
    tolerated_variables: BTreeSet<String>,
    /// Tests that use a single thread.
    single_threaded_tests: BTreeSet<String>,
    /// Executed tests.
    tests: BTreeSet<String>,
    /// Classes that could not be instrumented.
    uninstrumented_classes: BTreeSet<String>,
    /// Threads that the scheduler does not control.
    uncontrolled_threads: BTreeSet<String>,
    /// Methods of the most suspicious access pattern that ran.
    pattern_methods: BTreeSet<String>,
    /// Variables of that pattern.
    pattern_variables: Vec<String>,
    /// Output that all passing runs of a test share.
    usual_output: UsualOutput,
}

impl UnpatchedSchedules {
    pub(crate) fn from_findings(findings: &Findings) -> Self {
        let most_suspicious =
            findings.patterns.iter().map(|one| (one.failing, one.passing)).max_by(|a, b| {
                let suspicion =
                    |(failing, passing): &(usize, usize)| failing * 1000 / (failing + passing);
                suspicion(a).cmp(&suspicion(b)).then(a.0.cmp(&b.0))
            });
        let patterns = findings.patterns.iter();
        let suspects: Vec<_> =
            patterns.filter(|one| Some((one.failing, one.passing)) == most_suspicious).collect();
        let pattern_variables: BTreeSet<&str> =
            suspects.iter().flat_map(|one| &one.sites).map(|site| site.subject.as_str()).collect();
        let pattern_methods: BTreeSet<String> =
            suspects.iter().flat_map(|one| &one.sites).map(qualified_method_name).collect();
        let is_unrelated_variable = |variable: &&String| {
            findings.failing > 0 && !pattern_variables.contains(variable.as_str())
        };
        let races = findings.races.iter();
        let unrelated_races = races.filter(|race| {
            !race.sites.iter().any(|site| pattern_methods.contains(&qualified_method_name(site)))
        });
        let tolerated = unrelated_races.map(|race| &race.variable).filter(is_unrelated_variable);
        let tolerated = tolerated.map(|variable| name_without_line(variable).to_owned()).collect();
        let racing_methods =
            findings.accessing_methods.intersection(&pattern_methods).cloned().collect();
        let set = |names: &[String]| names.iter().cloned().collect();
        Self {
            tolerated_variables: tolerated,
            single_threaded_tests: set(&findings.single_threaded_tests),
            tests: findings.tests.clone(),
            uninstrumented_classes: set(&findings.uninstrumented_classes),
            uncontrolled_threads: findings
                .uncontrolled_threads
                .iter()
                .map(|name| name_without_numbers(name))
                .collect(),
            pattern_methods: racing_methods,
            pattern_variables: pattern_variables.into_iter().map(str::to_owned).collect(),
            usual_output: UsualOutput::from_runs(&findings.outputs),
        }
    }

    /// Describes the checks other than for failures.
    pub(crate) fn check_descriptions(&self) -> Vec<String> {
        let always = "no lock-order cycle and no data race related to the failure";
        let sides = (!self.pattern_methods.is_empty())
            .then_some("both sides of the failing access pattern still run");
        let prints = "passing runs still print the same output";
        let printed = (!self.usual_output.is_empty()).then_some(prints);
        let all = [Some(always), sides, printed].into_iter().flatten();
        all.map(str::to_owned).collect()
    }

    /// Adds schedules directed at the former pattern, if the schedulers are the default ones and a pattern was found.
    pub(crate) fn with_directed_schedules(&self, config: ExploreConfig) -> ExploreConfig {
        if self.pattern_variables.is_empty() || config.schedulers != DEFAULT_SCHEDULERS {
            return config;
        }
        let samplers = DEFAULT_SCHEDULERS.into_iter().chain([SchedulerKind::Directed]).collect();
        ExploreConfig { schedulers: samplers, targets: self.pattern_variables.clone(), ..config }
    }
}

/// Returns the name of a variable without the line, which a patch may change: `contents of Class.method:line`.
fn name_without_line(variable: &str) -> &str {
    match variable.rsplit_once(':') {
        Some((name, line)) if line.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => variable,
    }
}

/// Returns the name of a thread without its numbers, which grow with each schedule: `pool-3-thread-1`.
fn name_without_numbers(thread: &str) -> String {
    thread.chars().filter(|c| !c.is_ascii_digit()).collect()
}

/// Returns the method of a location. Removes the number of a lambda.
fn qualified_method_name(site: &CodeLocation) -> String {
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
    /// The patched code no longer does the same work, so its schedules prove nothing.
    Change(String),
    /// Passing runs print another output.
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

/// Returns the first reason to reject a patch, or `None` if its schedules are clean.
pub(crate) fn find_rejection(before: &UnpatchedSchedules, after: &Findings) -> Option<Rejection> {
    find_fault(before, after)
        .map(Rejection::Fault)
        .or_else(|| find_lost_coverage(before, after).map(Rejection::Change))
        .or_else(|| before.usual_output.find_lost_output(&after.outputs).map(Rejection::Output))
}

/// Returns the output that the patch omits, if a passing run does not print the usual output.
pub(crate) fn find_omitted_output(before: &UnpatchedSchedules, after: &Findings) -> Option<String> {
    before.usual_output.find_deviating_output(&after.outputs)
}

fn find_fault(before: &UnpatchedSchedules, after: &Findings) -> Option<String> {
    if let Some(group) = after.groups.iter().min_by_key(|group| group.first) {
        return Some(describe_failure(group));
    }
    if after.failing > 0 {
        return Some(format!("{} fail", format_count(after.failing, "schedule")));
    }
    if let Some(cycle) = after.lock_order_cycles.first() {
        return Some(describe_cycle(cycle));
    }
    let race = after
        .races
        .iter()
        .find(|race| !before.tolerated_variables.contains(name_without_line(&race.variable)));
    if let Some(race) = race {
        return Some(format!("a data race on {}", race.variable));
    }
    (after.inconclusive > 0)
        .then(|| format!("{} did not finish", format_count(after.inconclusive, "schedule")))
}

/// Returns a fault that schedules show with a patch. Faults that other code has without the patch do not count: failures
/// of tests that the patch need not fix, lock-order cycles, and data races.
pub(crate) fn find_new_fault(
    without: &Findings,
    with: &Findings,
    to_fix: &BTreeSet<String>,
) -> Option<String> {
    // A failure of a whole class has no method.
    let is_to_fix = |name: &str| {
        let has_name = |test: &String| test.strip_prefix(name).is_some_and(starts_method_or_ends);
        to_fix.iter().any(has_name)
    };
    let old_failures: BTreeSet<&str> = without
        .groups
        .iter()
        .map(|group| test_name(&group.example))
        .filter(|name| !is_to_fix(name))
        .collect();
    let is_new = |group: &&FailureGroup| !old_failures.contains(test_name(&group.example));
    let failure = with.groups.iter().filter(is_new).min_by_key(|group| group.first);
    let cycle = with.lock_order_cycles.first().filter(|_| without.lock_order_cycles.is_empty());
    let old_races: BTreeSet<&str> =
        without.races.iter().map(|race| name_without_line(&race.variable)).collect();
    let race =
        with.races.iter().find(|race| !old_races.contains(name_without_line(&race.variable)));
    failure
        .map(describe_failure)
        .or_else(|| cycle.map(describe_cycle))
        .or_else(|| race.map(|race| format!("a data race on {}", race.variable)))
}

/// Returns true for the rest of a test's name after its class or its whole name.
fn starts_method_or_ends(rest: &str) -> bool {
    rest.is_empty() || rest.starts_with('#')
}

fn describe_failure(group: &FailureGroup) -> String {
    let kind = match group.example.kind.as_str() {
        "deadlock" => "a deadlock",
        "lost_signal" => "a lost signal",
        "livelock" => "a livelock",
        "exception" => "an exception",
        "exit" => "a JVM exit",
        "output" => "different output",
        _ => "a failure",
    };
    format!("{kind} in schedule {}", group.first)
}

fn describe_cycle(cycle: &LockOrderCycle) -> String {
    let site = cycle.sites.first();
    let location = site.map(|site| format!("{}:{}", qualified_method_name(site), site.line));
    format!("a lock-order cycle at {}", location.unwrap_or_default())
}

/// Returns the reason if code no longer runs with the patch, or if the scheduler no longer controls it.
fn find_lost_coverage(before: &UnpatchedSchedules, after: &Findings) -> Option<String> {
    let first = |now: &[String], then: &BTreeSet<String>| {
        now.iter().find(|one| !then.contains(*one)).cloned()
    };
    if let Some(test) = first(&after.single_threaded_tests, &before.single_threaded_tests) {
        return Some(format!("{test} no longer starts a second thread"));
    }
    if let Some(test) = before.tests.iter().find(|test| !is_test_run(test, after)) {
        return Some(format!("{test} no longer runs"));
    }
    if let Some(class) = first(&after.uninstrumented_classes, &before.uninstrumented_classes) {
        return Some(format!("a class could not be instrumented: {class}"));
    }
    if let Some(thread) = after
        .uncontrolled_threads
        .iter()
        .find(|one| !before.uncontrolled_threads.contains(&name_without_numbers(one)))
    {
        return Some(format!("the scheduler does not control the thread {thread}"));
    }
    let missing_method =
        before.pattern_methods.iter().find(|place| !after.accessing_methods.contains(*place));
    missing_method.map(|place| format!("{place} no longer runs"))
}

/// Returns true if the patched version runs a test. If a whole class timed out before, any of its tests counts.
fn is_test_run(test: &str, after: &Findings) -> bool {
    let is_in_class =
        |one: &String| one.strip_prefix(test).is_some_and(|rest| rest.starts_with('#'));
    after.tests.contains(test) || after.tests.iter().any(is_in_class)
}

#[cfg(test)]
mod tests {
    use super::*;
    use mend_model::schedules::{DataRace, PatternCount, ScheduleTrace};

    /// Findings of clean schedules of some tests.
    fn clean_findings(tests: &[&str]) -> Findings {
        let tests = tests.iter().map(|test| (*test).to_owned()).collect();
        Findings { tests, ..Findings::default() }
    }

    #[test]
    fn skipped_tests_reject_the_patch() {
        let unpatched =
            UnpatchedSchedules::from_findings(&clean_findings(&["a.ATest#one", "a.ATest#two"]));
        assert_eq!(
            find_rejection(&unpatched, &clean_findings(&["a.ATest#one", "a.ATest#two"])),
            None
        );
        let reject = |after: &Findings| match find_rejection(&unpatched, after) {
            Some(Rejection::Change(why)) => why,
            other => format!("{other:?}"),
        };
        assert_eq!(reject(&clean_findings(&["a.ATest#one"])), "a.ATest#two no longer runs");
        let all = clean_findings(&["a.ATest#one", "a.ATest#two"]);
        let failed = vec!["a.A: java.io.IOException: a method too long".to_owned()];
        let reason = reject(&Findings { uninstrumented_classes: failed.clone(), ..all.clone() });
        assert_eq!(reason, format!("a class could not be instrumented: {}", failed[0]));
        let single_threaded = vec!["a.ATest#one".to_owned()];
        let reason = reject(&Findings { single_threaded_tests: single_threaded, ..all.clone() });
        assert_eq!(reason, "a.ATest#one no longer starts a second thread");
        let uncontrolled = vec!["pool-2".to_owned()];
        assert_eq!(
            reject(&Findings { uncontrolled_threads: uncontrolled, ..all }),
            "the scheduler does not control the thread pool-2"
        );
    }

    #[test]
    fn faults_of_other_code_are_not_new() {
        let failure = |test: &str| {
            let result = serde_json::json!({ "test": test });
            let example = ScheduleTrace { result: Some(result), ..ScheduleTrace::default() };
            FailureGroup { count: 1, first: 3, example }
        };
        let race = |variable: &str| DataRace {
            variable: variable.to_owned(),
            sites: Vec::new(),
            schedules: 1,
        };
        let to_fix = BTreeSet::from(["a.ATest#one".to_owned()]);
        let without = Findings {
            groups: vec![failure("a.ATest#one"), failure("a.BTest#old")],
            races: vec![race("a.A.item:3")],
            ..Findings::default()
        };
        let fault = |with: &Findings| find_new_fault(&without, with, &to_fix);
        let old = Findings {
            groups: vec![failure("a.BTest#old")],
            races: vec![race("a.A.item:4")],
            inconclusive: 2,
            ..Findings::default()
        };
        assert_eq!(fault(&old), None);
        let new_race = Findings { races: vec![race("a.A.other:4")], ..old.clone() };
        assert_eq!(fault(&new_race).unwrap(), "a data race on a.A.other:4");
        for test in ["a.ATest#one", "a.ATest", "a.CTest#new"] {
            let failing = Findings { groups: vec![failure(test)], ..old.clone() };
            assert_eq!(fault(&failing).unwrap(), "a failure in schedule 3", "{test}");
        }
    }

    #[test]
    fn both_pattern_methods_must_still_run() {
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
        let accessed_methods =
            |methods: &[&str]| methods.iter().map(|one| format!("a.A.{one}")).collect();
        let patterns = vec![pattern];
        let unpatched = Findings {
            patterns,
            accessing_methods: accessed_methods(&["ask", "add"]),
            ..Findings::default()
        };
        let missing_method = |methods: &[&str]| {
            let patched =
                Findings { accessing_methods: accessed_methods(methods), ..Findings::default() };
            find_rejection(&UnpatchedSchedules::from_findings(&unpatched), &patched)
                .map(|one| one.reason().to_owned())
        };
        assert_eq!(missing_method(&["ask", "add", "more"]), None);
        assert_eq!(missing_method(&["add"]).as_deref(), Some("a.A.ask no longer runs"));
        assert_eq!(missing_method(&["ask"]).as_deref(), Some("a.A.add no longer runs"));
    }

    #[test]
    fn class_counts_as_run_if_one_test_ran() {
        let unpatched = UnpatchedSchedules::from_findings(&clean_findings(&["a.ATest"]));
        assert_eq!(find_rejection(&unpatched, &clean_findings(&["a.ATest#one"])), None);
        assert!(find_rejection(&unpatched, &clean_findings(&["a.ATestOfMore#one"])).is_some());
    }

    #[test]
    fn uncontrolled_threads_are_compared_without_numbers() {
        let with = |name: &str| Findings {
            uncontrolled_threads: vec![name.to_owned()],
            ..Findings::default()
        };
        assert_eq!(
            find_rejection(
                &UnpatchedSchedules::from_findings(&with("worker-1")),
                &with("worker-2")
            ),
            None
        );
    }
}
