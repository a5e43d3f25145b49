//! What a run folder has beside its result and its patches, as far as it is there and makes sense.

use crate::engine::Example;
use crate::model::Result;
use crate::report::delta::{DeltaView, SCHEMA};
use crate::report::{Interleaving, ReadRun, RunResult, SeenValues, TrialLine};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;

/// The most that a file may have, in bytes.
const MOST: u64 = 32 << 20;

/// So many schedules are read.
const MOST_SCHEDULES: usize = 12;

/// What a run folder has, as far as it makes sense.
pub(in crate::report) struct Material<'a> {
    pub(in crate::report) run: &'a ReadRun,
    pub(in crate::report) trials: Vec<TrialLine>,
    pub(in crate::report) delta: Option<DeltaView>,
    pub(in crate::report) values: Vec<SeenValues>,
    /// By the name of their files.
    pub(in crate::report) schedules: BTreeMap<String, ScheduleFile>,
    /// Files that are there and make no sense.
    pub(in crate::report) refused: Vec<String>,
}

/// A schedule as an exploration writes it.
#[derive(Deserialize)]
pub(in crate::report) struct ScheduleFile {
    pub(in crate::report) example: Example,
    /// The steps of the pattern that it shows.
    #[serde(default)]
    pub(in crate::report) marked: Vec<usize>,
    #[serde(default)]
    pub(in crate::report) ending: String,
}

impl ScheduleFile {
    /// What its picture shows.
    pub(in crate::report) fn interleaving(&self) -> Interleaving<'_> {
        Interleaving { example: &self.example, marked: &self.marked, ending: &self.ending }
    }

    /// Whether every number in it is that of something.
    fn is_sound(&self) -> bool {
        let Example { thread, threads, steps, .. } = &self.example;
        *thread < threads.len()
            && steps.iter().all(|step| step.thread < threads.len())
            && self.marked.iter().all(|at| *at < steps.len())
    }
}

impl<'a> Material<'a> {
    /// The result alone.
    fn bare(run: &'a ReadRun) -> Self {
        Self {
            run,
            trials: Vec::new(),
            delta: None,
            values: Vec::new(),
            schedules: BTreeMap::new(),
            refused: Vec::new(),
        }
    }

    /// As [`Self::read`]; where that fails there is the result all the same.
    pub(in crate::report) fn as_far_as_it_is_there(run: &'a ReadRun) -> Self {
        Self::read(run).unwrap_or_else(|_| Self::bare(run))
    }

    /// Reads what is there. What is not as a run writes it is left out, and named.
    ///
    /// # Errors
    /// As [`ReadRun::file`].
    pub(in crate::report) fn read(run: &'a ReadRun) -> Result<Self> {
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

    pub(in crate::report) fn result(&self) -> &'a RunResult {
        self.run.result()
    }

    /// What a file says, if it is there and makes sense.
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

/// The lines that are trials; the last one of a run that was killed may be half a line.
fn lines(text: &[u8]) -> Vec<TrialLine> {
    let lines = text.split(|byte| *byte == b'\n');
    lines.filter_map(|line| serde_json::from_slice(line).ok()).collect()
}

/// Whether components are numbered one by one, and couplings are between these.
fn is_sound(delta: &DeltaView) -> bool {
    let known = 1..=delta.components.len();
    delta.schema == SCHEMA
        && delta.components.iter().map(|one| one.id).eq(known.clone())
        && delta
            .couplings
            .iter()
            .all(|one| known.contains(&one.from) && one.to.iter().all(|to| known.contains(to)))
}

/// Whether an exploration writes a schedule of this name.
fn is_schedule_name(name: &str) -> bool {
    let number = name.strip_prefix("schedule-").and_then(|rest| rest.strip_suffix(".json"));
    number.is_some_and(|number| number.parse::<u32>().is_ok())
}
