//! Reads and validates the files of a run folder other than its result and patches.

use crate::delta::{DeltaView, SCHEMA};
use crate::{Interleaving, ObservedValues, RunResult, SavedRun, TrialLine};
use mend_model::Result;
use mend_model::schedules::ScheduleTrace;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;

/// Maximum size of a file, in bytes.
const MAX_FILE_BYTES: u64 = 32 << 20;

/// Maximum number of schedules read.
const MAX_SCHEDULES: usize = 12;

/// Contents of a run folder, without invalid files.
pub(crate) struct RunArtifacts<'a> {
    pub(crate) run: &'a SavedRun,
    pub(crate) trials: Vec<TrialLine>,
    pub(crate) delta: Option<DeltaView>,
    pub(crate) values: Vec<ObservedValues>,
    /// Schedules by file name.
    pub(crate) schedules: BTreeMap<String, ScheduleFile>,
    /// Invalid files.
    pub(crate) invalid_files: Vec<String>,
}

/// Schedule file of an exploration.
#[derive(Deserialize)]
pub(crate) struct ScheduleFile {
    pub(crate) example: ScheduleTrace,
    /// Steps of its access pattern.
    #[serde(default)]
    pub(crate) pattern_steps: Vec<usize>,
    #[serde(default)]
    pub(crate) ending: String,
}

impl ScheduleFile {
    /// Returns the interleaving for its sequence diagram.
    pub(crate) fn interleaving(&self) -> Interleaving<'_> {
        Interleaving {
            trace: &self.example,
            pattern_steps: &self.pattern_steps,
            ending: &self.ending,
        }
    }

    /// Returns true if all thread and step numbers are valid.
    fn is_valid(&self) -> bool {
        let ScheduleTrace { thread, threads, steps, .. } = &self.example;
        *thread < threads.len()
            && steps.iter().all(|step| step.thread < threads.len())
            && self.pattern_steps.iter().all(|at| *at < steps.len())
    }
}

impl<'a> RunArtifacts<'a> {
    /// Creates the contents with the result alone.
    fn without_files(run: &'a SavedRun) -> Self {
        Self {
            run,
            trials: Vec::new(),
            delta: None,
            values: Vec::new(),
            schedules: BTreeMap::new(),
            invalid_files: Vec::new(),
        }
    }

    /// Reads the contents as [`Self::read`] does; if that fails, returns the result alone.
    pub(crate) fn read_or_result_only(run: &'a SavedRun) -> Self {
        Self::read(run).unwrap_or_else(|_| Self::without_files(run))
    }

    /// Reads the contents. Omits invalid files and records their names.
    ///
    /// # Errors
    /// Errors of [`SavedRun::read_file`].
    pub(crate) fn read(run: &'a SavedRun) -> Result<Self> {
        let mut artifacts = Self::without_files(run);
        let text = run.read_file("trials.jsonl", MAX_FILE_BYTES)?.unwrap_or_default();
        artifacts.trials = parse_trials(&text);
        artifacts.delta = artifacts.read_json("delta.json", is_valid_delta)?;
        artifacts.values = artifacts.read_json("values.json", |_| true)?.unwrap_or_default();
        let failures = run.result().schedules.iter().flat_map(|found| &found.failures);
        let names: Vec<&str> = failures.map(|failure| &*failure.schedule).collect();
        for name in names.into_iter().filter(|name| is_schedule_name(name)).take(MAX_SCHEDULES) {
            let file = artifacts.read_json(name, ScheduleFile::is_valid)?;
            artifacts.schedules.extend(file.map(|file| (name.to_owned(), file)));
        }
        Ok(artifacts)
    }

    pub(crate) fn result(&self) -> &'a RunResult {
        self.run.result()
    }

    /// Reads a JSON file, if it exists and is valid.
    fn read_json<T: DeserializeOwned>(
        &mut self,
        name: &str,
        is_valid: impl FnOnce(&T) -> bool,
    ) -> Result<Option<T>> {
        let Some(text) = self.run.read_file(name, MAX_FILE_BYTES)? else { return Ok(None) };
        let value = serde_json::from_slice(&text).ok().filter(is_valid);
        if value.is_none() {
            self.invalid_files.push(name.to_owned());
        }
        Ok(value)
    }
}

/// Parses the trials; the last line may be incomplete if the run was killed.
fn parse_trials(text: &[u8]) -> Vec<TrialLine> {
    let lines = text.split(|byte| *byte == b'\n');
    lines.filter_map(|line| serde_json::from_slice(line).ok()).collect()
}

/// Returns true if components are numbered consecutively from 1 and dependencies refer only to them.
fn is_valid_delta(delta: &DeltaView) -> bool {
    let component_ids = 1..=delta.components.len();
    delta.schema == SCHEMA
        && delta.components.iter().map(|one| one.id).eq(component_ids.clone())
        && delta.couplings.iter().all(|one| {
            component_ids.contains(&one.from) && one.to.iter().all(|to| component_ids.contains(to))
        })
}

/// Returns true if this is the name of a schedule file.
fn is_schedule_name(name: &str) -> bool {
    let number = name.strip_prefix("schedule-").and_then(|rest| rest.strip_suffix(".json"));
    number.is_some_and(|number| number.parse::<u32>().is_ok())
}
