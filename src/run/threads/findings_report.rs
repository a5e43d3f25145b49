//! Converts the findings of an exploration to the result, and writes the schedule files.

use crate::run::session::Session;
use crate::run::session::run_log::SubjectFact;
use crate::run::subject::test_overlay::TestOverlay;
use crate::run::threads::schedule_explainer::ScheduleExplainer;
use crate::run::threads::schedule_files;
use mend_engine::{ExploreConfig, SchedulerKind};
use mend_model::schedules::{FailureGroup, Findings, LocksetStats, ScheduleTrace};
use mend_model::{Result, format_count, without_packages};
use mend_report::{
    Certificate, FailedSchedules, Interleaving, LockCycle, LockUsage, ScheduleReport,
};
use mend_threads::patterns::description::format_location;
use mend_threads::patterns::roles::AccessRoles;

/// Maximum length of a message.
const MAX_MESSAGE_LENGTH: usize = 300;

/// Findings in the form of the result. Their schedules are in the run folder.
pub(crate) struct RecordedSchedules {
    pub(crate) report: ScheduleReport,
    /// Summary for people, on one line.
    pub(crate) headline: String,
}

/// Writes the failing schedules to the run folder, and converts the findings.
pub(crate) fn record_findings(
    findings: &Findings,
    config: &ExploreConfig,
    session: &Session<'_>,
    overlay: &TestOverlay,
) -> Result<RecordedSchedules> {
    let run_log = &session.run_log;
    let is_test_class = |class: &str| overlay.declares_class(class);
    let roles = AccessRoles { lock_classes: &findings.lock_classes, is_test_class: &is_test_class };
    let explainer = ScheduleExplainer::new(findings, &roles);
    let mut groups: Vec<&FailureGroup> = findings.groups.iter().collect();
    groups.sort_by_key(|group| (std::cmp::Reverse(group.count), group.first));
    let mut failures = Vec::new();
    let race = findings.race_example.as_ref().filter(|_| groups.is_empty());
    let examples = groups.iter().map(|group| (&group.example, group.count, group.first));
    for (at, (example, count, first)) in
        examples.chain(race.map(|example| (example, 0, 0))).enumerate()
    {
        let schedule = format!("schedule-{}.json", at + 1);
        let picture = Interleaving {
            trace: example,
            pattern_steps: &explainer.steps_to_mark(example),
            ending: &failure_caption(example, findings),
        };
        run_log.folder.write_file(&schedule, &schedule_files::format_schedule_file(&picture)?)?;
        let is_race = count == 0;
        let kind = if is_race { "race".to_owned() } else { example.kind.clone() };
        failures.push(FailedSchedules {
            kind,
            message: failure_message(example),
            count,
            first,
            schedule,
        });
    }
    let main_example = groups.first().map(|group| &group.example).or(race);
    let report = to_schedule_report(&explainer, config, failures, main_example);
    let headline = headline(findings, &report, config);
    let symptom = groups.first().map(|group| {
        let (test, message) = (test_name(&group.example), failure_message(&group.example));
        format!("{test} fails under some schedules: {message}")
    });
    symptom.map_or(Ok(()), |one| run_log.record(SubjectFact::Symptom(one)))?;
    if main_example.is_some_and(|example| example.steps.iter().any(|step| step.what == "sleep")) {
        let what = "how likely this schedule is: a sleep in it ends before other threads have run";
        run_log.note_unchecked(what.to_owned())?;
    }
    if main_example.is_some_and(|example| example.cut_short) {
        run_log.note_unchecked("the steps of this schedule after the recorded ones".to_owned())?;
    }
    uncontrolled_notes(findings).into_iter().try_for_each(|note| run_log.note_unchecked(note))?;
    Ok(RecordedSchedules { report, headline })
}

fn to_schedule_report(
    explainer: &ScheduleExplainer<'_>,
    config: &ExploreConfig,
    failures: Vec<FailedSchedules>,
    main_example: Option<&ScheduleTrace>,
) -> ScheduleReport {
    let findings = explainer.findings;
    let rendered = main_example.map(|example| {
        let (marked, caption) =
            (explainer.steps_to_mark(example), failure_caption(example, findings));
        let rendered = Interleaving { trace: example, pattern_steps: &marked, ending: &caption };
        (rendered.to_diagram(), rendered.to_sentences())
    });
    let (picture, steps) = rendered.unzip();
    let is_clean = !findings.is_failing()
        && findings.other_failures == 0
        && config.replay.is_none()
        && findings.inconclusive == 0;
    let has_several_schedules = findings.run > 1 && !findings.strategies.is_empty();
    ScheduleReport {
        run: findings.run,
        failing: findings.failing,
        inconclusive: findings.inconclusive,
        seed: config.seed,
        schedulers: findings.strategies.clone(),
        failures,
        patterns: explainer.to_pattern_results(main_example),
        races: explainer.to_race_results(),
        lock_cycles: to_lock_cycles(findings),
        policy: findings.policy.iter().map(to_lock_usage).collect(),
        certificate: to_certificate(findings, &config.schedulers)
            .filter(|_| is_clean && has_several_schedules),
        picture,
        steps: steps.unwrap_or_default(),
    }
}

fn to_lock_cycles(findings: &Findings) -> Vec<LockCycle> {
    let cycles = findings.lock_order_cycles.iter().map(|cycle| LockCycle {
        sites: cycle.sites.iter().map(format_location).collect(),
        schedules: cycle.schedules,
    });
    cycles.collect()
}

fn to_lock_usage(lockset: &LocksetStats) -> LockUsage {
    // Of several locks, selects the first by name.
    let most_held =
        lockset.locks.iter().max_by_key(|(name, held)| (**held, std::cmp::Reverse(*name)));
    LockUsage {
        variable: lockset.variable.clone(),
        lock: most_held.map(|(name, _)| name.clone()),
        held: most_held.map_or(0, |(_, held)| *held),
        accesses: lockset.accesses,
    }
}

/// Returns the test of a schedule, or its class if the test is unknown.
pub(crate) fn test_name(example: &ScheduleTrace) -> &str {
    let test = example.result.as_ref().and_then(|result| result["test"].as_str());
    test.unwrap_or_else(|| example.schedule.test.split('\t').next().unwrap_or_default())
}

/// Returns the first line of the failure message.
pub(crate) fn failure_message(example: &ScheduleTrace) -> String {
    let full_message = match (&example.text, &example.result) {
        (Some(text), _) => text.clone(),
        (None, Some(result)) => {
            let exception = result["exception"].as_str().unwrap_or_default();
            match result["message"].as_str() {
                Some(message) => format!("{exception}: {message}"),
                None => exception.to_owned(),
            }
        }
        (None, None) => "no failure, but a data race".to_owned(),
    };
    full_message.lines().next().unwrap_or_default().chars().take(MAX_MESSAGE_LENGTH).collect()
}

/// Describes the end of a schedule. The message of an exception is not changed.
fn failure_caption(example: &ScheduleTrace, findings: &Findings) -> String {
    if findings.failing == 0 {
        return "these accesses race".to_owned();
    }
    let message = failure_message(example);
    if example.is_blocked() { without_packages(&message) } else { message }
}

/// Returns the certificate of an exploration without failure. Returns `None` if the scheduler did not control all
/// threads and classes.
pub(crate) fn to_certificate(
    findings: &Findings,
    samplers: &[SchedulerKind],
) -> Option<Certificate> {
    if !findings.is_fully_controlled() {
        return None;
    }
    if findings.is_proved() {
        let orders = findings.proved.values().map(|[orders, _]| orders).sum();
        let has_timed_waits = findings.proved.values().any(|[_, timed_waits]| *timed_waits > 0);
        return Some(Certificate::exhaustive(orders, has_timed_waits));
    }
    if findings.is_exhaustive() {
        return None;
    }
    let sampled = samplers.iter().filter(|one| **one != SchedulerKind::Dpor);
    let samplers = sampled.map(|one| one.name().to_owned()).collect();
    Certificate::from_sampling(
        findings.min_sampled_per_test(),
        samplers,
        findings.depth_two_detection_probability(),
    )
}

fn headline(findings: &Findings, schedules: &ScheduleReport, config: &ExploreConfig) -> String {
    let run = format_count(findings.run, "schedule");
    if config.replay.is_some() {
        let outcome = match schedules.failures.first() {
            Some(failure) => format!("the schedule fails again: {}", failure.message),
            None => "the schedule does not fail".to_owned(),
        };
        let changed = if findings.diverged {
            "; the code now takes other steps, so it could be followed only in part"
        } else {
            ""
        };
        return outcome + changed;
    }
    match schedules.failures.first() {
        _ if findings.multi_threaded_tests.is_empty() && findings.failing == 0 => {
            "the tests start no second thread, so there is only one schedule".to_owned()
        }
        Some(failure) if findings.failing > 0 => {
            let failure_kind = match failure.kind.as_str() {
                "deadlock" => "deadlock in",
                "lost_signal" => "lost signal in",
                "livelock" => "livelock in",
                "exception" => "a thread dies with an exception in",
                "output" => "different output in",
                _ => "fails in",
            };
            let is_all = findings.failing == findings.run && findings.run > 1;
            let failing_share = if is_all {
                format!("all {run}")
            } else {
                format!("{} of {run}", findings.failing)
            };
            let first = if findings.has_goal {
                format!(", first in schedule {}", failure.first)
            } else {
                String::new()
            };
            format!("{failure_kind} {failing_share}{first}: {}", failure.message)
        }
        _ if findings.has_goal => format!("none of {run} fails like this"),
        _ if findings.is_failing() => {
            format!("none of {run} fails, but there is a data race or a lock-order cycle")
        }
        _ => format!("none of {run} fails"),
    }
}

/// Lists threads and classes that the scheduler did not control, and unexplored schedules.
fn uncontrolled_notes(findings: &Findings) -> Vec<String> {
    let mut notes = Vec::new();
    let mut add_note = |what: &str, names: &[String]| {
        if !names.is_empty() {
            let more = names.len().saturating_sub(3);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            let some: Vec<&str> = names.iter().take(3).map(String::as_str).collect();
            notes.push(format!("{what}: {}{more}", some.join(", ")));
        }
    };
    add_note("tests with only one thread (run once)", &findings.single_threaded_tests);
    add_note("tests that hang under some schedule", &findings.hanging_tests);
    add_note("threads that the scheduler does not control", &findings.uncontrolled_threads);
    add_note("classes that could not be instrumented", &findings.uninstrumented_classes);
    add_note("schedules that did not finish", &findings.block_reasons);
    if findings.is_junit_parallel {
        notes.push("tests that JUnit runs at the same time: here, each test runs alone".to_owned());
    }
    if findings.left > 0 {
        let threads = format_count(findings.left, "thread");
        notes.push(format!("{threads} that did not stop with their schedules"));
    }
    if findings.truncated_cycle_searches > 0 {
        let schedules = format_count(findings.truncated_cycle_searches, "schedule");
        notes.push(format!("lock-order cycles beyond the search limit, in {schedules}"));
    }
    let unmodelled =
        "fields of libraries, native code, and memory reordering beyond the reported data races";
    notes.push(unmodelled.to_owned());
    notes
}
