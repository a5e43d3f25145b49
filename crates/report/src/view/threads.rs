//! View of the results of schedule exploration for pages and Markdown.

use crate::run_folder::artifacts::RunArtifacts;
use crate::terminal::OutputContext;
use crate::view::sentence::{Sentence, code_text, own_text};
use crate::{Certificate, FailedSchedules, LockCycle, RaceResult, ScheduleReport};
use mend_model::{format_count, without_options, without_packages};

/// Results of an exploration.
#[derive(Clone, Debug)]
pub(crate) struct ThreadsView {
    pub(crate) pattern: Option<PatternView>,
    /// Sequence diagram of the explained schedule as text.
    pub(crate) diagram: Option<String>,
    pub(crate) races: Vec<Sentence>,
    pub(crate) cycles: Vec<Sentence>,
    pub(crate) lock_usage: Vec<LockUsageRow>,
    pub(crate) failures: Vec<FailureRow>,
    pub(crate) certificate: Option<String>,
    pub(crate) schedulers: Vec<SchedulerRow>,
}

impl ThreadsView {
    /// True if the schedules showed more than their number.
    pub(crate) fn has_findings(&self) -> bool {
        self.pattern.is_some()
            || self.diagram.is_some()
            || !(self.races.is_empty() && self.cycles.is_empty())
            || !(self.lock_usage.is_empty() && self.failures.is_empty())
    }
}

/// Access pattern that the failing schedules have in common.
#[derive(Clone, Debug)]
pub(crate) struct PatternView {
    pub(crate) explanation: String,
    pub(crate) pattern: String,
    pub(crate) failing: usize,
    pub(crate) passing: usize,
}

/// Lock discipline of a variable.
#[derive(Clone, Debug)]
pub(crate) struct LockUsageRow {
    pub(crate) variable: String,
    /// Lock that is held most often, if any.
    pub(crate) lock: Option<String>,
    pub(crate) held_count: usize,
    pub(crate) access_count: usize,
}

/// Schedules with the same failure.
#[derive(Clone, Debug)]
pub(crate) struct FailureRow {
    /// Schedule file in the run folder.
    pub(crate) file: String,
    pub(crate) id: String,
    pub(crate) kind: String,
    pub(crate) message: String,
    /// Number of occurrences in words; empty if unknown.
    pub(crate) count: String,
    pub(crate) seed: String,
    pub(crate) replay: Option<String>,
}

/// Number of schedules that a scheduler chose.
#[derive(Clone, Debug)]
pub(crate) struct SchedulerRow {
    pub(crate) name: String,
    pub(crate) schedule_count: usize,
    pub(crate) failing_count: usize,
}

/// Returns the results if any schedule ran. `repeat_command` is the command that repeats the run.
pub(crate) fn threads_view(
    artifacts: &RunArtifacts<'_>,
    context: &OutputContext<'_>,
    repeat_command: Option<&str>,
) -> Option<ThreadsView> {
    let report = artifacts.result().schedules.as_ref()?;
    let pattern_view = report.explaining_pattern().map(|pattern| PatternView {
        explanation: pattern.why.clone(),
        pattern: pattern.pattern.clone(),
        failing: pattern.failing,
        passing: pattern.passing,
    });
    let failure_row = |one| {
        failure_row(one, artifacts, &|file: &str| {
            replay_command(repeat_command?, &context.file_path(file))
        })
    };
    Some(ThreadsView {
        pattern: pattern_view,
        diagram: report.picture.clone(),
        races: report.races.iter().map(describe_race).collect(),
        cycles: report.lock_cycles.iter().map(describe_lock_cycle).collect(),
        lock_usage: lock_usage_rows(report),
        failures: report.failures.iter().map(failure_row).collect(),
        certificate: report.certificate.as_ref().map(Certificate::to_text),
        schedulers: scheduler_rows(report),
    })
}

fn describe_race(RaceResult { variable, sites, .. }: &RaceResult) -> Sentence {
    let variable = without_packages(variable);
    let start = [own_text("Unordered accesses to "), code_text(&variable), own_text(" at ")];
    start.into_iter().chain(join_locations(sites, " and ")).chain([own_text(".")]).collect()
}

fn describe_lock_cycle(LockCycle { sites, .. }: &LockCycle) -> Sentence {
    let start = [own_text("Threads can deadlock at ")];
    start.into_iter().chain(join_locations(sites, ", ")).chain([own_text(".")]).collect()
}

/// Joins locations with a separator.
fn join_locations(sites: &[String], separator: &str) -> Sentence {
    let mut parts = Vec::new();
    for (at, site) in sites.iter().enumerate() {
        parts.extend((at > 0).then(|| own_text(separator)));
        parts.push(code_text(&without_packages(site)));
    }
    parts
}

fn lock_usage_rows(report: &ScheduleReport) -> Vec<LockUsageRow> {
    let row = |one: &crate::LockUsage| LockUsageRow {
        variable: one.variable.clone(),
        lock: one.lock.clone(),
        held_count: one.held,
        access_count: one.accesses,
    };
    report.relevant_policy().map(row).collect()
}

fn failure_row(
    schedules: &FailedSchedules,
    artifacts: &RunArtifacts<'_>,
    replay_command: &dyn Fn(&str) -> Option<String>,
) -> FailureRow {
    let file = artifacts.schedules.get(&schedules.schedule);
    let seed = file.map(|file| file.example.schedule.seed.to_string());
    FailureRow {
        file: schedules.schedule.clone(),
        id: schedules.schedule.replace('.', "-"),
        kind: schedules.kind.replace('_', " "),
        message: schedules.message.clone(),
        count: if schedules.count == 0 {
            String::new()
        } else {
            format_count(schedules.count, "time")
        },
        seed: seed.unwrap_or_default(),
        replay: replay_command(&schedules.schedule),
    }
}

/// Options with a value that `--replay` does not accept.
const NON_REPLAY_OPTIONS: [&str; 10] = [
    "--technique",
    "--top",
    "--budget",
    "--candidates",
    "--branch",
    "--good",
    "--output",
    "--replay",
    "--schedules",
    "--scheduler",
];

/// Returns the command that replays a schedule. Returns `None` for a schedule of a patch, because a replay runs the
/// version without the patch.
fn replay_command(repeat_command: &str, file: &str) -> Option<String> {
    let line = shell_words::split(repeat_command).ok()?;
    if line.iter().any(|word| word.split('=').next() == Some("--audit")) {
        return None;
    }
    let mut args = without_options(&line, &NON_REPLAY_OPTIONS);
    args.retain(|word| word != "--apply");
    if let Some(command) = args.iter_mut().find(|word| *word == "fix") {
        "explore".clone_into(command);
    }
    args.extend(["--replay".to_owned(), file.to_owned()]);
    Some(shell_words::join(args))
}

fn scheduler_rows(report: &ScheduleReport) -> Vec<SchedulerRow> {
    let row = |(name, [run, failing]): (&String, &[usize; 2])| SchedulerRow {
        name: name.clone(),
        schedule_count: *run,
        failing_count: *failing,
    };
    report.schedulers.iter().map(row).collect()
}
