//! A program to start, and runs of short programs.

use mend_model::{Problem, Result};
use std::ffi::OsStr;
use std::fs::File;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// Environment variables that would make git use the user's repository.
const REPOSITORY_VARIABLES: [&str; 10] = [
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_CONFIG",
    "GIT_DIR",
    "GIT_GRAFT_FILE",
    "GIT_INDEX_FILE",
    "GIT_NAMESPACE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_PREFIX",
    "GIT_WORK_TREE",
];

/// A program to start, in its own process group and without input.
pub struct Program {
    command: Command,
}

/// Exit code and output of a program.
#[derive(Debug)]
pub struct ProgramOutput {
    /// The exit code; 128 plus the signal's number if it was killed.
    pub code: i32,
    /// Standard output.
    pub stdout: Vec<u8>,
    /// Standard error, trimmed.
    pub stderr: String,
}

impl ProgramOutput {
    /// Returns true if the program exited with 0.
    pub fn is_success(&self) -> bool {
        self.code == 0
    }
}

impl Program {
    /// Creates a program by its path, or by its name on `PATH`.
    pub fn new(program: impl AsRef<OsStr>) -> Self {
        let mut command = Command::new(program);
        command.stdin(Stdio::null()).process_group(0);
        for variable in REPOSITORY_VARIABLES {
            command.env_remove(variable);
        }
        Self { command }
    }

    /// Adds an argument.
    #[must_use]
    pub fn arg(mut self, arg: impl AsRef<OsStr>) -> Self {
        self.command.arg(arg);
        self
    }

    /// Adds arguments.
    #[must_use]
    pub fn args<S: AsRef<OsStr>>(mut self, args: impl IntoIterator<Item = S>) -> Self {
        self.command.args(args);
        self
    }

    /// Sets the working directory.
    #[must_use]
    pub fn cwd(mut self, dir: &Path) -> Self {
        self.command.current_dir(dir);
        self
    }

    /// Sets an environment variable.
    #[must_use]
    pub fn env(mut self, name: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    /// Removes an environment variable.
    #[must_use]
    pub fn env_remove(mut self, name: impl AsRef<OsStr>) -> Self {
        self.command.env_remove(name);
        self
    }

    /// Removes the whole environment, including variables that were set before.
    #[must_use]
    pub fn env_clear(mut self) -> Self {
        self.command.env_clear();
        self
    }

    /// Uses a file as standard input, from its start.
    #[must_use]
    pub fn input(mut self, file: File) -> Self {
        self.command.stdin(file);
        self
    }

    /// Returns its name or path.
    pub fn name(&self) -> &OsStr {
        self.command.get_program()
    }

    /// Returns its arguments.
    pub fn arguments(&self) -> impl Iterator<Item = &OsStr> {
        self.command.get_args()
    }

    /// Runs the program until it exits, even after an interrupt: for short programs that must not be stopped between
    /// two writes.
    ///
    /// # Errors
    /// [`Problem::ProgramMissing`] if it cannot be started.
    pub fn output(mut self) -> Result<ProgramOutput> {
        let output = self.command.output().map_err(|error| self.missing(&error))?;
        let signal = || output.status.signal().map(|signal| 128 + signal);
        Ok(ProgramOutput {
            code: output.status.code().or_else(signal).unwrap_or_default(),
            stdout: output.stdout,
            stderr: String::from_utf8_lossy(&output.stderr).trim().to_owned(),
        })
    }

    /// Returns the command to start.
    pub(super) fn command(&mut self) -> &mut Command {
        &mut self.command
    }

    /// Starts the program.
    pub(super) fn spawn(&mut self) -> Result<Child> {
        self.command.spawn().map_err(|error| self.missing(&error))
    }

    fn missing(&self, error: &std::io::Error) -> Problem {
        Problem::ProgramMissing {
            program: self.name().display().to_string(),
            reason: error.to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_program_is_named() {
        let problem = Program::new("no-such-program").output().unwrap_err();
        assert!(
            matches!(problem, Problem::ProgramMissing { program, .. } if program == "no-such-program")
        );
    }
}
