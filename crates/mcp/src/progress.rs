//! Progress of a run, from the files of its folder.

use mend_model::format_count;
use mend_report::{SavedRun, TrialLine};
use schemars::JsonSchema;
use serde::Serialize;
use std::path::Path;

/// Maximum size of a file that is read, in bytes.
const MAX_FILE_BYTES: u64 = 4 << 20;

/// Progress of a run
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct Progress {
    /// Number of finished test runs and stages
    pub(crate) steps: usize,
    /// Last finished test run with its verdict, or else the last stage
    pub(crate) last: Option<String>,
}

impl Progress {
    /// Reads the progress of a run. A run that has just been started has made none.
    pub(crate) fn read(folder: &Path) -> Self {
        let Ok(run) = SavedRun::open(folder) else { return Self::default() };
        let read = |name: &str| {
            let content = run.read_file(name, MAX_FILE_BYTES).ok().flatten().unwrap_or_default();
            String::from_utf8_lossy(&content).into_owned()
        };
        Self::from_files(&read("trials.jsonl"), &read("log.txt"))
    }

    fn from_files(trials: &str, log: &str) -> Self {
        let last_trial = trials.lines().rev().find_map(|line| serde_json::from_str(line).ok());
        let last_trial =
            last_trial.map(|TrialLine { what, verdict, .. }| format!("{what}: {verdict}"));
        let last_stage = log.lines().rev().find(|line| !line.trim().is_empty());
        let last = last_trial.or_else(|| last_stage.map(str::to_owned));
        Self { steps: trials.lines().count() + log.lines().count(), last }
    }

    /// Describes the progress on one line.
    pub(crate) fn describe(&self) -> String {
        match &self.last {
            Some(last) => format!("{} done, the last: {last}", format_count(self.steps, "step")),
            None => "just started".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn last_trial_and_number_of_steps_are_read() {
        let line = serde_json::to_string(&TrialLine {
            what: "commit 1".to_owned(),
            verdict: "pass".to_owned(),
            ..TrialLine::default()
        });
        let trials = format!("{}\n{{\"incom", line.unwrap());
        let progress = Progress::from_files(&trials, "stage\n");
        assert_eq!(progress, Progress { steps: 3, last: Some("commit 1: pass".to_owned()) });
        assert_eq!(Progress::from_files("", "stage\n").describe(), "1 step done, the last: stage");
        assert_eq!(Progress::default().describe(), "just started");
    }
}
