//! Valid files of a run folder besides its result and its patches.

use crate::delta::{DeltaView, SCHEMA};
use crate::{Interleaving, ObservedValues, RunResult, SavedRun, TrialLine};
use mend_model::Result;
use mend_model::schedules::ScheduleTrace;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;

/// Maximum size of a file, in bytes.
const MOST: u64 = 32 << 20;

/// Maximum number of schedules read.
const MOST_SCHEDULES: usize = 12;

/// Contents of a run folder; invalid files are left out.
pub(crate) struct RunArtifacts<'a> {
    pub(crate) run: &'a SavedRun,
    pub(crate) trials: Vec<TrialLine>,
    pub(crate) delta: Option<DeltaView>,
    pub(crate) values: Vec<ObservedValues>,
    /// Schedules by file name.
    pub(crate) schedules: BTreeMap<String, ScheduleFile>,
    /// Invalid files.
    pub(crate) refused: Vec<String>,
}

/// Schedule file as an exploration writes it.
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
        Interleaving { example: &self.example, marked: &self.pattern_steps, ending: &self.ending }
    }

    /// Returns true if all thread and step numbers are valid.
    fn is_sound(&self) -> bool {
        let ScheduleTrace { thread, threads, steps, .. } = &self.example;
        *thread < threads.len()
            && steps.iter().all(|step| step.thread < threads.len())
            && self.pattern_steps.iter().all(|at| *at < steps.len())
    }
}

impl<'a> RunArtifacts<'a> {
    /// Creates the contents with the result alone.
    fn bare(run: &'a SavedRun) -> Self {
        Self {
            run,
            trials: Vec::new(),
            delta: None,
            values: Vec::new(),
            schedules: BTreeMap::new(),
            refused: Vec::new(),
        }
    }

    /// Reads the contents as [`Self::read`] does; if that fails, returns the result alone.
    pub(crate) fn as_far_as_it_is_there(run: &'a SavedRun) -> Self {
        Self::read(run).unwrap_or_else(|_| Self::bare(run))
    }

    /// Reads the contents. Leaves out invalid files and records their names.
    ///
    /// # Errors
    /// Errors of [`SavedRun::file`].
    pub(crate) fn read(run: &'a SavedRun) -> Result<Self> {
        let mut material = Self::bare(run);
        let text = run.file("trials.jsonl", MOST)?.unwrap_or_default();
        material.trials = lines(&text);
        material.delta = material.json("delta.json", is_sound)?;
        material.values = material.json("values.json", |_| true)?.unwrap_or_default();
        let failures = run.result().schedules.iter().flat_map(|found| &found.failures);
        let names: Vec<&str> = failures.map(|failure| &*failure.schedule).collect();
        for name in names.into_iter().filter(|name| is_schedule_name(name)).take(MOST_SCHEDULES) {
            let file = material.json(name, ScheduleFile::is_sound)?;
            material.schedules.extend(file.map(|file| (name.to_owned(), file)));
        }
        Ok(material)
    }

    pub(crate) fn result(&self) -> &'a RunResult {
        self.run.result()
    }

    /// Reads a JSON file, if it exists and is valid.
    fn json<T: DeserializeOwned>(
        &mut self,
        name: &str,
        is_sound: impl FnOnce(&T) -> bool,
    ) -> Result<Option<T>> {
        let Some(text) = self.run.file(name, MOST)? else { return Ok(None) };
        let read = serde_json::from_slice(&text).ok().filter(is_sound);
        if read.is_none() {
            self.refused.push(name.to_owned());
        }
        Ok(read)
    }
}

/// Parses the trials; the last line may be incomplete if the run was killed.
fn lines(text: &[u8]) -> Vec<TrialLine> {
    let lines = text.split(|byte| *byte == b'\n');
    lines.filter_map(|line| serde_json::from_slice(line).ok()).collect()
}

/// Returns true if components are numbered consecutively from 1 and dependencies refer only to them.
fn is_sound(delta: &DeltaView) -> bool {
    let known = 1..=delta.components.len();
    delta.schema == SCHEMA
        && delta.components.iter().map(|one| one.id).eq(known.clone())
        && delta
            .couplings
            .iter()
            .all(|one| known.contains(&one.from) && one.to.iter().all(|to| known.contains(to)))
}

/// Returns true if this is the name of a schedule file.
fn is_schedule_name(name: &str) -> bool {
    let number = name.strip_prefix("schedule-").and_then(|rest| rest.strip_suffix(".json"));
    number.is_some_and(|number| number.parse::<u32>().is_ok())
}
