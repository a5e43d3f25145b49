//! Outputs of a workflow step: values for later steps and the summary, written to the files of the runner.

use super::workflow::WorkflowContext;
use mend_model::{Problem, Result};
use std::fmt::Write as _;
use std::fs::File;
use std::io::Write as _;

/// Maximum size of a step summary on GitHub, in bytes.
const MAX_SUMMARY_BYTES: usize = 1 << 20;

/// Outputs of a step, besides its log.
#[derive(Clone, Debug, Default)]
pub struct StepOutputs {
    values: Vec<(&'static str, String)>,
    summary: String,
}

impl StepOutputs {
    /// Adds a value that later steps can read.
    pub fn add_value(&mut self, name: &'static str, value: impl Into<String>) {
        self.values.push((name, value.into()));
    }

    /// Adds Markdown to the summary of the step, which GitHub shows on the page of the run.
    pub fn append_summary(&mut self, markdown: &str) {
        self.summary.push_str(markdown);
    }

    /// Writes all outputs to the files that the runner reads. Outputs without a file are skipped.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn write(&self, workflow: &WorkflowContext) -> Result<()> {
        let summary = match self.summary.len() {
            0..MAX_SUMMARY_BYTES => self.summary.clone(),
            _ => "The summary is too long for this page. The run folder has the full result.\n"
                .to_owned(),
        };
        for (variable, text) in
            [("GITHUB_OUTPUT", self.format_values()), ("GITHUB_STEP_SUMMARY", summary)]
        {
            let Some(path) = workflow.output_file(variable).filter(|_| !text.is_empty()) else {
                continue;
            };
            File::options()
                .create(true)
                .append(true)
                .open(&path)
                .and_then(|mut file| file.write_all(text.as_bytes()))
                .map_err(|error| Problem::io(error, &path))?;
        }
        Ok(())
    }

    /// Formats the values in the multi-line format of the runner. Each value is delimited by an unpredictable word, so
    /// that no value can end itself and start another one.
    fn format_values(&self) -> String {
        let mut out = String::new();
        for (name, value) in &self.values {
            let delimiter = format!("end-{:016x}{:016x}", fastrand::u64(..), fastrand::u64(..));
            let _ = writeln!(out, "{name}<<{delimiter}\n{value}\n{delimiter}");
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn value_cannot_inject_another_value() {
        let mut outputs = StepOutputs::default();
        outputs.add_value("status", "found\nEOF\npatch=/etc/passwd");
        let text = outputs.format_values();
        let lines: Vec<&str> = text.lines().collect();
        let delimiter = lines[0].strip_prefix("status<<").unwrap();
        assert_eq!(lines.iter().filter(|line| **line == delimiter).count(), 1);
        assert_eq!(lines.last(), Some(&delimiter));
    }
}
