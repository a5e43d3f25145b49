//! Findings of the checks of `git mend doctor`.

use crate::Problem;
use serde::Serialize;

/// Status of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DoctorStatus {
    /// The check passed.
    Ok,
    /// Useful to know; runs work without it.
    Note,
    /// A requirement of every run is missing.
    Missing,
}

/// Finding of one check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DoctorFinding {
    /// The check: `git`, `jdk`, `libraries` …
    pub name: &'static str,
    /// Status of the check.
    pub status: DoctorStatus,
    /// Message of one line.
    pub message: String,
    /// Items that the message counts: libraries, notes.
    pub items: Vec<String>,
    /// The help line.
    pub help: Option<String>,
}

impl DoctorFinding {
    /// Creates a finding with one line of text.
    pub fn new(name: &'static str, status: DoctorStatus, message: impl Into<String>) -> Self {
        Self { name, status, message: message.into(), items: Vec::new(), help: None }
    }

    /// Creates the finding for a problem, with the message and help line of that problem.
    pub fn from_problem(name: &'static str, problem: &Problem) -> Self {
        Self::new(name, DoctorStatus::Missing, problem.to_string()).with_help(problem.remedy())
    }

    /// Adds the items that the line counts.
    #[must_use]
    pub fn with_items(self, items: Vec<String>) -> Self {
        Self { items, ..self }
    }

    /// Adds a help line.
    #[must_use]
    pub fn with_help(self, remedy: impl Into<String>) -> Self {
        Self { help: Some(remedy.into()), ..self }
    }
}
