//! What schedules of threads showed.

use super::material::Material;
use super::picture::Picture;
use super::sequence::sequence;
use crate::model::without;
use crate::report::human::Scene;
use crate::report::{Certificate, FailedSchedules, LockCycle, RaceResult, Schedules};

/// What schedules showed.
pub(super) struct ThreadsView {
    pub(super) why: Option<WhyView>,
    pub(super) pictures: Vec<Picture>,
    /// The picture in text, where no schedule can be drawn.
    pub(super) text: Option<String>,
    pub(super) races: Vec<String>,
    pub(super) cycles: Vec<String>,
    pub(super) policy: Vec<PolicyRow>,
    pub(super) failures: Vec<FailureRow>,
    pub(super) certificate: Option<String>,
    pub(super) samplers: Vec<SamplerRow>,
}

/// The pattern that the failing schedules have in common.
pub(super) struct WhyView {
    pub(super) sentence: String,
    pub(super) pattern: String,
    pub(super) failing: usize,
    pub(super) passing: usize,
}

/// Which lock guards a variable.
pub(super) struct PolicyRow {
    pub(super) variable: String,
    pub(super) lock: String,
    pub(super) held: usize,
    pub(super) accesses: usize,
}

/// Schedules that failed alike.
pub(super) struct FailureRow {
    pub(super) id: String,
    pub(super) kind: String,
    pub(super) message: String,
    pub(super) count: usize,
    pub(super) seed: String,
    pub(super) replay: Option<String>,
}

/// How many schedules a sampler chose.
pub(super) struct SamplerRow {
    pub(super) name: String,
    pub(super) run: usize,
    pub(super) failing: usize,
}

/// What schedules showed, if any were run.
pub(super) fn threads(material: &Material<'_>, scene: &Scene<'_>) -> Option<ThreadsView> {
    let found = material.result().schedules.as_ref()?;
    let pictures = pictures(material, found);
    let why = found.patterns.first().map(|pattern| WhyView {
        sentence: pattern.why.clone(),
        pattern: pattern.pattern.clone(),
        failing: pattern.failing,
        passing: pattern.passing,
    });
    let race = |RaceResult { variable, sites, .. }: &RaceResult| {
        format!("Nothing orders the accesses to {variable} at {}.", sites.join(" and "))
    };
    let cycle = |LockCycle { sites, .. }: &LockCycle| {
        format!("Threads can block each other at {}.", sites.join(", "))
    };
    Some(ThreadsView {
        why,
        text: found.picture.clone().filter(|_| pictures.is_empty()),
        pictures,
        races: found.races.iter().map(race).collect(),
        cycles: found.lock_cycles.iter().map(cycle).collect(),
        policy: policy(found),
        failures: found.failures.iter().map(|one| failure(one, material, scene)).collect(),
        certificate: found.certificate.as_ref().map(Certificate::told),
        samplers: samplers(found),
    })
}

/// The schedule that is explained, and those that fail in other ways.
fn pictures(material: &Material<'_>, found: &Schedules) -> Vec<Picture> {
    let drawn = found.failures.iter().filter_map(|failure| {
        let file = material.schedules.get(&failure.schedule)?;
        let name = failure.schedule.strip_suffix(".json").unwrap_or(&failure.schedule);
        Some(sequence(&file.interleaving(), name))
    });
    drawn.take(3).collect()
}

fn policy(found: &Schedules) -> Vec<PolicyRow> {
    let row = |one: &crate::report::SchedulePolicy| PolicyRow {
        variable: one.variable.clone(),
        lock: one.lock.clone().unwrap_or_else(|| "none".to_owned()),
        held: one.held,
        accesses: one.accesses,
    };
    found.policy.iter().map(row).collect()
}

fn failure(one: &FailedSchedules, material: &Material<'_>, scene: &Scene<'_>) -> FailureRow {
    let file = material.schedules.get(&one.schedule);
    let seed = file.map(|file| file.example.schedule.seed.to_string());
    FailureRow {
        id: one.schedule.replace('.', "-"),
        kind: one.kind.replace('_', " "),
        message: one.message.clone(),
        count: one.count,
        seed: seed.unwrap_or_default(),
        replay: replay(material, &scene.file(&one.schedule)),
    }
}

/// Options that a run of one schedule does not take; all have a value.
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
    "--strategy",
];

/// The command that runs a schedule again. A schedule of a patch has none: what runs again is the version without it.
fn replay(material: &Material<'_>, file: &str) -> Option<String> {
    let line = shell_words::split(material.result().reproduce.as_deref()?).ok()?;
    if line.iter().any(|word| word.split('=').next() == Some("--audit")) {
        return None;
    }
    let mut words = without(&line, &OTHERS);
    words.retain(|word| word != "--apply");
    if let Some(command) = words.iter_mut().find(|word| *word == "fix") {
        "explore".clone_into(command);
    }
    words.extend(["--replay".to_owned(), file.to_owned()]);
    Some(shell_words::join(words))
}

fn samplers(found: &Schedules) -> Vec<SamplerRow> {
    let row = |(name, [run, failing]): (&String, &[usize; 2])| SamplerRow {
        name: name.clone(),
        run: *run,
        failing: *failing,
    };
    found.strategies.iter().map(row).collect()
}
