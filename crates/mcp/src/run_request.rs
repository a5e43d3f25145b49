//! Request to start a run, independent of the tool.

use crate::argument_check::InvalidArguments;
use crate::patch_input::InputFile;
use std::path::PathBuf;

/// Request to start a run.
#[derive(Clone, Debug, Default)]
pub(crate) struct RunRequest {
    /// Command and its options.
    pub(crate) words: Vec<String>,
    /// Options whose value is a path in the run folder.
    pub(crate) path_options: Vec<(&'static str, &'static str)>,
    /// Words after all options.
    pub(crate) last_words: Vec<String>,
    /// True if the client named a command to run.
    pub(crate) runs_command: bool,
    /// Files in the run folder that the command reads.
    pub(crate) files: Vec<InputFile>,
    /// File in the run folder for the standard output, instead of `--output`.
    pub(crate) stdout_file: Option<&'static str>,
}

impl RunRequest {
    /// Creates the request of a command.
    pub(crate) fn new(command: &str) -> Self {
        Self { words: vec![command.to_owned()], ..Self::default() }
    }

    /// Adds an option with a value. The form with `=` keeps a value that starts with `-` from being read as an option.
    #[must_use]
    pub(crate) fn option(mut self, name: &str, value: impl std::fmt::Display) -> Self {
        self.words.push(format!("{name}={value}"));
        self
    }

    /// Adds an option if it has a value.
    #[must_use]
    pub(crate) fn optional(self, name: &str, value: Option<impl std::fmt::Display>) -> Self {
        match value {
            Some(value) => self.option(name, value),
            None => self,
        }
    }

    /// Adds an option without a value.
    #[must_use]
    pub(crate) fn flag(mut self, name: &str, is_set: bool) -> Self {
        if is_set {
            self.words.push(name.to_owned());
        }
        self
    }

    /// Adds `--test` for each test.
    pub(crate) fn tests(self, tests: &[String]) -> Result<Self, InvalidArguments> {
        let help = "give `pkg.Class`, `pkg.Class#method` or a glob such as `pkg.*Test`";
        if tests.is_empty() {
            return Err(InvalidArguments::new("`tests` is empty", help));
        }
        if tests.iter().any(|test| test.trim().is_empty()) {
            return Err(InvalidArguments::new("a test has no name", help));
        }
        Ok(tests.iter().fold(self, |request, test| request.option("--test", test)))
    }

    /// Returns the command line for a run in `folder`.
    pub(crate) fn command_line(
        &self,
        project: &std::path::Path,
        folder: &std::path::Path,
    ) -> Vec<String> {
        let mut words = self.words.clone();
        words.extend(["-C".to_owned(), project.to_string_lossy().into_owned()]);
        for (name, path) in &self.path_options {
            words.push(format!("{name}={}", folder.join(path).display()));
        }
        if self.stdout_file.is_none() {
            words.push(format!("--output={}", folder.display()));
        }
        if !self.last_words.is_empty() {
            words.push("--".to_owned());
            words.extend(self.last_words.iter().cloned());
        }
        words
    }
}

/// Project and run of a call, before they are resolved.
#[derive(Clone, Debug, Default)]
pub(crate) struct CallTarget {
    /// Folder of the project, if the caller named one.
    pub(crate) project: Option<PathBuf>,
    /// Run to continue, if the caller named one.
    pub(crate) resume: Option<String>,
    /// Seconds to wait for the run, if the caller limited them.
    pub(crate) wait_seconds: Option<u64>,
}
