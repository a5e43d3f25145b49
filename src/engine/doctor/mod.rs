//! What a run would need on this machine, and whether it is there.

mod advice;
mod build;
mod machine;

use super::{Environment, Launch, ProjectOptions};
use crate::model::{Problem, Result};
use serde::Serialize;
use std::path::{Path, PathBuf};

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
    fn new(name: &'static str, status: Health, message: impl Into<String>) -> Self {
        Self { name, status, message: message.into(), items: Vec::new(), help: None }
    }

    /// What is missing, and the way to get it, as any run would say it.
    fn of(name: &'static str, problem: &Problem) -> Self {
        Self::new(name, Health::Missing, problem.to_string()).remedied(problem.remedy())
    }

    fn listing(self, items: Vec<String>) -> Self {
        Self { items, ..self }
    }

    fn remedied(self, remedy: impl Into<String>) -> Self {
        Self { help: Some(remedy.into()), ..self }
    }
}

/// What is looked at.
pub struct Checkup<'a> {
    /// The project's root.
    pub root: &'a Path,
    /// What the user says about the project.
    pub options: &'a ProjectOptions,
    /// Where the project's model is written.
    pub record: Option<&'a Path>,
    /// Where runs and scratch trees go.
    pub home: &'a Path,
    /// The variables that lead to programs.
    pub environment: &'a Environment,
    /// Starts git and asks for packages.
    pub launcher: &'a dyn Launch,
}

impl Checkup<'_> {
    /// Checks everything, in the order in which problems are best fixed.
    ///
    /// # Errors
    /// An interruption, or a model that cannot be recorded; whatever is missing is a finding.
    pub fn findings(&self) -> Result<Vec<Finding>> {
        let git = machine::git(self)?;
        let (jdk, java) = machine::jdk(self)?;
        let (rooms, manual) = (machine::room(self), machine::manual(self)?);
        let of_project = build::findings(self, jdk.as_ref())?;
        let others = [rooms].into_iter().chain(manual);
        Ok([git, java].into_iter().chain(of_project).chain(others).collect())
    }

    /// Where a program lies on `PATH`.
    fn on_path(&self, program: &str) -> Option<PathBuf> {
        let path = self.environment.get("PATH").unwrap_or_default();
        std::env::split_paths(path).map(|folder| folder.join(program)).find(|file| file.is_file())
    }
}
