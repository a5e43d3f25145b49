//! The results of checks.

use crate::Problem;
use serde::Serialize;

/// How something stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Health {
    /// As it should be.
    Ok,
    /// Good to know; a run may do without.
    Note,
    /// A run needs it.
    Missing,
}

/// One thing that was looked at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// What was looked at: `git`, `jdk`, `libraries` …
    pub name: &'static str,
    /// How it stands.
    pub status: Health,
    /// One line.
    pub message: String,
    /// The single things that the line counts: libraries, remarks.
    pub items: Vec<String>,
    /// What to do next, in one line.
    pub help: Option<String>,
}

impl Finding {
    /// Creates a finding with one line of text.
    pub fn new(name: &'static str, status: Health, message: impl Into<String>) -> Self {
        Self { name, status, message: message.into(), items: Vec::new(), help: None }
    }

    /// What is missing, and the way to get it, as any run would say it.
    pub fn of(name: &'static str, problem: &Problem) -> Self {
        Self::new(name, Health::Missing, problem.to_string()).remedied(problem.remedy())
    }

    /// Adds the items that the line counts.
    #[must_use]
    pub fn listing(self, items: Vec<String>) -> Self {
        Self { items, ..self }
    }

    /// Adds a help line.
    #[must_use]
    pub fn remedied(self, remedy: impl Into<String>) -> Self {
        Self { help: Some(remedy.into()), ..self }
    }
}
