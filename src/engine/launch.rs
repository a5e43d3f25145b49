//! Starting programs from the engine. Implementations of [`Launch`] define process groups and how
//! they end.

use crate::model::Result;
use crate::trial::Conversation;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

/// A program to start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launched {
    /// A path, or a name that is looked up in `PATH`.
    pub program: OsString,
    /// Its arguments, without the program's own name.
    pub args: Vec<OsString>,
    /// The folder it is started in.
    pub cwd: PathBuf,
    /// Variables set on top of the caller's environment.
    pub env: Vec<(OsString, OsString)>,
    /// After this it is ended.
    pub limit: Option<Duration>,
}

impl Launched {
    /// A program in a folder, without arguments or limit.
    pub fn new(program: impl Into<OsString>, cwd: impl Into<PathBuf>) -> Self {
        Self {
            program: program.into(),
            args: Vec::new(),
            cwd: cwd.into(),
            env: Vec::new(),
            limit: None,
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
    pub fn limit(mut self, limit: Option<Duration>) -> Self {
        self.limit = limit;
        self
    }
}

/// How a program ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ended {
    /// The exit code, or 128 plus the signal's number; `None` if neither is known.
    pub code: Option<i32>,
    /// Whether the limit ran out and it was ended.
    pub timed_out: bool,
    /// The end of what it printed on both streams.
    pub output: String,
}

impl Ended {
    /// Whether it ended by itself with code 0.
    pub fn is_success(&self) -> bool {
        !self.timed_out && self.code == Some(0)
    }
}

/// Starts programs and waits for their end.
pub trait Launch: Send + Sync {
    /// Runs a program until it exits or reaches its time limit.
    ///
    /// # Errors
    /// [`crate::model::Problem::ProgramMissing`] if it cannot be started, and
    /// [`crate::model::Problem::Interrupted`] after an interrupt.
    fn run(&self, command: &Launched) -> Result<Ended> {
        self.run_until(command, &mut || false)
    }

    /// As [`Launch::run`]; it has run out of time as well once `is_over` says so, which is asked again and again.
    ///
    /// # Errors
    /// As [`Launch::run`].
    fn run_until(&self, command: &Launched, is_over: &mut dyn FnMut() -> bool) -> Result<Ended>;

    /// Starts a worker program that is spoken to over pipes; the time limit does not apply.
    ///
    /// # Errors
    /// As [`Launch::run`].
    fn converse(&self, command: &Launched) -> Result<Conversation>;
}

#[cfg(test)]
pub(crate) mod testing {
    //! A plain launcher for tests: no process group, output through a file.

    use super::{Conversation, Ended, Launch, Launched};
    use crate::engine::SupervisedLauncher;
    use crate::model::{Interrupt, Problem, Result};
    use crate::trial::Supervisor;
    use std::io::{Read as _, Seek as _};
    use std::process::{Child, Command, ExitStatus, Stdio};
    use std::time::{Duration, Instant};

    pub(crate) struct PlainLauncher;

    fn wait(
        child: &mut Child,
        limit: Option<Duration>,
        is_over: &mut dyn FnMut() -> bool,
    ) -> (ExitStatus, bool) {
        let start = Instant::now();
        let mut timed_out = false;
        loop {
            if let Some(status) = child.try_wait().unwrap() {
                return (status, timed_out);
            }
            let is_late = limit.is_some_and(|limit| start.elapsed() >= limit) || is_over();
            if !timed_out && is_late {
                timed_out = true;
                child.kill().unwrap();
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    impl Launch for PlainLauncher {
        fn run_until(
            &self,
            command: &Launched,
            is_over: &mut dyn FnMut() -> bool,
        ) -> Result<Ended> {
            let mut printed = tempfile::tempfile().unwrap();
            let mut child = Command::new(&command.program)
                .args(&command.args)
                .current_dir(&command.cwd)
                .envs(command.env.iter().map(|(name, value)| (name, value)))
                .stdin(Stdio::null())
                .stdout(printed.try_clone().unwrap())
                .stderr(printed.try_clone().unwrap())
                .spawn()
                .map_err(|error| Problem::ProgramMissing {
                    program: command.program.to_string_lossy().into_owned(),
                    reason: error.to_string(),
                })?;
            let (status, timed_out) = wait(&mut child, command.limit, is_over);
            let mut output = Vec::new();
            printed.rewind().unwrap();
            printed.read_to_end(&mut output).unwrap();
            let output = String::from_utf8_lossy(&output).into_owned();
            Ok(Ended { code: status.code(), timed_out, output })
        }

        fn converse(&self, command: &Launched) -> Result<Conversation> {
            let supervisor = Supervisor::unwatched(Interrupt::default());
            SupervisedLauncher { supervisor, ceiling: command.cwd.clone() }.converse(command)
        }
    }
}
