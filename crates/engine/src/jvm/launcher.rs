//! Interface for starting programs. Implementations of [`Launcher`] manage process groups and stop them.

use mend_model::Result;
use mend_process::PipedProcess;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

/// A program to start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaunchSpec {
    /// Path, or a name that is searched in `PATH`.
    pub program: OsString,
    /// Arguments, without the program name.
    pub args: Vec<OsString>,
    /// Working directory.
    pub cwd: PathBuf,
    /// Environment variables in addition to those of the caller.
    pub env: Vec<(OsString, OsString)>,
    /// Time after which the program is killed.
    pub time_limit: Option<Duration>,
}

impl LaunchSpec {
    /// Creates a program start in a folder, without arguments or time limit.
    pub fn new(program: impl Into<OsString>, cwd: impl Into<PathBuf>) -> Self {
        Self {
            program: program.into(),
            args: Vec::new(),
            cwd: cwd.into(),
            env: Vec::new(),
            time_limit: None,
        }
    }

    /// Adds an argument.
    #[must_use]
    pub fn arg(mut self, arg: impl Into<OsString>) -> Self {
        self.args.push(arg.into());
        self
    }

    /// Adds several arguments.
    #[must_use]
    pub fn args<A: Into<OsString>>(mut self, args: impl IntoIterator<Item = A>) -> Self {
        self.args.extend(args.into_iter().map(Into::into));
        self
    }

    /// Sets the time limit.
    #[must_use]
    pub fn with_time_limit(mut self, limit: Option<Duration>) -> Self {
        self.time_limit = limit;
        self
    }
}

/// Exit of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExitInfo {
    /// The exit code, or 128 plus the signal's number; `None` if neither is known.
    pub code: Option<i32>,
    /// True if the program was killed at the time limit.
    pub has_timed_out: bool,
    /// End of the output on both streams.
    pub output: String,
}

impl ExitInfo {
    /// Returns true if the program exited by itself with code 0.
    pub fn is_success(&self) -> bool {
        !self.has_timed_out && self.code == Some(0)
    }
}

/// Starts programs and waits until they exit.
pub trait Launcher: Send + Sync {
    /// Runs a program until it exits or reaches its time limit.
    ///
    /// # Errors
    /// [`mend_model::Problem::ProgramMissing`] if it cannot be started, and
    /// [`mend_model::Problem::Interrupted`] after an interrupt.
    fn run(&self, command: &LaunchSpec) -> Result<ExitInfo> {
        self.run_until(command, &mut || false)
    }

    /// Runs a program like [`Launcher::run`], and also stops it once `is_expired` returns true, which is polled.
    ///
    /// # Errors
    /// Errors of [`Launcher::run`].
    fn run_until(
        &self,
        command: &LaunchSpec,
        is_expired: &mut dyn FnMut() -> bool,
    ) -> Result<ExitInfo>;

    /// Starts a worker that communicates over pipes; the time limit does not apply.
    ///
    /// # Errors
    /// Errors of [`Launcher::run`].
    fn start_piped(&self, command: &LaunchSpec) -> Result<PipedProcess>;
}
