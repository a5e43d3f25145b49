//! Starting programs from the engine. Implementations of [`Launcher`] define process groups and how
//! they end.

use mend_model::Result;
use mend_process::PipedProcess;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

/// A program to start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaunchSpec {
    /// A path, or a name that is looked up in `PATH`.
    pub program: OsString,
    /// Its arguments, without the program's own name.
    pub args: Vec<OsString>,
    /// The folder it is started in.
    pub cwd: PathBuf,
    /// Variables set on top of the caller's environment.
    pub env: Vec<(OsString, OsString)>,
    /// After this it is ended.
    pub time_limit: Option<Duration>,
}

impl LaunchSpec {
    /// A program in a folder, without arguments or limit.
    pub fn new(program: impl Into<OsString>, cwd: impl Into<PathBuf>) -> Self {
        Self {
            program: program.into(),
            args: Vec::new(),
            cwd: cwd.into(),
            env: Vec::new(),
            time_limit: None,
        }
    }

    /// Adds one argument.
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
    /// The end of what it printed on both streams.
    pub output: String,
}

impl ExitInfo {
    /// Returns true if the program exited by itself with code 0.
    pub fn is_success(&self) -> bool {
        !self.has_timed_out && self.code == Some(0)
    }
}

/// Starts programs and waits for their end.
pub trait Launcher: Send + Sync {
    /// Runs a program until it exits or reaches its time limit.
    ///
    /// # Errors
    /// [`mend_model::Problem::ProgramMissing`] if it cannot be started, and
    /// [`mend_model::Problem::Interrupted`] after an interrupt.
    fn run(&self, command: &LaunchSpec) -> Result<ExitInfo> {
        self.run_until(command, &mut || false)
    }

    /// Runs a program like [`Launcher::run`], and also ends it once `is_expired` returns true, which is polled.
    ///
    /// # Errors
    /// Those of [`Launcher::run`].
    fn run_until(
        &self,
        command: &LaunchSpec,
        is_expired: &mut dyn FnMut() -> bool,
    ) -> Result<ExitInfo>;

    /// Starts a worker program that is spoken to over pipes; the time limit does not apply.
    ///
    /// # Errors
    /// Those of [`Launcher::run`].
    fn start_piped(&self, command: &LaunchSpec) -> Result<PipedProcess>;
}
