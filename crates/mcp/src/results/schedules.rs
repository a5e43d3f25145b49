//! Result of `explore_schedules`.

use mend_report::{RunStatus, SavedRun, ScheduleReport};
use schemars::JsonSchema;
use serde::Serialize;
use std::path::PathBuf;

/// File with the patch to check in the run folder.
pub(crate) const AUDITED_PATCH: &str = "audited.patch";

/// Result of running thread schedules
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct SchedulesResult {
    /// Number of executed schedules
    schedules: usize,
    /// Number of failing schedules
    failing: usize,
    /// Number of schedules that did not finish
    inconclusive: usize,
    /// Seed; the same seed gives the same schedules
    seed: u64,
    /// Kinds of failure, the most frequent first
    failures: Vec<ScheduleFailure>,
    /// Data races
    races: Vec<Race>,
    /// Lock-order cycles: where a lock is acquired while another one is held
    lock_cycles: Vec<Vec<String>>,
    /// Most suspicious access pattern of the failing schedules
    explanation: Option<String>,
    /// Steps of a failing schedule, one sentence each
    steps: Vec<String>,
    /// Guarantee that follows from the schedules if none fails
    guarantee: Option<String>,
    /// True if `patch` was checked and no schedule fails with it, false if one does
    patch_passes: Option<bool>,
    /// Findings in words
    messages: Vec<String>,
}

/// Schedules with the same failure
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct ScheduleFailure {
    /// `test`, `exception`, `deadlock`, `lost_signal`, `livelock`, `exit`, `output` or `race`
    kind: String,
    /// Message
    message: String,
    /// Number of these schedules
    count: usize,
    /// Schedule file, for `replay`
    schedule_file: PathBuf,
}

/// Two conflicting accesses without an order
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct Race {
    /// Variable
    variable: String,
    /// Locations of both accesses
    locations: Vec<String>,
}

impl SchedulesResult {
    /// Reads the result; `None` if no schedule was recorded yet.
    pub(crate) fn read(run: &SavedRun) -> Option<Self> {
        let result = run.result();
        let report: &ScheduleReport = result.schedules.as_ref()?;
        let is_complete = matches!(result.status, RunStatus::Found | RunStatus::None);
        let is_audit = is_complete && run.path().join(AUDITED_PATCH).is_file();
        Some(Self {
            schedules: report.run,
            failing: report.failing,
            inconclusive: report.inconclusive,
            seed: report.seed,
            failures: read_failures(run, report),
            races: read_races(report),
            lock_cycles: report.lock_cycles.iter().map(|cycle| cycle.sites.clone()).collect(),
            explanation: report.patterns.first().map(|pattern| pattern.why.clone()),
            steps: report.steps.clone(),
            guarantee: report.certificate.as_ref().map(mend_report::Certificate::to_text),
            patch_passes: is_audit.then_some(result.status == RunStatus::None),
            messages: result.messages.clone(),
        })
    }
}

fn read_failures(run: &SavedRun, report: &ScheduleReport) -> Vec<ScheduleFailure> {
    let failures = report.failures.iter().map(|failure| ScheduleFailure {
        kind: failure.kind.clone(),
        message: failure.message.clone(),
        count: failure.count,
        schedule_file: run.path().join(&failure.schedule),
    });
    failures.collect()
}

fn read_races(report: &ScheduleReport) -> Vec<Race> {
    let races = report.races.iter();
    races
        .map(|race| Race { variable: race.variable.clone(), locations: race.sites.clone() })
        .collect()
}
