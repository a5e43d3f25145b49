//! Converts the findings of an exploration into the result.

use crate::run::session::Session;
use crate::run::session::run_log::SubjectFact;
use crate::run::threads::schedule_files;
use mend_engine::{ExploreConfig, SchedulerKind};
use mend_model::schedules::{FailureGroup, Findings, LocksetStats, PatternCount, ScheduleTrace};
use mend_model::{Result, counted};
use mend_report::{
    Certificate, FailedSchedules, Interleaving, LockCycle, LockUsage, PatternResult, RaceResult,
    ScheduleReport, is_explanatory,
};
use mend_threads::patterns::description::{notation, place, sentence};
use mend_threads::patterns::ranking::{ranked, shown_in, suspicion};

/// Maximum length of a message.
const LONGEST: usize = 300;

/// Findings of an exploration as the result shows them; their schedules are in the run folder.
pub(crate) struct RecordedSchedules {
    pub(crate) report: ScheduleReport,
    /// Summary for people, one line.
    pub(crate) headline: String,
}

/// Writes the failing schedules to the run folder, and returns the findings as the result shows them.
pub(crate) fn record(
    findings: &Findings,
    order: &ExploreConfig,
    session: &Session<'_>,
) -> Result<RecordedSchedules> {
    let ledger = &session.ledger;
    let mut groups: Vec<&FailureGroup> = findings.groups.iter().collect();
    groups.sort_by_key(|group| (std::cmp::Reverse(group.count), group.first));
    let (mut failures, ranked) = (Vec::new(), ranked(&findings.patterns));
    let race = findings.race_example.as_ref().filter(|_| groups.is_empty());
    let examples = groups.iter().map(|group| (&group.example, group.count, group.first));
    for (at, (example, count, first)) in
        examples.chain(race.map(|example| (example, 0, 0))).enumerate()
    {
        let schedule = format!("schedule-{}.json", at + 1);
        let marked =
            pattern_to_mark(&ranked, example, findings).map_or(&[][..], |(_, steps)| steps);
        let picture = Interleaving {
            trace: example,
            pattern_steps: marked,
            ending: &ending(example, findings),
        };
        ledger.folder.write(&schedule, &schedule_files::write(&picture)?)?;
        let is_race = count == 0;
        let kind = if is_race { "race".to_owned() } else { example.kind.clone() };
        failures.push(FailedSchedules { kind, message: message(example), count, first, schedule });
    }
    let main = groups.first().map(|group| &group.example).or(race);
    let report = schedules(findings, order, failures, main);
    let headline = headline(findings, &report, order);
    let symptom = groups.first().map(|group| {
        let (test, message) = (test_of(&group.example), message(&group.example));
        format!("{test} fails under some schedules: {message}")
    });
    symptom.map_or(Ok(()), |one| ledger.record(SubjectFact::Symptom(one)))?;
    if main.is_some_and(|example| example.steps.iter().any(|step| step.what == "sleep")) {
        let what = "how likely this schedule is: a sleep in it ends before other threads have run";
        ledger.note(what.to_owned())?;
    }
    if main.is_some_and(|example| example.cut_short) {
        ledger.note("the steps of this schedule after the recorded ones".to_owned())?;
    }
    not_controlled(findings).into_iter().try_for_each(|note| ledger.note(note))?;
    Ok(RecordedSchedules { report, headline })
}

fn schedules(
    findings: &Findings,
    order: &ExploreConfig,
    failures: Vec<FailedSchedules>,
    main: Option<&ScheduleTrace>,
) -> ScheduleReport {
    let ranked = ranked(&findings.patterns);
    let shown = main.and_then(|example| pattern_to_mark(&ranked, example, findings));
    let drawn = main.map(|example| {
        let marked = shown.map_or(&[][..], |(_, steps)| steps);
        let ending = ending(example, findings);
        let drawn = Interleaving { trace: example, pattern_steps: marked, ending: &ending };
        (drawn.to_diagram(), drawn.to_sentences())
    });
    let (picture, steps) = drawn.unzip();
    // The one in the picture is the one that is explained.
    let first = shown.map(|(pattern, _)| pattern);
    let others =
        ranked.iter().copied().filter(|one| first.is_none_or(|first| first.key != one.key));
    let patterns = first.into_iter().chain(others);
    let is_clean = !findings.is_failing() && order.replay.is_none() && findings.inconclusive == 0;
    let many = findings.run > 1 && !findings.strategies.is_empty();
    ScheduleReport {
        run: findings.run,
        failing: findings.failing,
        inconclusive: findings.inconclusive,
        seed: order.seed,
        schedulers: findings.strategies.clone(),
        failures,
        patterns: patterns.map(|pattern| to_pattern_result(pattern, main)).collect(),
        races: races(findings),
        lock_cycles: cycles(findings),
        policy: findings.policy.iter().map(policy).collect(),
        certificate: certificate(findings, &order.samplers).filter(|_| is_clean && many),
        picture,
        steps: steps.unwrap_or_default(),
    }
}

/// Returns the pattern to mark in a schedule, and its steps. For blocked threads the locks and signals are marked
/// instead, unless a pattern distinguishes failing schedules.
fn pattern_to_mark<'a>(
    ranked: &[&'a PatternCount],
    example: &'a ScheduleTrace,
    findings: &Findings,
) -> Option<(&'a PatternCount, &'a [usize])> {
    let passed = findings.run.saturating_sub(findings.failing + findings.inconclusive);
    let is_blocked = ["deadlock", "lost_signal"].contains(&example.kind.as_str());
    shown_in(ranked, example).filter(|(one, _)| {
        !is_blocked || is_explanatory([one.failing, one.passing], [findings.failing, passed])
    })
}

/// Merges data races that differ only in the access within one line.
fn races(findings: &Findings) -> Vec<RaceResult> {
    let mut races: Vec<RaceResult> = Vec::new();
    for race in &findings.races {
        let mut sites: Vec<String> = race.sites.iter().map(place).collect();
        sites.sort();
        let known =
            races.iter_mut().find(|one| one.variable == race.variable && one.sites == sites);
        match known {
            Some(known) => known.schedules = known.schedules.max(race.schedules),
            None => races.push(RaceResult {
                variable: race.variable.clone(),
                sites,
                schedules: race.schedules,
            }),
        }
    }
    races
}

fn cycles(findings: &Findings) -> Vec<LockCycle> {
    let cycles = findings.circles.iter().map(|circle| LockCycle {
        sites: circle.sites.iter().map(place).collect(),
        schedules: circle.schedules,
    });
    cycles.collect()
}

fn policy(guarded: &LocksetStats) -> LockUsage {
    // Of several, the first by name.
    let most = guarded.locks.iter().max_by_key(|(name, held)| (**held, std::cmp::Reverse(*name)));
    LockUsage {
        variable: guarded.variable.clone(),
        lock: most.map(|(name, _)| name.clone()),
        held: most.map_or(0, |(_, held)| *held),
        accesses: guarded.accesses,
    }
}

fn to_pattern_result(pattern: &PatternCount, main: Option<&ScheduleTrace>) -> PatternResult {
    let (a, b) = threads(pattern, main);
    PatternResult {
        pattern: notation(pattern),
        suspiciousness: suspicion(pattern),
        failing: pattern.failing,
        passing: pattern.passing,
        sites: pattern.sites.iter().map(place).collect(),
        variables: pattern.sites.iter().map(|site| site.subject.clone()).collect(),
        why: sentence(pattern, &a, &b),
    }
}

/// Returns the names of a pattern's threads in an example schedule.
fn threads(pattern: &PatternCount, main: Option<&ScheduleTrace>) -> (String, String) {
    let names = main.and_then(|example| {
        let seen = example.patterns.iter().find(|seen| seen.key == pattern.key)?;
        let name = |at: usize| {
            let thread = example.steps.get(*seen.steps.get(at)?)?.thread;
            example.threads.get(thread).cloned()
        };
        Some((name(0)?, name(1)?))
    });
    names.unwrap_or_else(|| ("one thread".to_owned(), "another".to_owned()))
}

/// Returns the test of a schedule, or its class if the test is unknown.
fn test_of(example: &ScheduleTrace) -> &str {
    let told = example.result.as_ref().and_then(|result| result["test"].as_str());
    told.unwrap_or_else(|| example.schedule.test.split('\t').next().unwrap_or_default())
}

/// Returns the first line of the failure message.
pub(crate) fn message(example: &ScheduleTrace) -> String {
    let told = match (&example.text, &example.result) {
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
    told.lines().next().unwrap_or_default().chars().take(LONGEST).collect()
}

/// The last line of a picture.
fn ending(example: &ScheduleTrace, findings: &Findings) -> String {
    if findings.failing == 0 {
        return "these accesses race".to_owned();
    }
    message(example).replace("; ", "\n  ")
}

/// Returns the certificate of an exploration without failure; `None` if the scheduler did not
/// control every thread and class.
pub(crate) fn certificate(findings: &Findings, samplers: &[SchedulerKind]) -> Option<Certificate> {
    if !findings.is_controlled() {
        return None;
    }
    if findings.is_proved() {
        let orders = findings.proved.values().map(|[orders, _]| orders).sum();
        let timed = findings.proved.values().any(|[_, timed]| *timed > 0);
        return Some(Certificate::exhaustive(orders, timed));
    }
    if findings.is_exhausted() {
        return None;
    }
    let sampled = samplers.iter().filter(|one| **one != SchedulerKind::Dpor);
    let samplers = sampled.map(|one| one.word().to_owned()).collect();
    Certificate::from_sampling(findings.sampled_of_each(), samplers, findings.chance_at_depth_two())
}

fn headline(findings: &Findings, schedules: &ScheduleReport, order: &ExploreConfig) -> String {
    let run = counted(findings.run, "schedule");
    if order.replay.is_some() {
        let told = match schedules.failures.first() {
            Some(failure) => format!("the schedule fails again: {}", failure.message),
            None => "the schedule does not fail".to_owned(),
        };
        let changed = if findings.diverged {
            "; the code now takes other steps, so it could be followed only in part"
        } else {
            ""
        };
        return told + changed;
    }
    match schedules.failures.first() {
        _ if findings.units.is_empty() && findings.failing == 0 => {
            "the tests start no second thread, so there is only one schedule".to_owned()
        }
        Some(failure) if findings.failing > 0 => {
            let what = match failure.kind.as_str() {
                "deadlock" => "deadlock in",
                "lost_signal" => "lost signal in",
                "livelock" => "livelock in",
                "exception" => "a thread dies with an exception in",
                "output" => "different output in",
                _ => "fails in",
            };
            let is_all = findings.failing == findings.run && findings.run > 1;
            let many = if is_all {
                format!("all {run}")
            } else {
                format!("{} of {run}", findings.failing)
            };
            format!("{what} {many}: {}", failure.message)
        }
        _ if findings.is_failing() => {
            format!("none of {run} fails, but there is a data race or a lock-order cycle")
        }
        _ => format!("none of {run} fails"),
    }
}

/// Lists what the scheduler did not control, or what was not explored.
fn not_controlled(findings: &Findings) -> Vec<String> {
    let mut notes = Vec::new();
    let mut list = |what: &str, names: &[String]| {
        if !names.is_empty() {
            let more = names.len().saturating_sub(3);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            let some: Vec<&str> = names.iter().take(3).map(String::as_str).collect();
            notes.push(format!("{what}: {}{more}", some.join(", ")));
        }
    };
    list("tests with only one thread (run once)", &findings.alone);
    list("tests that hang under some schedule", &findings.stuck);
    list("threads that the scheduler does not control", &findings.strangers);
    list("classes that could not be instrumented", &findings.failed);
    list("schedules that did not finish", &findings.obstacles);
    if findings.left > 0 {
        let threads = counted(findings.left, "thread");
        notes.push(format!("{threads} that did not stop with their schedules"));
    }
    if findings.circles_cut_short > 0 {
        let schedules = counted(findings.circles_cut_short, "schedule");
        notes.push(format!("lock-order cycles beyond the search limit, in {schedules}"));
    }
    let other =
        "fields of libraries, native code, and memory reordering beyond the reported data races";
    notes.push(other.to_owned());
    notes
}
