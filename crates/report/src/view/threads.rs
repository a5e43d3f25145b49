//! Results of schedule exploration for pages and Markdown.

use crate::run_folder::artifacts::RunArtifacts;
use crate::terminal::OutputContext;
use crate::view::sentence::{Sentence, code, plain};
use crate::{Certificate, FailedSchedules, LockCycle, RaceResult, ScheduleReport};
use mend_model::{counted, without_options};

/// Results of an exploration.
#[derive(Clone, Debug)]
pub(crate) struct ThreadsView {
    pub(crate) why: Option<PatternView>,
    /// Sequence diagram of the explained schedule as text.
    pub(crate) text: Option<String>,
    pub(crate) races: Vec<Sentence>,
    pub(crate) cycles: Vec<Sentence>,
    pub(crate) policy: Vec<LockUsageRow>,
    pub(crate) failures: Vec<FailureRow>,
    pub(crate) certificate: Option<String>,
    pub(crate) samplers: Vec<SchedulerRow>,
}

/// Access pattern that the failing schedules have in common.
#[derive(Clone, Debug)]
pub(crate) struct PatternView {
    pub(crate) sentence: String,
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
    pub(crate) held: usize,
    pub(crate) accesses: usize,
}

/// Schedules with the same failure.
#[derive(Clone, Debug)]
pub(crate) struct FailureRow {
    /// Schedule file in the run folder.
    pub(crate) file: String,
    pub(crate) id: String,
    pub(crate) kind: String,
    pub(crate) message: String,
    /// Number of times in words; empty if unknown.
    pub(crate) count: String,
    pub(crate) seed: String,
    pub(crate) replay: Option<String>,
}

/// Number of schedules that a scheduler chose.
#[derive(Clone, Debug)]
pub(crate) struct SchedulerRow {
    pub(crate) name: String,
    pub(crate) run: usize,
    pub(crate) failing: usize,
}

/// Returns the results if any schedule ran; `again` is the command that repeats the run.
pub(crate) fn threads(
    material: &RunArtifacts<'_>,
    scene: &OutputContext<'_>,
    again: Option<&str>,
) -> Option<ThreadsView> {
    let found = material.result().schedules.as_ref()?;
    let why = found.blamed().map(|pattern| PatternView {
        sentence: pattern.why.clone(),
        pattern: pattern.pattern.clone(),
        failing: pattern.failing,
        passing: pattern.passing,
    });
    let failure = |one| failure(one, material, &|file: &str| replay(again?, &scene.file(file)));
    Some(ThreadsView {
        why,
        text: found.picture.clone(),
        races: found.races.iter().map(race).collect(),
        cycles: found.lock_cycles.iter().map(cycle).collect(),
        policy: policy(found),
        failures: found.failures.iter().map(failure).collect(),
        certificate: found.certificate.as_ref().map(Certificate::to_text),
        samplers: samplers(found),
    })
}

fn race(RaceResult { variable, sites, .. }: &RaceResult) -> Sentence {
    let start = [plain("Unordered accesses to "), code(variable), plain(" at ")];
    start.into_iter().chain(listed(sites, " and ")).chain([plain(".")]).collect()
}

fn cycle(LockCycle { sites, .. }: &LockCycle) -> Sentence {
    let start = [plain("Threads can deadlock at ")];
    start.into_iter().chain(listed(sites, ", ")).chain([plain(".")]).collect()
}

/// Joins locations with a separator.
fn listed(sites: &[String], between: &str) -> Sentence {
    let mut words = Vec::new();
    for (at, site) in sites.iter().enumerate() {
        words.extend((at > 0).then(|| plain(between)));
        words.push(code(site));
    }
    words
}

fn policy(found: &ScheduleReport) -> Vec<LockUsageRow> {
    let row = |one: &crate::LockUsage| LockUsageRow {
        variable: one.variable.clone(),
        lock: one.lock.clone(),
        held: one.held,
        accesses: one.accesses,
    };
    found.policy.iter().map(row).collect()
}

fn failure(
    one: &FailedSchedules,
    material: &RunArtifacts<'_>,
    replay: &dyn Fn(&str) -> Option<String>,
) -> FailureRow {
    let file = material.schedules.get(&one.schedule);
    let seed = file.map(|file| file.example.schedule.seed.to_string());
    FailureRow {
        file: one.schedule.clone(),
        id: one.schedule.replace('.', "-"),
        kind: one.kind.replace('_', " "),
        message: one.message.clone(),
        count: if one.count == 0 { String::new() } else { counted(one.count, "time") },
        seed: seed.unwrap_or_default(),
        replay: replay(&one.schedule),
    }
}

/// Options with a value that `--replay` does not take.
const OTHERS: [&str; 10] = [
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

/// Returns the command that replays a schedule. A schedule of a patch has none: a replay runs the version without it.
fn replay(again: &str, file: &str) -> Option<String> {
    let line = shell_words::split(again).ok()?;
    if line.iter().any(|word| word.split('=').next() == Some("--audit")) {
        return None;
    }
    let mut words = without_options(&line, &OTHERS);
    words.retain(|word| word != "--apply");
    if let Some(command) = words.iter_mut().find(|word| *word == "fix") {
        "explore".clone_into(command);
    }
    words.extend(["--replay".to_owned(), file.to_owned()]);
    Some(shell_words::join(words))
}

fn samplers(found: &ScheduleReport) -> Vec<SchedulerRow> {
    let row = |(name, [run, failing]): (&String, &[usize; 2])| SchedulerRow {
        name: name.clone(),
        run: *run,
        failing: *failing,
    };
    found.schedulers.iter().map(row).collect()
}
